import CLinux
import Metrics
import Synchronization
import TileModel
import Workload

/// One thread with one epoll: it starts what is due, carries it through its transport, and keeps
/// its own books. Nothing it owns is shared; what is shared (control, tokens, pulse) says so
/// itself.
///
/// There is one loop for every load shape: a turn takes the news, lets waiting asks go, starts what
/// is due, hands asks to the transport and waits for the next thing to happen.
final class Reactor: @unchecked Sendable {
    // Sendable: made by the control thread, then touched by its own thread only until joined.
    let context: RunContext
    let number: Int
    let loop: EventLoop
    let transport: Transport
    let recorder: Recorder
    let pulse = ReactorPulse()
    let handOver = BooksHandOver()

    var pool: SlotPool
    /// Asks to be handed over: in order, and those that wait for their turn to connect.
    var runQueue = SlotList()
    var connectQueue = SlotList()
    /// Asks with the transport or on their way to it: what `max_in_flight` bounds.
    let inFlightMax: Int

    let headers: HeaderSet
    let hasTokens: Bool
    /// False: what has been handed over goes out although its token was replaced meanwhile.
    let rechecksTokens: Bool
    let cells: CellViews
    let news: NewsBox
    var newsTaken: [Int32] = []
    /// Cells with asks that are parked or held, and those that let some go.
    var waitingCells: [Int32] = []
    var releasingCells: [Int32] = []
    /// Asks in the lists of all cells: parked or to be let go, and held.
    var parkedCount = 0
    var heldCount = 0

    var open: OpenLoad?
    var closed: ClosedLoad?
    let viewers: ViewerLoad?
    let replay: ReplayLoad?
    let caches: ClientCaches?
    let cacheKeys: CacheKeys?

    /// Monotonic ns after which nothing starts; `.max`: no such time.
    var startEndNS: UInt64 = .max
    var hasStartedLast = false
    var booksGiven: UInt64 = 0
    /// Answers that were no refusals.
    var acceptedCount: UInt64 = 0
    var recentGivenS: Int64 = 0
    var nextPulseNS: UInt64 = 0
    var nextSweepNS: UInt64 = 0
    /// Time that sweeps came late by, all together.
    var keptNS: UInt64 = 0
    /// CPU and allocation at T0 and at the end of the measured part.
    var marks = ReactorMarks()
    #if DEBUG
        /// When the turn under way began, and the longest one: how exact a sum of times can be on a
        /// machine that keeps this thread from its work.
        var turnBeganNS: UInt64 = 0
        var turnLongestNS: UInt64 = 0
    #endif

    init(
        context: RunContext, number: Int, recorder: Recorder, caches: ClientCaches?,
        connectionsMax: Int?
    ) {
        self.context = context
        self.number = number
        self.recorder = recorder
        loop = EventLoop()
        let plan = context.plan
        inFlightMax = context.inFlightPerReactor
        switch context.transport.kind {
        case .direct:
            transport = DirectTransport(
                context: context, number: number, loop: loop, inFlightMax: inFlightMax,
                connectionsMax: connectionsMax)
        case .libcurl:
            transport = CurlTransport(
                context: context, number: number, loop: loop, inFlightMax: inFlightMax,
                connectionsMax: connectionsMax)
        }
        viewers = context.viewers.map {
            ViewerLoad(rules: $0.rules, viewers: $0.count, context: context, reactor: number)
        }
        replay = context.replay.map { ReplayLoad($0, context: context) }
        pool = SlotPool(limit: context.slotsPerReactor)
        headers = HeaderSet(
            plan: plan, asksPacked: context.transport.kind == .direct || !context.looksAtBodies)
        hasTokens = context.tokens != nil
        rechecksTokens = !(plan.auth.map { Deviations($0.client).contains(.noRecheck) } ?? false)
        news = NewsBox(loop: loop)
        let isOwn = context.tokens?.isPerUser ?? false
        cells = CellViews(
            context.tokens, reactor: number, reactors: context.reactors,
            release: ReleaseState(
                plan.auth?.release ?? .all, reactor: isOwn ? 0 : number,
                reactors: isOwn ? 1 : context.reactors))
        self.caches = caches
        cacheKeys = caches.map { _ in CacheKeys(context: context) }
        if let durationNS = plan.load.durationNS { startEndNS = context.t0NS + durationNS }
        if viewers != nil || replay?.isTimed == true {
            // They have their own.
        } else if context.pacer != nil {
            open = OpenLoad(context: context, first: number, stride: context.reactors)
        } else if let users = context.users {
            closed = ClosedLoad(users: users, context: context, reactor: number)
        }
        transport.reactor = self
    }

    /// The thread's body.
    func run() {
        tb_name_thread("reactor \(number)")
        tb_set_timer_slack(1)
        let events = UnsafeMutablePointer<epoll_event>.allocate(capacity: EventLoop.eventsMax)
        while turn(MonotonicClock.nowNS()) {
            wait(events, MonotonicClock.nowNS())
        }
        tellNotStarted()
        marks.noteEnd(requests: recorder.snapshot.requests)
        publishPulse(MonotonicClock.nowNS())
        pulse.isDone.store(true, ordering: .releasing)
        events.deallocate()
    }

    /// One turn before the wait; false when the reactor is done.
    private func turn(_ nowNS: UInt64) -> Bool {
        #if DEBUG
            if turnBeganNS > 0 { turnLongestNS = max(turnLongestNS, nowNS &- turnBeganNS) }
            turnBeganNS = nowNS
        #endif
        if marks.isDue(nowNS, t0NS: context.t0NS, endNS: startEndNS) {
            marks.note(nowNS, t0NS: context.t0NS, requests: recorder.snapshot.requests)
        }
        let phase = context.control.phase.load(ordering: .acquiring)
        if phase == .stopping {
            giveUpEverything(nowNS)
            return false
        }
        takeNews(nowNS)
        releaseParked(nowNS)
        sweepDeadlines(nowNS)
        let isStarting = phase == .running && startDue(nowNS)
        if phase == .draining { startLast(nowNS) }
        handOverQueued(nowNS)
        if nowNS >= nextPulseNS {
            publishPulse(nowNS)
            giveRecent(nowNS)
        }
        giveBooks()
        if !isStarting { pulse.hasStartedAll.store(true, ordering: .relaxed) }
        return isStarting || transport.inUse > 0 || queuedCount > 0 || parkedCount > 0
            || heldCount > 0 || (viewers?.presentCount ?? 0) > 0
    }

    /// Starts what is due; false when nothing will ever start again.
    private func startDue(_ nowNS: UInt64) -> Bool {
        if viewers != nil { return runViewers(nowNS, isEnding: false) }
        if replay?.isTimed == true { return startTimed(nowNS) }
        if open != nil { return startOpen(nowNS) }
        return startClosed(nowNS)
    }

    // MARK: waiting

    private func wait(_ events: UnsafeMutablePointer<epoll_event>, _ nowNS: UInt64) {
        let wakeNS = nextWakeNS(nowNS)
        let timeoutNS = wakeNS <= nowNS ? 0 : Int64(min(wakeNS - nowNS, 100_000_000))
        let count = loop.wait(events, timeoutNS: timeoutNS)
        let now = MonotonicClock.nowNS()
        if count == 0, wakeNS > nowNS, wakeNS != .max, now > wakeNS {
            recorder.loopLag(now - wakeNS)
        }
        for index in 0..<count {
            if events[index].data.u64 == EventLoop.wakeKey {
                loop.clearWake()
            } else {
                transport.handle(events[index])
            }
        }
        transport.runDueTimers(MonotonicClock.nowNS())
    }

    private func nextWakeNS(_ nowNS: UInt64) -> UInt64 {
        var wakeNS = min(nextPulseNS, nextSweepNS, transport.nextTimerNS)
        // What came back to the queue while the last ones were handed over.
        if transport.hasRoom, !runQueue.isEmpty { return nowNS }
        wakeNS = min(wakeNS, nextReleaseNS)
        if let viewers {
            return min(
                wakeNS,
                viewers.nextWakeNS(
                    nowNS, canAsk: canTakeSlot && !pool.isFull,
                    isRunning: context.control.phase.load(ordering: .relaxed) == .running))
        }
        if canTakeSlot, context.control.phase.load(ordering: .relaxed) == .running {
            if let open { wakeNS = min(wakeNS, open.nextStartNS(nowNS)) }
            wakeNS = min(wakeNS, closed?.nextWakeNS ?? .max, replay?.nextWakeNS ?? .max)
        }
        return wakeNS
    }

    /// True when a due ask would find a place.
    var canTakeSlot: Bool { transport.inUse &+ queuedCount &+ heldCount < inFlightMax }

    var queuedCount: Int { runQueue.count &+ connectQueue.count }
}
