import Glibc
package import Metrics
import Synchronization
import TileModel
package import Workload

/// One run from the first renewal to the merged books: starts the reactors, injects faults, watches
/// the clock and the signals, and puts the result together. Blocks the thread that calls `run`.
package final class LoadRun {
    let plan: Plan
    let parts: RunParts
    let tool: ToolFacts
    let signals: SignalWatch
    var hooks: RunHooks
    let tokens: TokenSetup?
    private let memory: RunMemory
    var reactors: [Reactor] = []
    private var threads: [ReactorThread] = []
    private var preflight: Preflight?

    /// The reader of a log that is replayed.
    var log: ReplayLog?

    var context: RunContext?
    var end = RunEnd()
    var injector: Injector
    var startedAtEpochNS: UInt64 = 0
    var generatorStart = GeneratorWatch()
    var clock = RunClock()
    let machine = MachineProbe.facts()
    let scenario: ScenarioFacts
    /// Reactors end a load by its own clock; this is for what is due and finds no place.
    private static let lastStartsNS: UInt64 = 20_000_000
    private var lastProgressNS: UInt64 = 0
    private var lastProgressOK: UInt64 = 0

    /// Throws when the plan asks for something that does not exist, such as bounds without tiles.
    ///
    /// - Parameter memory: That of the run, where this is one of its passes; the first of them
    ///   sends what is to be sent before.
    package init(
        plan: Plan, tool: ToolFacts, signals: SignalWatch, hooks: RunHooks,
        memory: RunMemory? = nil
    ) throws(RunPartsError) {
        self.plan = plan
        self.tool = tool
        self.signals = signals
        self.hooks = hooks
        self.memory = memory ?? RunMemory(seed: plan.seed)
        parts = try RunParts(plan: plan)
        scenario = Self.scenarioFacts(plan)
        tokens = TokenSetup(
            plan: plan, users: parts.users?.usersMax, tokenBytesMax: parts.tokenBytesMax,
            firstAnswer: hooks.tokenAnswer)
        injector = Injector(plan: plan, cells: tokens?.cells, hooks: hooks)
    }

    package func run() -> RunEnd {
        _ = CurlHandle.initialise
        if let notice = tokens?.notice { hooks.onNotice?(notice) }
        let renewalThread = startRenewalThread()
        let problem = prepare()
        if problem == nil {
            startReactors()
            injector.start()
            control()
            for thread in threads { thread.join() }
            log?.stop()
        }
        injector.finish()
        // Renewals still out belong to the books.
        tokens?.cells.shutDown(nowNS: MonotonicClock.nowNS())
        tokens?.queue.closeQueue()
        renewalThread?.join()
        if let problem { finishUnmeasured(problem) } else { finish() }
        for reactor in reactors { reactor.tearDown() }
        return end
    }

    // MARK: before the run

    private func startRenewalThread() -> ReactorThread? {
        guard let tokens, let renewal = tokens.renewal else { return nil }
        let cells = tokens.cells
        return ReactorThread { renewal.run(store: { cells[$0] }) }
    }

    /// Makes what the reactors share; a sentence when the run cannot begin.
    private func prepare() -> String? {
        memory.passes += 1
        if isFirstPass, let problem = sendBefore() { return problem }
        let limit = MachineProbe.raiseDescriptorLimit()
        // An origin in this process holds the other end of each connection.
        let room = max(1, (limit - 64) / (hooks.originThreads > 0 ? 2 : 1))
        if let problem = crowd(room, limit, sharesConnections: plan.mayShareConnections) {
            return problem
        }
        if case .replay(let replay) = plan.workload.kind {
            do throws(LogError) {
                log = try ReplayLog(replay, plan, parts)
            } catch {
                return error.description
            }
        }
        let signals = signals
        let preflight = Preflight(
            origins: parts.templates.hosts(), connection: plan.connection,
            timeoutNS: plan.load.timeouts.requestNS, isCancelled: { signals.isPending })
        if let problem = preflight.problem { return problem }
        if let obstacle = tokens?.obstacle { return obstacle }
        self.preflight = preflight
        let sharesConnections = plan.mayShareConnections && preflight.speaksHTTP2
        if let problem = crowd(room, limit, sharesConnections: sharesConnections) {
            return problem
        }
        if plan.auth?.start == .renew,
            let problem = tokens?.renewFirst(
                isCancelled: { signals.isPending }, say: hooks.onNotice)
        {
            return problem
        }
        let context = RunContext(
            plan: plan, parts: parts, tokens: tokens?.cells, replay: log?.queue,
            reactors: reactorCount(),
            inFlightMax: min(plan.load.inFlightMax, room),
            spread: AddressSpread(plan.connection, reached: preflight.reached),
            speaksHTTP2: preflight.speaksHTTP2,
            runText: memory.runText,
            startNS: MonotonicClock.nowNS() + 10_000_000)
        if plan.load.transport == .direct, let reason = context.transport.reason {
            return "load.transport is `direct`, which cannot carry this run: \(reason)"
        }
        self.context = context
        return nil
    }

    var isFirstPass: Bool { memory.passes == 1 }

    /// A sentence when the users need more connections than there can be.
    private func crowd(_ room: Int, _ limit: Int, sharesConnections: Bool) -> String? {
        guard let users = parts.users?.usersMax else { return nil }
        var needed =
            users * (parts.viewers?.connections(areShared: sharesConnections) ?? 1)
        if let most = plan.connection.maximum {
            needed = min(needed, most * parts.templates.hosts().count)
        }
        guard needed > room else { return nil }
        return "\(users) users need \(needed) connections, but this process may open \(limit)"
            + " descriptors (ulimit -n); raise the limit or lower load.users"
    }

    /// Threads by CPU quota and affinity, less what an origin in this process needs.
    private func reactorCount() -> Int {
        let cores = max(1, Int(MachineProbe.coresAvailable()) - hooks.originThreads)
        var count = plan.load.threads ?? cores
        if let users = parts.users?.usersMax { count = min(count, users) }
        if let viewers = parts.viewers { count = min(count, viewers.count) }
        if let connections = plan.connection.maximum { count = min(count, connections) }
        return max(1, min(count, plan.load.inFlightMax))
    }

    private func startReactors() {
        guard let context else { return }
        for number in 0..<context.reactors {
            let recorder = Recorder(
                hasClientCache: plan.cache.client != nil, serverHeader: plan.cache.serverHeader,
                places: plan.workload.places.count, hasViews: parts.viewers != nil,
                sourceNames: plan.target.document == nil ? [] : plan.target.sources.map(\.name))
            let share = plan.connection.maximum.map {
                $0 / context.reactors + (number < $0 % context.reactors ? 1 : 0)
            }
            let reactor = Reactor(
                context: context, number: number, recorder: recorder,
                caches: memory.caches(forReactor: number, plan.cache.client),
                connectionsMax: share)
            reactors.append(reactor)
        }
        // Opened before the first request, and in the books as the server has them.
        for (_, address) in preflight?.reached ?? [] {
            reactors.first?.recorder.connectionOpened(address: address)
        }
        tokens?.cells.hub.news.set(reactors.map(\.news))
        startedAtEpochNS = MonotonicClock.epochNS() &+ (context.t0NS &- MonotonicClock.nowNS())
        clock = RunClock(context: context, plan: plan)
        log?.start()
        threads = reactors.map { reactor in ReactorThread { reactor.run() } }
    }

    // MARK: the control loop

    /// Until all reactors are done: signals, injections, ends, checkpoints, progress.
    private func control() {
        guard let context else { return }
        while !reactors.allSatisfy({ $0.pulse.isDone.load(ordering: .acquiring) }) {
            let now = MonotonicClock.nowNS()
            clock.note(now, hasStartedAll: hasStartedAll)
            generatorStart.note(now, t0NS: context.t0NS, endNS: clock.startEndNS)
            injector.run(now, t0NS: context.t0NS, endNS: clock.startEndNS)
            advancePhase(now)
            lookForStartRefusal()
            watchBooks(now)
            progress(now)
            let wait = min(
                20_000_000, injector.waitNS(now, t0NS: context.t0NS, endNS: clock.startEndNS))
            if let number = signals.next(withinNS: wait) { take(signal: number) }
        }
        clock.noteDone(MonotonicClock.nowNS())
    }

    private var hasStartedAll: Bool {
        reactors.allSatisfy { $0.pulse.hasStartedAll.load(ordering: .relaxed) }
    }

    private func take(signal number: Int32) {
        let now = MonotonicClock.nowNS()
        if end.signal == nil {
            end.signal = number
            stopStarting(now, graceMaxNS: 4_000_000_000)
        } else {
            clock.giveUpNS = now
        }
        advancePhase(now)
    }

    /// Ends the run early, in order.
    func stopStarting(_ nowNS: UInt64, graceMaxNS: UInt64) {
        guard let context else { return }
        clock.stopEarly(nowNS, graceMaxNS: graceMaxNS)
        context.control.startEndNS.store(clock.startEndNS, ordering: .releasing)
        context.control.advance(to: .draining)
        wakeReactors()
    }

    private func wakeReactors() {
        for reactor in reactors { reactor.loop.wake() }
    }

    private func advancePhase(_ nowNS: UInt64) {
        guard let context else { return }
        if nowNS >= clock.giveUpNS {
            context.control.advance(to: .stopping)
            wakeReactors()
        } else if nowNS >= clock.startEndNS, nowNS - clock.startEndNS >= Self.lastStartsNS {
            context.control.advance(to: .draining)
        }
    }

    /// Exit 3 early: when the token is refused from the start nothing will ever be measured.
    private func lookForStartRefusal() {
        guard end.unmeasurable == nil, let tokens else { return }
        let accepted = reactors.reduce(0) { $0 + $1.pulse.accepted.load(ordering: .relaxed) }
        guard accepted == 0 else { return }
        let refusals = reactors.reduce(0) { $0 + $1.pulse.refusals.load(ordering: .relaxed) }
        if plan.auth?.renewal == nil {
            guard refusals >= 10 else { return }
            end.unmeasurable = "the static token is refused: \(refusals) refusals and no tile"
        } else if tokens.cells.isCold, tokens.hasGivenUp {
            let reason = tokens.renewal?.currentTally().lastFailure ?? "the renewal failed"
            end.unmeasurable = "no token could be had: \(reason)"
        } else {
            return
        }
        clock.giveUpNS = MonotonicClock.nowNS()
        advancePhase(clock.giveUpNS)
    }

    // MARK: what others see

    private func watchBooks(_ nowNS: UInt64) {
        guard let context else { return }
        let isCheckpoint = clock.isCheckpointDue(nowNS) && hooks.onCheckpoint != nil
        let isAbortLook = clock.isAbortLookDue(nowNS) && hooks.abortReason != nil
        if isCheckpoint || isAbortLook { context.control.booksAsked.add(1, ordering: .releasing) }
        let books = reactors.map { $0.handOver.take() }
        for (index, book) in books.enumerated() {
            // A reactor that is done gives no more books, and its own may be read.
            let isDone = reactors[index].pulse.isDone.load(ordering: .acquiring)
            if let book = book ?? (isDone ? reactors[index].recorder.result : nil) {
                clock.books[index] = book
            }
        }
        let complete = clock.books.compactMap { $0 }
        guard complete.count == reactors.count, !complete.isEmpty else { return }
        clock.books = clock.books.map { _ in nil }
        let soFar = assemble(complete, nowNS: nowNS)
        if clock.wantsCheckpoint {
            clock.wantsCheckpoint = false
            hooks.onCheckpoint?(soFar)
        }
        if end.result.run.aborted == nil, let reason = hooks.abortReason?(soFar) {
            end.result.run.aborted = reason
            stopStarting(nowNS, graceMaxNS: plan.load.graceNS)
        }
    }

    private func progress(_ nowNS: UInt64) {
        guard let context, let onProgress = hooks.onProgress,
            nowNS &- lastProgressNS >= 200_000_000
        else { return }
        func sum(_ figure: (ReactorPulse) -> UInt64) -> UInt64 {
            reactors.reduce(0) { $0 + figure($1.pulse) }
        }
        var snapshot = ProgressSnapshot()
        snapshot.elapsedNS = context.fromT0(nowNS)
        snapshot.phase =
            snapshot.elapsedNS < 0
            ? .warmup : (nowNS < clock.startEndNS && !hasStartedAll ? .measuring : .draining)
        snapshot.durationNS = plan.load.durationNS
        // What viewers are limited by are views.
        snapshot.planned = parts.viewers == nil ? parts.indexLimit : nil
        snapshot.started = sum { $0.started.load(ordering: .relaxed) }
        snapshot.ok = sum { $0.ok.load(ordering: .relaxed) }
        snapshot.failed = sum { $0.failed.load(ordering: .relaxed) }
        snapshot.inFlight = sum { $0.inFlight.load(ordering: .relaxed) }
        snapshot.parked = sum { $0.parked.load(ordering: .relaxed) }
        snapshot.refusals = sum { $0.refusals.load(ordering: .relaxed) }
        snapshot.renewals = tokens?.renewal?.currentTally().succeeded ?? 0
        if lastProgressNS > 0 {
            let seconds = Double(nowNS - lastProgressNS) / 1e9
            snapshot.okPerS = Double(snapshot.ok &- lastProgressOK) / seconds
        }
        var recent = PackedHistogram()
        for reactor in reactors { recent.add(reactor.handOver.latestRecent()) }
        if recent.count > 0 {
            snapshot.p50NS = recent.percentileNS(0.5)
            snapshot.p99NS = recent.percentileNS(0.99)
        }
        lastProgressNS = nowNS
        lastProgressOK = snapshot.ok
        onProgress(snapshot)
    }
}
