import JSONText

extension PlanBuilder {
    mutating func buildLoad(_ section: Section) {
        plan.load.shape = shape(section)
        readExtent(section)
        if plan.load.isOpen, plan.workload.thinkNS > 0 {
            report(
                ["workload", "think"],
                "`think` is for a closed load only: an open one has no users",
                hint: "give users instead of a rate, or leave it out")
        }
        if let warmup = section.uint("warmup") { plan.load.warmupNS = warmup }
        checkReplay()
        plan.load.threads = section.int("threads")
        if let transport = section.word("transport", LoadPlan.Transport.self) {
            plan.load.transport = transport
        }
        if let count = section.int("max_in_flight") { plan.load.inFlightMax = count }
        if let grace = section.uint("grace") { plan.load.graceNS = grace }
        if let timeout = section.uint("timeout") { plan.load.timeouts.requestNS = timeout }
        let timeouts = section.section("timeouts")
        plan.load.timeouts.connectNS = timeouts.uint("connect")
        plan.load.timeouts.tlsNS = timeouts.uint("tls")
        plan.load.timeouts.firstByteNS = timeouts.uint("first_byte")
        plan.load.timeouts.bodyNS = timeouts.uint("body")
        if case .users(let count) = plan.load.shape, count > plan.load.inFlightMax {
            note(
                "load.max_in_flight holds \(count) users at \(plan.load.inFlightMax) asks at a time"
            )
        }
    }

    private mutating func shape(_ section: Section) -> LoadPlan.Shape {
        let written = ["users", "rate", "stages"].filter { scenario.isWritten("load", $0) }
        for extra in written.dropFirst() {
            report(
                section.path + [extra], "`\(extra)` and `\(written[0])` exclude each other",
                hint: "a load is closed (users), open (rate), or in stages of one of them")
        }
        let arrivals = section.word("arrivals", LoadPlan.Arrivals.self) ?? .constant
        let shape: LoadPlan.Shape
        if case .replay = plan.workload.kind, written.isEmpty {
            shape = .logged
        } else if written.first == "stages" {
            shape = stages(section, arrivals)
        } else if written.first == "rate" {
            shape = .rate(perSecond: section.double("rate") ?? 1, arrivals: arrivals)
        } else {
            shape = .users(section.int("users") ?? 10)
        }
        switch shape {
        case .users, .userStages, .logged:
            if arrivals == .poisson {
                report(
                    section.path + ["arrivals"],
                    shape == .logged
                        ? "`arrivals` is for a rate: the log says when to ask"
                        : "`arrivals` is for an open load only",
                    hint: "give a rate instead of users")
            }
        case .rate, .rateStages: break
        }
        return shape
    }

    private mutating func stages(
        _ section: Section, _ arrivals: LoadPlan.Arrivals
    ) -> LoadPlan.Shape {
        var stages: [LoadPlan.Stage] = []
        var keys: Set<String> = []
        for element in section.elements("stages") {
            let written = ["rate", "users"].filter { scenario.isWritten(at: element.path + [$0]) }
            guard written.count == 1 else {
                report(
                    element.path, "a stage needs either `rate` or `users`",
                    hint: "as {\"for\": \"30s\", \"rate\": \"0/s -> 5000/s\"}")
                continue
            }
            keys.insert(written[0])
            guard let duration = element.uint("for"),
                let ramp = element.node[written[0]]?.array?.compactMap(\.double), ramp.count == 2
            else { continue }
            stages.append(LoadPlan.Stage(durationNS: duration, from: ramp[0], to: ramp[1]))
        }
        let path = section.path + ["stages"]
        if keys.count > 1 { report(path, "the stages are of rate or of users, not of both") }
        if !stages.isEmpty, stages.allSatisfy({ $0.from == 0 && $0.to == 0 }) {
            report(path, "no stage has a load of more than 0")
        }
        return keys.contains("users")
            ? .userStages(stages) : .rateStages(stages, arrivals: arrivals)
    }

    private mutating func readExtent(_ section: Section) {
        plan.load.count = section.uint("count")
        plan.load.durationNS = section.uint("for")
        switch plan.load.shape {
        case .userStages(let stages), .rateStages(let stages, _):
            if scenario.isWritten("load", "for") {
                report(
                    section.path + ["for"], "`for` and `stages` exclude each other",
                    hint: "each stage has its own `for`")
            }
            let sum = stages.reduce(0.0) { $0 + Double($1.durationNS) }
            guard sum <= Double(UnitText.durationMaxNS) else {
                report(section.path + ["stages"], "the stages are too long")
                return
            }
            plan.load.durationNS = stages.reduce(0) { $0 + $1.durationNS }
        case .users, .rate, .logged:
            guard plan.load.count == nil, plan.load.durationNS == nil else { return }
            switch plan.workload.kind {
            case .popular, .viewers: plan.load.durationNS = 10_000_000_000
            case .list, .pyramid, .replay: break
            }
        }
    }
}
