import JSONText
import TileModel

/// The tiles of a list.
extension PlanBuilder {
    /// A list is asked for as it is, but for what no source has.
    mutating func noteListed(_ stream: RequestStream) {
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

    mutating func tiles(_ section: Section) -> [TileID] {
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
