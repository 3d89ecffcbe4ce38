import JSONText
import TileModel

/// Places, weights of tiles, viewers and logs.
extension PlanBuilder {
    mutating func readPlaces(_ section: Section) {
        let elements = section.elements("places")
        guard !elements.isEmpty else { return }
        if scenario.isWritten("workload", "bounds") {
            report(
                section.path + ["bounds"], "`bounds` and `places` exclude each other",
                hint: "each place has its own `bounds`")
        }
        for element in elements {
            guard let name = element.text("name"),
                let box = element.node["bounds"]?.array?.compactMap(\.double), box.count == 4
            else { continue }
            if plan.workload.places.contains(where: { $0.name == name }) {
                report(element.path + ["name"], "there are two places `\(name)`")
            }
            do throws(GeoBoundsError) {
                let bounds = try GeoBounds(
                    west: box[0], south: box[1], east: box[2], north: box[3])
                plan.workload.places.append(
                    PlacePlan(name: name, bounds: bounds, weight: element.double("weight") ?? 1))
            } catch {
                report(element.path + ["bounds"], error.description)
            }
        }
        if problems.isEmpty, plan.workload.places.allSatisfy({ $0.weight == 0 }) {
            report(section.path + ["places"], "no weight is more than 0")
        }
    }

    mutating func readWeights(_ section: Section) {
        guard let file = section.text("weights_file") else { return }
        let path = section.path + ["weights_file"]
        for key in ["zipf", "zoom_weights"] where scenario.isWritten("workload", key) {
            report(
                section.path + [key], "`\(key)` and `weights_file` exclude each other",
                hint: "the file says how often each tile is asked for")
        }
        let boxes =
            plan.workload.places.isEmpty
            ? plan.workload.bounds.map { [$0] } ?? [] : plan.workload.places.map(\.bounds)
        do throws(LogError) {
            let weights = try TileWeights(
                path: file, file: file, zooms: plan.workload.zooms, regions: boxes)
            plan.workload.tileWeights = weights
            let counts = weights.counts
            let odd = counts.bad + counts.noTile + counts.tooLong
            if odd > 0 {
                note(
                    "`\(file)`: \(odd) of \(counts.lines) lines are no tiles of the form"
                        + " `z/x/y N` and are left out")
            }
            if weights.isSampled {
                note(
                    "`\(file)` has \(counts.tiles) tiles: of the rare ones a sample of"
                        + " \(TileWeights.tilesMax) in all stands for the rest")
            }
        } catch {
            report(path, error.description)
        }
    }

    mutating func viewers(_ section: Section) -> ViewerPlan {
        var viewers = ViewerPlan()
        if let client = section.word("client", ViewerClient.self) { viewers.client = client }
        if let size = section.node["viewport"]?.array?.compactMap(\.int), size.count == 2 {
            (viewers.viewportWidthPixels, viewers.viewportHeightPixels) = (size[0], size[1])
        }
        let moves = section.section("moves")
        viewers.moves.pan = moves.double("pan") ?? viewers.moves.pan
        viewers.moves.zoomIn = moves.double("zoom_in") ?? viewers.moves.zoomIn
        viewers.moves.zoomOut = moves.double("zoom_out") ?? viewers.moves.zoomOut
        if let dwell = section.uint("dwell") { viewers.dwellNS = dwell }
        if let cancels = section.bool("cancel") { viewers.cancels = cancels }
        viewers.zipf = section.double("zipf") ?? viewers.zipf
        viewers.zoomWeights = weights(section)
        if viewers.client == .mapkit { note("workload.client: " + viewers.client.summary) }
        return viewers
    }

    mutating func replay(_ section: Section) -> ReplayPlan {
        let path = section.path + ["file"]
        var replay = ReplayPlan(file: section.text("file") ?? "")
        if scenario.written.at(pointer: JSONPointer.join(path))?.string == ReplayPlan.standardInput
            || scenario.overrides.contains(where: {
                $0.path == path && $0.value.string == ReplayPlan.standardInput
            })
        {
            replay.file = ReplayPlan.standardInput
        }
        if let format = section.word("format", ReplayPlan.Format.self) { replay.format = format }
        replay.speed = section.double("speed") ?? 1
        guard !replay.file.isEmpty else {
            if !isBroken(path) {
                report(
                    section.path, "kind \"replay\" needs `file`",
                    hint: "an access log, or \"-\" for standard input")
            }
            return replay
        }
        guard replay.file != ReplayPlan.standardInput, problems.isEmpty else { return replay }
        do throws(LogError) {
            _ = try ReplayReader(
                plan: replay, path: replay.file, templates: templates,
                sources: plan.target.sources)
        } catch {
            report(path, error.description)
        }
        return replay
    }

    /// What a replay and its load say together.
    mutating func checkReplay() {
        guard case .replay(let replay) = plan.workload.kind else { return }
        if plan.load.shape != .logged, scenario.isWritten("workload", "speed") {
            report(
                ["workload", "speed"],
                "`speed` is for the log's own times, but load says when to ask",
                hint: "leave out load.users, load.rate and load.stages, or `speed`")
        }
        if plan.load.shape == .logged, plan.load.count != nil, plan.load.warmupNS > 0 {
            report(
                ["load", "warmup"], "`warmup` and `count` exclude each other at a log's own times",
                hint: "`for` says how long the measured part is")
        }
        if replay.file == ReplayPlan.standardInput,
            plan.load.count != nil || plan.load.durationNS != nil
        {
            note("standard input can be read once: the load ends with it")
        }
    }
}
