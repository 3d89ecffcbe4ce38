import Glibc
import Metrics
import Workload

/// Carries out the faults on purpose. Control thread only, but for requests that revoke.
struct Injector {
    let log = InjectionLog()
    private var schedule: InjectionSchedule
    private let plan: Plan
    private let cells: TokenCells?
    private let hooks: RunHooks
    private let hook: HookThread?
    private var hookThread: ReactorThread?
    /// Faults of the embedded origin that last now, the newest last.
    private var renewalFaults: [(number: Int, fault: InjectionPlan.RenewalFault)] = []
    private var tileFaults: [(number: Int, fault: InjectionPlan.TileFault)] = []

    init(plan: Plan, cells: TokenCells?, hooks: RunHooks) {
        self.plan = plan
        self.cells = cells
        self.hooks = hooks
        schedule = InjectionSchedule(plan.injections)
        let revokes = plan.injections.contains { if case .revoke = $0.kind { true } else { false } }
        hook = cells.flatMap { [log] cells in
            revokes
                ? HookThread(
                    connection: plan.connection, secrets: plan.secrets, cells: cells, log: log)
                : nil
        }
    }

    /// Before the first `run`.
    mutating func start() {
        hookThread = hook.map { hook in ReactorThread { hook.run() } }
    }

    /// Does what is due.
    mutating func run(_ nowNS: UInt64, t0NS: UInt64, endNS: UInt64) {
        for step in schedule.due(nowNS, t0NS: t0NS, endNS: endNS) {
            switch step {
            case .begin(let injection, let number): begin(injection, number)
            case .end(let injection, let number): end(injection, number)
            }
        }
    }

    func waitNS(_ nowNS: UInt64, t0NS: UInt64, endNS: UInt64) -> UInt64 {
        schedule.waitNS(nowNS, t0NS: t0NS, endNS: endNS)
    }

    /// The run is over: requests that are out are cut off, and faults have lasted until now.
    mutating func finish() {
        hook?.close()
        hookThread?.join()
        let nowNS = MonotonicClock.nowNS()
        for number in renewalFaults.map(\.number) + tileFaults.map(\.number) {
            log.done(number, cells: 0, atNS: nowNS)
        }
    }

    // MARK: parts

    private mutating func begin(_ injection: InjectionPlan, _ number: Int) {
        log.begin(injection.kind, atNS: MonotonicClock.nowNS())
        switch injection.kind {
        case .poison(let poison):
            tell(number, cells: poisonCells(poison, injection, number))
        case .origin:
            tell(number, cells: revokeAtOrigin(injection, number))
        case .revoke(let hook):
            order(hook, injection, number)
        case .renewal(let fault):
            renewalFaults.append((number, fault))
            hooks.setRenewalFault?(fault)
        case .tiles(let fault):
            tileFaults.append((number, fault))
            hooks.setTileFault?(fault)
        }
    }

    /// The one that began before it goes on, if it still lasts.
    private mutating func end(_ injection: InjectionPlan, _ number: Int) {
        switch injection.kind {
        case .renewal:
            renewalFaults.removeAll { $0.number == number }
            hooks.setRenewalFault?(renewalFaults.last?.fault)
        case .tiles:
            tileFaults.removeAll { $0.number == number }
            hooks.setTileFault?(tileFaults.last?.fault)
        case .poison, .revoke, .origin:
            return
        }
        log.done(number, cells: 0, atNS: MonotonicClock.nowNS())
    }

    private func tell(_ number: Int, cells: Int) {
        log.done(number, cells: cells, atNS: MonotonicClock.nowNS())
        if cells == 0 { log.miss() }
    }

    private func poisonCells(
        _ poison: InjectionPlan.Poison, _ injection: InjectionPlan, _ number: Int
    ) -> Int {
        guard let cells else { return 0 }
        var withoutOld = false
        let hit = chosen(injection, number).count { cell in
            cells[cell].poison(
                { previous in
                    if poison == .old, previous.isEmpty { withoutOld = true }
                    return poison.text(previous: previous)
                }, injection: number, nowNS: MonotonicClock.nowNS())
        }
        if withoutOld {
            log.fail(
                "there was no older token yet: a text that was never one was sent in its place",
                atNS: MonotonicClock.nowNS())
        }
        return hit
    }

    /// Our tokens as they were before it are dead from its return on.
    private func revokeAtOrigin(_ injection: InjectionPlan, _ number: Int) -> Int {
        guard let cells, let revoke = hooks.revokeOrigin else { return 0 }
        let tokens = cells.tokensInUse()
        let names = revoke(injection.share)
        let nowNS = MonotonicClock.nowNS()
        let isHit = Set(names.compactMap { Int($0) })
        // A share of 1 is everybody, whatever they are called there.
        let dead = tokens.filter { injection.share == 1 || isHit.contains($0.cell) }
        for token in dead { cells[token.cell].revoked(token, injection: number, nowNS: nowNS) }
        return dead.count
    }

    private func order(_ hookPlan: HookPlan, _ injection: InjectionPlan, _ number: Int) {
        guard let cells, let hook else { return }
        let isHit = Set(chosen(injection, number))
        let tokens = cells.tokensInUse().filter { isHit.contains($0.cell) }
        func call(_ user: Int, _ tokens: [TokenCells.Token]) -> HookThread.Call {
            HookThread.Call(
                request: OneShot.Request(
                    hook: hookPlan, user: user, userAgent: plan.target.userAgent),
                tokens: tokens)
        }
        let calls =
            hookPlan.isPerUser ? tokens.map { call($0.cell, [$0]) } : [call(0, tokens)]
        hook.order(HookThread.Job(number: number, calls: calls))
    }

    /// The cells that it hits: as many as its share is when rounded, but one at least; chosen by
    /// the seed and its number.
    private func chosen(_ injection: InjectionPlan, _ number: Int) -> [Int] {
        let count = cells?.stores.count ?? 0
        guard injection.share < 1, count > 1 else { return Array(0..<count) }
        let wanted = max(1, Int((Double(count) * injection.share).rounded()))
        let random = SeededRandom(seed: plan.seed, stream: .injections).part(UInt64(number))
        let order = (0..<count).sorted {
            (random.bits(at: UInt64($0)), $0) < (random.bits(at: UInt64($1)), $1)
        }
        return Array(order.prefix(wanted))
    }
}

extension InjectionPlan.Poison {
    /// The text put in place of the token.
    func text(previous: String) -> String {
        switch self {
        case .garbage: "tilebench-poison-" + String(UInt64.random(in: .min ... .max), radix: 16)
        case .empty: ""
        // Before the first renewal there is no older token.
        case .old: previous.isEmpty ? "tilebench-poison-old" : previous
        }
    }
}

extension InjectionPlan.Kind {
    var poison: InjectionPlan.Poison? { if case .poison(let poison) = self { poison } else { nil } }

    /// As the scenario says it.
    var text: String {
        switch self {
        case .poison: "poison"
        case .revoke: "revoke"
        case .origin: "origin"
        case .renewal(let fault): "renewal:\(fault.rawValue)"
        case .tiles(let fault): "tiles:\(fault.rawValue)"
        }
    }
}
