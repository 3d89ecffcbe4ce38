import JSONText
import TileModel

extension PlanBuilder {
    mutating func buildWorkload(_ section: Section) {
        let kind = section.text("kind") ?? "popular"
        checkKeys(of: kind, section)
        readZooms(section)
        readBounds(section)
        readPlaces(section)
        if let think = section.uint("think") { plan.workload.thinkNS = think }
        if kind == "viewers" || kind == "replay" { refuseOwnGrids(kind) }
        switch kind {
        case "list":
            plan.workload.kind = .list(tiles(section))
        case "pyramid":
            plan.workload.kind = .pyramid(
                order: section.word("order", WorkloadPlan.Order.self) ?? .rows)
        case "viewers":
            plan.workload.kind = .viewers(viewers(section))
        case "replay":
            plan.workload.kind = .replay(replay(section))
            return
        default:
            plan.workload.kind = .popular(
                exponent: section.double("zipf") ?? 1, weights: weights(section))
        }
        guard problems.isEmpty else { return }
        readWeights(section)
        guard problems.isEmpty else { return }
        do throws(SelectionError) {
            if case .viewers(let viewers) = plan.workload.kind {
                _ = try ViewerRules(
                    viewers: viewers, workload: plan.workload,
                    target: ViewerRules.Target(sources: plan.target.sources), seed: plan.seed)
            } else {
                noteListed(
                    try RequestStream(
                        workload: plan.workload, sources: plan.target.sources, seed: plan.seed))
            }
        } catch {
            report(section.path, error.description)
        }
    }

    /// Views, and the tiles of logs, are those of the Web Mercator pyramid.
    private mutating func refuseOwnGrids(_ kind: String) {
        for source in plan.target.sources where !source.followsWebMercator {
            report(
                documentPath,
                "source \"\(source.name)\" has a grid of its own, no Web Mercator, which kind"
                    + " \"\(kind)\" cannot ask for",
                hint:
                    "kinds \"popular\", \"pyramid\" and \"list\" count in its own tiles; or take a"
                    + " tileMatrixSet in EPSG:3857")
        }
    }

    private static let choosing = ["popular", "viewers"]
    private static let keyOwners: [(key: String, kinds: [String])] = [
        ("cancel", ["viewers"]), ("client", ["viewers"]), ("dwell", ["viewers"]),
        ("file", ["replay"]), ("format", ["replay"]), ("moves", ["viewers"]),
        ("order", ["pyramid"]), ("places", choosing), ("speed", ["replay"]), ("tiles", ["list"]),
        ("viewport", ["viewers"]), ("weights_file", choosing), ("zipf", choosing),
        ("zoom_weights", choosing),
    ]

    /// Keys that only some kinds look at: elsewhere they would be ignored in silence.
    private mutating func checkKeys(of kind: String, _ section: Section) {
        for (key, kinds) in PlanBuilder.keyOwners
        where !kinds.contains(kind) && isWritten(key) {
            let owners = kinds.map { "\"\($0)\"" }.joined(separator: " and ")
            report(
                section.path + [key],
                "`\(key)` is for kind \(owners) only, this is \"\(kind)\"",
                hint: "\"kind\": \"\(kinds[0])\"")
        }
        if kind == "viewers", scenario.isWritten("workload", "think") {
            report(
                section.path + ["think"], "`think` is not for viewers: they look at each view",
                hint: "`dwell` says how long")
        }
        if kind != "viewers", scenario.isWritten("connection", "per_user") {
            report(
                ["connection", "per_user"],
                "`per_user` is for kind \"viewers\" only: other users have one connection",
                hint: "\"kind\": \"viewers\", or leave it out")
        }
        guard kind == "list" || kind == "replay" else { return }
        for key in ["bounds", "zooms"] where scenario.isWritten("workload", key) {
            note(
                "workload.\(key) has no meaning for a \(kind): its tiles are asked for as they are")
        }
    }

    /// An object is written where something in it is.
    private func isWritten(_ key: String) -> Bool {
        let members = scenario.written["workload"]?[key]?.members
        return scenario.isWritten("workload", key)
            && members?.allSatisfy(\.node.isNull) != true
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

    mutating func weights(_ section: Section) -> WorkloadPlan.ZoomWeights {
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
}
