import CCurl
import CLinux
import Glibc
import Metrics
import Synchronization
import TileModel
import Workload

/// One thread with one epoll: it starts what is due, carries it through libcurl, and keeps its own
/// books. Nothing it owns is shared; what is shared (control, tokens, pulse) says so itself.
///
/// There is one loop for every load shape: a turn takes the news, lets waiting asks go, starts what
/// is due, hands asks to libcurl and waits for the next thing to happen.
final class Reactor: @unchecked Sendable {
    // Sendable: made by the control thread, then touched by its own thread only until joined.
    let context: RunContext
    let number: Int
    let loop: EventLoop
    let recorder: Recorder
    let pulse: ReactorPulse
    let handOver: BooksHandOver

    var pool: SlotPool
    var multis: [CurlMulti] = []
    let slotsPerMulti: Int
    /// Multis that were given handles in this turn.
    var touchedMultis: [Int32] = []
    /// Asks to be handed over: those whose slot has had a connection, and those that need one.
    var runQueue = SlotList()
    var connectQueue = SlotList()
    var parkedList = SlotList()
    var releaseList = SlotList()
    /// Asks that left the run queue and are not done: what `max_in_flight` bounds.
    var onWire = 0
    var onWireMax: Int
    /// Handed over on a slot that has never had a connection: ramped, since a burst of thousands of
    /// connects overflows a server's accept queue and costs a second each.
    var connecting = 0
    let connectingMax: Int
    /// Below the accept queue that servers commonly ask for (nginx: 511).
    private static let connectingMaxOfAll = 400
    /// Slots whose request libcurl sent inside the current call.
    var justSent: UnsafeMutablePointer<Int32>
    var justSentCount = 0

    var headers: HeaderSet
    var token = TokenText()
    var tokenView = TokenStore.View()
    var confirmedGeneration: UInt64 = 0
    var newsSeen: UInt64 = 0
    var release: ReleaseState

    var open: OpenLoad?
    var closed: ClosedLoad?
    let cache: ClientCache?
    let connectionOptions: ConnectionOptions
    /// Where connections go in turn; see `AddressSpread`.
    let spreadLists: [CurlList]
    /// `connection.max` of this reactor; nil: as many as needed.
    let connectionsMax: Int?

    /// Monotonic ns after which nothing starts; `.max`: no such time.
    var startEndNS: UInt64 = .max
    var booksGiven: UInt64 = 0
    /// Answers that were no refusals.
    var acceptedCount: UInt64 = 0
    var recentGivenS: Int64 = 0
    var nextPulseNS: UInt64 = 0
    var nextSweepNS: UInt64 = 0
    /// CPU and allocation at T0 and at the end of the measured part.
    var marks = ReactorMarks()

    init(context: RunContext, number: Int, recorder: Recorder, connectionsMax: Int?) {
        self.context = context
        self.number = number
        self.recorder = recorder
        loop = EventLoop()
        pulse = ReactorPulse()
        handOver = BooksHandOver()
        let plan = context.plan
        pool = SlotPool(limit: context.slotsPerReactor)
        onWireMax = max(1, plan.load.inFlightMax / context.reactors)
        slotsPerMulti = Self.slotsPerMulti(plan, connectionsMax: connectionsMax)
        if let connectionsMax { onWireMax = min(onWireMax, connectionsMax) }
        justSent = .allocate(capacity: context.slotsPerReactor)
        headers = HeaderSet(plan: plan, asksPacked: !context.looksAtBodies)
        release = ReleaseState(plan.auth?.release ?? .all, reactors: context.reactors)
        cache = plan.cache.client.flatMap {
            $0.isPerUser ? ClientCache(sizeBytes: $0.sizeBytes, isPerUser: true) : nil
        }
        connectionOptions = ConnectionOptions(plan.connection)
        connectingMax = max(1, Self.connectingMaxOfAll / context.reactors)
        spreadLists = context.spread.lines.map { CurlList($0) }
        self.connectionsMax = connectionsMax
        if let durationNS = plan.load.durationNS { startEndNS = context.t0NS + durationNS }
        if context.pacer != nil {
            open = OpenLoad(context: context, reactor: number)
        } else if let users = context.users {
            closed = ClosedLoad(users: users, context: context, reactor: number)
        }
    }

    /// libcurl searches a multi's connections one by one, hence many small multis; where users
    /// share connections (`connection.max`) there is one.
    private static func slotsPerMulti(_ plan: Plan, connectionsMax: Int?) -> Int {
        if connectionsMax != nil { return Int(Int32.max) }
        let isTLS = plan.target.templates.contains { $0.hasPrefix("https:") }
        let mayMultiplex = isTLS && plan.connection.version != .http1 && plan.load.isOpen
        return mayMultiplex ? plan.connection.streams : 64
    }

    /// The thread's body.
    func run() {
        tb_name_thread("reactor \(number)")
        tb_set_timer_slack(1)
        let events = UnsafeMutablePointer<epoll_event>.allocate(capacity: EventLoop.eventsMax)
        var nowNS = MonotonicClock.nowNS()
        while turn(nowNS) {
            nowNS = wait(events, MonotonicClock.nowNS())
        }
        tellNotStarted()
        marks.noteEnd()
        publishPulse(MonotonicClock.nowNS())
        pulse.isDone.store(true, ordering: .releasing)
        events.deallocate()
    }

    /// One turn before the wait; false when the reactor is done.
    private func turn(_ nowNS: UInt64) -> Bool {
        marks.note(nowNS, t0NS: context.t0NS, endNS: startEndNS)
        let phase = context.control.phase.load(ordering: .acquiring)
        if phase == .stopping {
            giveUpEverything(nowNS)
            return false
        }
        takeNews(nowNS)
        releaseParked(nowNS)
        sweepDeadlines(nowNS)
        let isStarting = phase == .running && startDue(nowNS)
        handOverQueued(nowNS)
        if nowNS >= nextPulseNS {
            publishPulse(nowNS)
            giveRecent(nowNS)
        }
        giveBooks()
        if !isStarting { pulse.hasStartedAll.store(true, ordering: .relaxed) }
        return isStarting || onWire > 0 || queuedCount > 0 || !parkedList.isEmpty
            || !releaseList.isEmpty
    }

    /// Starts what is due; false when nothing will ever start again.
    private func startDue(_ nowNS: UInt64) -> Bool {
        if open != nil { return startOpen(nowNS) }
        return startClosed(nowNS)
    }

    // MARK: waiting

    private func wait(_ events: UnsafeMutablePointer<epoll_event>, _ nowNS: UInt64) -> UInt64 {
        let wakeNS = nextWakeNS(nowNS)
        let timeoutNS = wakeNS <= nowNS ? 0 : Int64(min(wakeNS - nowNS, 100_000_000))
        let count = loop.wait(events, timeoutNS: timeoutNS)
        var now = MonotonicClock.nowNS()
        if count == 0, wakeNS > nowNS, wakeNS != .max, now > wakeNS {
            recorder.loopLag(now - wakeNS)
        }
        for index in 0..<count {
            let key = events[index].data.u64
            if key == EventLoop.wakeKey {
                loop.clearWake()
                continue
            }
            let number = Int(key >> 32)
            guard number < multis.count else { continue }
            let socket = curl_socket_t(Int32(truncatingIfNeeded: key))
            multis[number].run(socket: socket, epollEvents: events[index].events)
            settle(number)
        }
        now = MonotonicClock.nowNS()
        for number in multis.indices where multis[number].timerNS <= now {
            multis[number].runTimer()
            settle(number)
        }
        return MonotonicClock.nowNS()
    }

    /// After every call into libcurl: requests that went out, transfers that ended.
    func settle(_ number: Int) {
        if justSentCount > 0 {
            let now = MonotonicClock.nowNS()
            for index in 0..<justSentCount {
                let slot = pool[justSent[index]]
                if slot.pointee.sendEndNS == 0 { slot.pointee.sendEndNS = now }
            }
            justSentCount = 0
        }
        while let (easy, code) = multis[number].nextFinished() {
            var context: UnsafeMutableRawPointer?
            tb_curl_get_private(easy, &context)
            guard let context else { continue }
            finished(context.assumingMemoryBound(to: Slot.self), code)
        }
    }

    private func nextWakeNS(_ nowNS: UInt64) -> UInt64 {
        var wakeNS = min(nextPulseNS, nextSweepNS)
        for multi in multis { wakeNS = min(wakeNS, multi.timerNS) }
        if let next = release.nextNS, !releaseList.isEmpty { wakeNS = min(wakeNS, next) }
        if context.control.phase.load(ordering: .relaxed) == .running {
            if let open { wakeNS = min(wakeNS, open.nextStartNS(canStart: canTakeSlot)) }
            if let next = closed?.nextWakeNS { wakeNS = min(wakeNS, next) }
        }
        return wakeNS
    }

    /// True when a due ask would find a place.
    var canTakeSlot: Bool { onWire &+ queuedCount < onWireMax }

    var queuedCount: Int { runQueue.count &+ connectQueue.count }
}
