import JSONText
import TileModel

extension Plan {
    /// The exponent and the weights of zooms, or the log that has both.
    func popularityMembers(
        _ exponent: Double, _ weights: WorkloadPlan.ZoomWeights
    ) -> [(String, JSONNode)] {
        if let tileWeights = workload.tileWeights {
            return [("weights_file", text(tileWeights.file))]
        }
        let zooms: JSONNode =
            switch weights {
            case .osm: .string("osm")
            case .weights(let list): .array(list.map { .double($0) })
            }
        return [("zipf", .double(exponent)), ("zoom_weights", zooms)]
    }

    func viewerMembers(_ viewers: ViewerPlan) -> [(String, JSONNode)] {
        [
            ("kind", .string("viewers")), ("client", .string(viewers.client.rawValue)),
            (
                "viewport",
                .array([.int(viewers.viewportWidthPixels), .int(viewers.viewportHeightPixels)])
            ),
            (
                "moves",
                .object([
                    ("pan", .double(viewers.moves.pan)),
                    ("zoom_in", .double(viewers.moves.zoomIn)),
                    ("zoom_out", .double(viewers.moves.zoomOut)),
                ])
            ),
            ("dwell", duration(viewers.dwellNS)), ("cancel", .bool(viewers.cancels)),
        ] + popularityMembers(viewers.zipf, viewers.zoomWeights)
    }

    func replayMembers(_ replay: ReplayPlan) -> [(String, JSONNode)] {
        var members: [(String, JSONNode)] = [
            ("kind", .string("replay")), ("file", text(replay.file)),
            ("format", .string(replay.format.rawValue)),
        ]
        if load.shape == .logged { members.append(("speed", .double(replay.speed))) }
        return members
    }

    func bounds(_ box: GeoBounds) -> JSONNode {
        .array([box.west, box.south, box.east, box.north].map { .double($0) })
    }

    func place(_ place: PlacePlan) -> JSONNode {
        .object([
            ("name", text(place.name)), ("bounds", bounds(place.bounds)),
            ("weight", .double(place.weight)),
        ])
    }
}
