import JSONText
import TileModel

extension PlanBuilder {
    mutating func buildWorkload(_ section: Section) {
        let kind = section.text("kind") ?? "popular"
        checkKeys(of: kind, section)
        readZooms(section)
        readBounds(section)
        if let think = section.uint("think") { plan.workload.thinkNS = think }
        switch kind {
        case "list":
            plan.workload.kind = .list(tiles(section))
        case "pyramid":
            plan.workload.kind = .pyramid(
                order: section.word("order", WorkloadPlan.Order.self) ?? .rows)
        default:
            plan.workload.kind = .popular(
                exponent: section.double("zipf") ?? 1, weights: weights(section))
        }
        guard problems.isEmpty else { return }
        do throws(SelectionError) {
            let stream = try RequestStream(
                workload: plan.workload, sources: plan.target.sources, seed: plan.seed)
            noteListed(stream)
        } catch {
            report(section.path, error.description)
        }
    }

    /// Keys that only one kind looks at: elsewhere they would be ignored in silence.
    private mutating func checkKeys(of kind: String, _ section: Section) {
        let owners = [
            "tiles": "list", "order": "pyramid", "zipf": "popular", "zoom_weights": "popular",
        ]
        for (key, owner) in owners.sorted(by: { $0.key < $1.key })
        where owner != kind && scenario.isWritten("workload", key) {
            report(
                section.path + [key], "`\(key)` is for kind \"\(owner)\" only, this is \"\(kind)\"",
                hint: "\"kind\": \"\(owner)\"")
        }
        guard kind == "list" else { return }
        for key in ["bounds", "zooms"] where scenario.isWritten("workload", key) {
            note("workload.\(key) has no meaning for a list: its tiles are asked for as they are")
        }
    }

    private mutating func readZooms(_ section: Section) {
        guard let zooms = section.node["zooms"]?.array?.compactMap(\.int), zooms.count == 2 else {
            if let zooms = documentZooms { plan.workload.zooms = zooms }
            return
        }
        guard zooms[0] <= zooms[1] else {
            report(
                section.path + ["zooms"],
                "the first zoom \(zooms[0]) is more than the last \(zooms[1])",
                hint: "[first, last], both included")
            return
        }
        plan.workload.zooms = zooms[0]...zooms[1]
    }

    private mutating func readBounds(_ section: Section) {
        guard let box = section.node["bounds"]?.array?.compactMap(\.double), box.count == 4 else {
            return
        }
        do throws(GeoBoundsError) {
            plan.workload.bounds = try GeoBounds(
                west: box[0], south: box[1], east: box[2], north: box[3])
        } catch {
            report(section.path + ["bounds"], error.description)
        }
    }

    private mutating func weights(_ section: Section) -> WorkloadPlan.ZoomWeights {
        guard let node = section.node["zoom_weights"] else { return .osm }
        let path = section.path + ["zoom_weights"]
        let zooms = plan.workload.zooms
        let weights: [Double]
        if let list = node.array {
            weights = list.compactMap(\.double)
            guard weights.count == zooms.count else {
                report(
                    path, "\(weights.count) weights for \(zooms.count) zooms",
                    hint: "one for each of the zooms \(zooms.lowerBound) to \(zooms.upperBound)")
                return .osm
            }
        } else if let members = node.members {
            var byZoom = [Double](repeating: 0, count: zooms.count)
            for member in members {
                guard let zoom = Int(member.name), zooms.contains(zoom) else {
                    report(
                        path + [member.name], "`\(member.name)` is none of the zooms",
                        hint: "workload.zooms is [\(zooms.lowerBound), \(zooms.upperBound)]")
                    continue
                }
                byZoom[zoom - zooms.lowerBound] = member.node.double ?? 0
            }
            weights = byZoom
        } else {
            return .osm
        }
        if !weights.contains(where: { $0 > 0 }) { report(path, "no weight is more than 0") }
        return .weights(weights)
    }

    // MARK: - Lists

    /// A list is asked for as it is, but for what no source has.
    private mutating func noteListed(_ stream: RequestStream) {
        guard case .list(let tiles) = plan.workload.kind, plan.target.document != nil,
            let count = stream.passCount
        else { return }
        let wanted = UInt64(tiles.count) * UInt64(plan.target.sources.count)
        if count < wanted {
            note(
                "\(wanted - count) asks of the list are left out: by the document there are no such"
                    + " tiles")
        }
    }

    private static let tileProblemsMax = 20
    private static let listBytesMax = 1 << 30

    private mutating func tiles(_ section: Section) -> [TileID] {
        let path = section.path + ["tiles"]
        let before = problems.count
        var tiles: [TileID] = []
        if let list = section.node["tiles"]?.array {
            tiles = self.tiles(in: list, path)
        } else if let file = section.text("tiles") {
            plan.workload.tilesFile = file
            tiles = self.tiles(inFile: file, path)
        } else if !scenario.isWritten("workload", "tiles") {
            report(
                section.path, "kind \"list\" needs `tiles`",
                hint: "an array of \"z/x/y\", or the name of a file of such lines")
            return []
        }
        if tiles.isEmpty, problems.count == before, section.has("tiles") {
            report(path, "holds no tile")
        }
        return tiles
    }

    private mutating func tiles(in list: [JSONNode], _ path: [String]) -> [TileID] {
        var tiles: [TileID] = []
        var badCount = 0
        for (index, element) in list.enumerated() {
            guard let text = element.string else { continue }
            do throws(TileTextError) {
                tiles.append(try TileID(parsing: UnitText.trimmed(text)))
            } catch {
                badCount += 1
                if badCount <= PlanBuilder.tileProblemsMax {
                    report(path + [String(index)], error.description)
                }
            }
        }
        reportRest(badCount, path)
        return tiles
    }

    /// Lines of `z/x/y`; blank lines and those that begin with `#` are skipped.
    private mutating func tiles(inFile file: String, _ path: [String]) -> [TileID] {
        let bytes: [UInt8]
        do throws(InputFile.Failure) {
            bytes = try InputFile.read(file, bytesMax: PlanBuilder.listBytesMax)
        } catch {
            report(path, "cannot read `\(file)`: \(error.reason)")
            return []
        }
        var tiles: [TileID] = []
        var badCount = 0
        let lines = bytes.split(
            separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            var end = line.endIndex
            if line.last == UInt8(ascii: "\r") { end -= 1 }
            let text = UnitText.trimmed(String(decoding: line[..<end], as: UTF8.self))
            if text.isEmpty || text.hasPrefix("#") { continue }
            do throws(TileTextError) {
                tiles.append(try TileID(parsing: text))
            } catch {
                badCount += 1
                if badCount <= PlanBuilder.tileProblemsMax {
                    report(path, "`\(file)`, line \(index + 1): \(error.description)")
                }
            }
        }
        reportRest(badCount, path)
        return tiles
    }

    private mutating func reportRest(_ badCount: Int, _ path: [String]) {
        let rest = badCount - PlanBuilder.tileProblemsMax
        if rest > 0 { report(path, "and \(rest) more lines that are no tiles") }
    }
}
