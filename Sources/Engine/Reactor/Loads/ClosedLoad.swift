import Metrics
import Workload

/// The closed load of one reactor: its users, each with one ask at a time. User u lives on reactor
/// u mod n; the numbers of the asks are taken from the run's one counter.
struct ClosedLoad: ~Copyable {
    private let schedule: UserSchedule
    private let reactor: Int
    private let stride: Int
    private let t0NS: UInt64
    private let thinkNS: UInt64
    /// Users of this reactor, and those that have been let in so far.
    let usersMax: Int
    private var admitted = 0
    private var wanted = 0
    private var waiting: TimerHeap
    /// Users sent home by a falling stage, to be called back by a rising one.
    private var home: [Int32] = []
    /// Consecutive asks that ended before anything was sent, by user: the level of the back-off.
    private let backOff: UnsafeMutablePointer<UInt8>
    private(set) var retired = 0
    private var nextStageLookNS: UInt64

    private static let backOffMinNS: UInt64 = 100_000_000
    private static let backOffMaxNS: UInt64 = 1_000_000_000

    init(users: UserSchedule, context: RunContext, reactor: Int) {
        schedule = users
        self.reactor = reactor
        stride = context.reactors
        t0NS = context.t0NS
        thinkNS = context.plan.workload.thinkNS
        usersMax = Self.share(of: users.usersMax, reactor: reactor, stride: context.reactors)
        waiting = TimerHeap(capacity: usersMax)
        backOff = .allocate(capacity: max(1, usersMax))
        backOff.initialize(repeating: 0, count: max(1, usersMax))
        nextStageLookNS = context.startNS
    }

    deinit { backOff.deallocate() }

    /// Users of a reactor when there are that many.
    static func share(of users: Int, reactor: Int, stride: Int) -> Int {
        users > reactor ? (users - reactor - 1) / stride + 1 : 0
    }

    /// Lets in the users that the schedule has by now. Call once a turn.
    mutating func admit(nowNS: UInt64) {
        guard nowNS >= nextStageLookNS else { return }
        let active = schedule.activeUsers(atNS: Int64(bitPattern: nowNS &- t0NS))
        let wanted = Self.share(of: active, reactor: reactor, stride: stride)
        while admitted - home.count < wanted, let user = home.popLast() {
            waiting.set(user: user, atNS: nowNS)
        }
        while admitted < wanted {
            waiting.set(user: Int32(admitted), atNS: nowNS)
            admitted += 1
        }
        self.wanted = wanted
        let change = schedule.nextChange(afterNS: Int64(bitPattern: nowNS &- t0NS))
        nextStageLookNS =
            change.map { max(UInt64(bitPattern: $0 &+ Int64(bitPattern: t0NS)), nowNS &+ 1) }
            ?? .max
    }

    /// The next ready user with the moment it became ready; nil: none is ready.
    mutating func nextReady(nowNS: UInt64) -> (user: Int32, readyNS: UInt64)? {
        while let (user, atNS) = waiting.popDue(nowNS: nowNS) {
            if admitted - home.count > wanted {
                home.append(user)
                continue
            }
            return (user, atNS)
        }
        return nil
    }

    /// The user's ask has ended. `hasSent` is false when it failed before anything went out: then
    /// the user waits 100 ms, doubling to 1 s, or a closed load would spin.
    mutating func ready(user: Int32, nowNS: UInt64, hasSent: Bool) {
        let level = backOff + Int(user)
        if hasSent {
            level.pointee = 0
            waiting.set(user: user, atNS: nowNS &+ thinkNS)
        } else {
            let pauseNS = min(Self.backOffMaxNS, Self.backOffMinNS << UInt64(level.pointee))
            level.pointee = min(level.pointee + 1, 8)
            waiting.set(user: user, atNS: nowNS &+ max(pauseNS, thinkNS))
        }
    }

    mutating func retire() { retired += 1 }

    var isDone: Bool { retired >= usersMax && waiting.count == 0 }

    /// Monotonic ns of the next thing to do; `.max`: nothing.
    var nextWakeNS: UInt64 { min(waiting.earliestNS ?? .max, nextStageLookNS) }
}
