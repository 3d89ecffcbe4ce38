import JSONText
import TileModel

extension Plan {
    var workloadMembers: [(String, JSONNode)] {
        let think = ("think", duration(workload.thinkNS))
        var members: [(String, JSONNode)]
        switch workload.kind {
        case .list(let tiles):
            let list = JSONNode.array(tiles.map { .string($0.description) })
            return [
                ("kind", .string("list")), ("tiles", workload.tilesFile.map(text) ?? list), think,
            ]
        case .pyramid(let order):
            members = [("kind", .string("pyramid")), ("order", .string(order.rawValue))]
        case .popular(let exponent, let weights):
            members = [("kind", .string("popular"))] + popularityMembers(exponent, weights)
        case .viewers(let viewers):
            members = viewerMembers(viewers)
        case .replay(let replay):
            return replayMembers(replay) + (load.isOpen ? [] : [think])
        }
        if let box = workload.bounds { members.append(("bounds", bounds(box))) }
        if !workload.places.isEmpty {
            members.append(("places", .array(workload.places.map(place))))
        }
        let zooms = workload.zooms
        members.append(("zooms", .array([.int(zooms.lowerBound), .int(zooms.upperBound)])))
        if case .viewers = workload.kind { return members }
        return members + [think]
    }

    var loadMembers: [(String, JSONNode)] {
        var members = shapeMembers
        if let count = load.count { members.append(("count", .uint(count))) }
        members.append(("warmup", duration(load.warmupNS)))
        if let threads = load.threads { members.append(("threads", .int(threads))) }
        var timeouts: [(String, JSONNode)] = []
        for (name, value) in [
            ("connect", load.timeouts.connectNS), ("tls", load.timeouts.tlsNS),
            ("first_byte", load.timeouts.firstByteNS), ("body", load.timeouts.bodyNS),
        ] {
            if let value { timeouts.append((name, duration(value))) }
        }
        return members + [
            ("transport", .string(load.transport.rawValue)),
            ("max_in_flight", .int(load.inFlightMax)),
            ("timeout", duration(load.timeouts.requestNS)), ("timeouts", .object(timeouts)),
            ("grace", duration(load.graceNS)),
        ]
    }

    private var shapeMembers: [(String, JSONNode)] {
        var members: [(String, JSONNode)]
        switch load.shape {
        case .users(let count): members = [("users", .int(count))]
        case .rate(let perSecond, let arrivals):
            members = [
                ("rate", .string(UnitText.text(perSecond: perSecond))),
                ("arrivals", .string(arrivals.rawValue)),
            ]
        case .userStages(let stages):
            return [("stages", .array(stages.map { stage($0, "users", UnitText.plain) }))]
        case .rateStages(let stages, let arrivals):
            let list = stages.map { stage($0, "rate", UnitText.text(perSecond:)) }
            return [("stages", .array(list)), ("arrivals", .string(arrivals.rawValue))]
        case .logged: members = []
        }
        if let length = load.durationNS { members.append(("for", duration(length))) }
        return members
    }

    private func stage(
        _ stage: LoadPlan.Stage, _ key: String, _ write: (Double) -> String
    ) -> JSONNode {
        .object([
            ("for", duration(stage.durationNS)),
            (key, .string("\(write(stage.from)) -> \(write(stage.to))")),
        ])
    }
}
