import Metrics
import Workload

/// One viewer of a reactor. Lives in raw memory at an address that never changes.
struct Viewer: ~Copyable {
    var session: ViewerSession
    /// Its asks, through their `ofViewer` links; -1: none.
    var firstSlot: Int32 = -1
    /// Sessions so far: with the viewer's number that of the next.
    var sessions: UInt64 = 0
    /// Something has happened to it that it has not been looked after for.
    var isTouched = false
    /// It is in the list of those that found no place for an ask.
    var isBlocked = false
    /// It has no session; it has had all of its views.
    var isAway = true
    var isFinished = false

    init(rules: ViewerRules, isPaced: Bool) {
        session = ViewerSession(rules: rules, isPaced: isPaced)
    }
}

typealias ViewerPointer = UnsafeMutablePointer<Viewer>

/// The viewers of one reactor, each with one session after the other. Viewer v of the run lives on
/// reactor v mod n; what it looks at depends on v and the seed alone.
///
/// In a closed load a viewer is a user, and its views come by its own table of dwells. In an open
/// load view number s is that of viewer s mod k, and begins when the pacer says.
final class ViewerLoad {
    /// Nil: a closed load.
    var open: OpenLoad?
    let count: Int
    let members: ViewerPointer
    /// When each wants to be looked after again.
    var wakes: TimerHeap
    /// To be looked after in this turn, and those that found no place for an ask.
    var touched: [Int32] = []
    var blocked: [Int32] = []
    /// Viewers with a session that is not over, and those that have had all of their views.
    var presentCount = 0
    var finishedCount = 0
    /// No further view begins.
    var hasEnded = false

    private let schedule: UserSchedule?
    private let viewersOfAll: Int
    private let reactor: Int
    private let stride: Int
    private let t0NS: UInt64
    /// Users there are to be by now: those with the first numbers.
    private(set) var wanted = 0
    private var nextStageLookNS: UInt64

    init(rules: ViewerRules, viewers: Int, context: RunContext, reactor: Int) {
        viewersOfAll = viewers
        self.reactor = reactor
        stride = context.reactors
        t0NS = context.t0NS
        schedule = context.users
        open = context.users == nil ? OpenLoad(context: context, first: 0, stride: 1) : nil
        count = ClosedLoad.share(of: viewers, reactor: reactor, stride: stride)
        members = .allocate(capacity: max(1, count))
        wakes = TimerHeap(capacity: count)
        nextStageLookNS = context.startNS
        touched.reserveCapacity(count)
        blocked.reserveCapacity(count)
        let isPaced = open != nil
        for number in 0..<count {
            let viewer = members + number
            viewer.initialize(to: Viewer(rules: rules, isPaced: isPaced))
            viewer.pointee.session.countedFromNS = t0NS
            viewer.pointee.session.perHostMax = context.viewerAsksPerHostMax
            if isPaced { continue }
            if let views = context.indexLimit {
                // Its share, so that who looks at what does not depend on who is faster.
                let all = UInt64(viewers)
                let isMore = UInt64(number * stride + reactor) < views % all
                viewer.pointee.session.viewsLeft = views / all + (isMore ? 1 : 0)
            }
            if let durationNS = context.plan.load.durationNS {
                viewer.pointee.session.endNS = t0NS + durationNS
            }
            noteFinished(Int32(number))
        }
    }

    deinit {
        members.deinitialize(count: count)
        members.deallocate()
    }

    // MARK: who is there

    /// Notes how many users the schedule has by now; true when that has changed.
    func admit(nowNS: UInt64) -> Bool {
        guard let schedule, nowNS >= nextStageLookNS else { return false }
        let sinceT0 = Int64(bitPattern: nowNS &- t0NS)
        let before = wanted
        wanted = ClosedLoad.share(
            of: schedule.activeUsers(atNS: sinceT0), reactor: reactor, stride: stride)
        nextStageLookNS =
            schedule.nextChange(afterNS: sinceT0).map {
                max(UInt64(bitPattern: $0 &+ Int64(bitPattern: t0NS)), nowNS &+ 1)
            } ?? .max
        return wanted != before
    }

    /// The number of a viewer's next session: no two viewers share one.
    func sessionNumber(_ number: Int32, _ sessions: UInt64) -> UInt64 {
        sessions &* UInt64(viewersOfAll) &+ UInt64(Int(number) * stride + reactor)
    }

    /// The viewer of an open load's view; nil: it is another reactor's.
    func viewer(ofView index: UInt64) -> Int32? {
        let viewer = Int((index & ~RequestStream.warmupFirst) % UInt64(viewersOfAll))
        return viewer % stride == reactor ? Int32(viewer / stride) : nil
    }

    func touch(_ number: Int32) {
        guard !members[Int(number)].isTouched else { return }
        members[Int(number)].isTouched = true
        touched.append(number)
    }

    /// The viewer found no place for what it may want to ask for.
    func block(_ number: Int32) {
        let viewer = members + Int(number)
        guard viewer.pointee.session.wantsToAsk, !viewer.pointee.isBlocked else { return }
        viewer.pointee.isBlocked = true
        blocked.append(number)
    }

    func unblock() {
        for number in blocked {
            members[Int(number)].isBlocked = false
            touch(number)
        }
        blocked.removeAll(keepingCapacity: true)
    }

    func noteFinished(_ number: Int32) {
        let viewer = members + Int(number)
        guard viewer.pointee.session.viewsLeft == 0, !viewer.pointee.isFinished else { return }
        viewer.pointee.isFinished = true
        finishedCount += 1
    }

    /// Whether a view may still begin.
    func isStarting(nowNS: UInt64) -> Bool {
        if hasEnded { return false }
        if let open { return !open.isExhausted(nowNS: nowNS) }
        return finishedCount < count
    }

    /// Monotonic ns of the next thing to do; `.max`: nothing.
    func nextWakeNS(_ nowNS: UInt64, canAsk: Bool, isRunning: Bool) -> UInt64 {
        if !touched.isEmpty || canAsk && !blocked.isEmpty { return nowNS }
        let wakeNS = wakes.earliestNS ?? .max
        guard isRunning else { return wakeNS }
        return min(wakeNS, nextStageLookNS, open?.nextStartNS(nowNS) ?? .max)
    }
}
