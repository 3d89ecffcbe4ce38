import Metrics
import Workload

/// The times of a run on the monotonic clock: when starting ends, when waiting ends, when somebody
/// wants to look. Control thread only.
struct RunClock {
    private var t0NS: UInt64 = 0
    private var graceNS: UInt64 = 0
    /// Nothing starts from here on; `.max`: until the asks are used up.
    private(set) var startEndNS: UInt64 = .max
    /// What is open is given up.
    var giveUpNS: UInt64 = .max
    private(set) var doneNS: UInt64 = 0
    private var startedAllNS: UInt64?
    private var nextCheckpointNS: UInt64 = .max
    private var nextAbortLookNS: UInt64 = 0
    var wantsCheckpoint = false
    /// Copies of the reactors' books, until all have given theirs.
    var books: [RecorderResult?] = []

    init() {}

    init(context: RunContext, plan: Plan) {
        t0NS = context.t0NS
        graceNS = plan.load.graceNS
        if let durationNS = plan.load.durationNS {
            startEndNS = t0NS + durationNS
            giveUpNS = startEndNS + graceNS
        }
        nextCheckpointNS = t0NS + 60_000_000_000
        nextAbortLookNS = t0NS + 1_000_000_000
        books = Array(repeating: nil, count: context.reactors)
    }

    /// A load that ends with its asks has its grace from the moment the last one started.
    mutating func note(_ nowNS: UInt64, hasStartedAll: Bool) {
        guard hasStartedAll, startedAllNS == nil else { return }
        startedAllNS = nowNS
        giveUpNS = min(giveUpNS, nowNS + graceNS)
    }

    mutating func stopEarly(_ nowNS: UInt64, graceMaxNS: UInt64) {
        startEndNS = min(startEndNS, nowNS)
        giveUpNS = min(giveUpNS, nowNS + min(graceNS, graceMaxNS))
    }

    mutating func noteDone(_ nowNS: UInt64) { doneNS = nowNS }

    /// Length of the measured part: `for`, or up to where it was stopped, or, of a run that ended
    /// with its asks, to the end of the last one. A load that has a duration lasts that long, so a
    /// run that is done before has ended with its asks.
    func measuredNS(_ nowNS: UInt64) -> UInt64 {
        // A run that could not begin has no T0.
        guard t0NS > 0 else { return 0 }
        let end = min(startEndNS, doneNS > 0 ? doneNS : nowNS)
        return end > t0NS ? end - t0NS : 0
    }

    func drainNS() -> UInt64 {
        let end = t0NS + measuredNS(doneNS)
        return doneNS > end ? doneNS - end : 0
    }

    mutating func isCheckpointDue(_ nowNS: UInt64) -> Bool {
        guard nowNS >= nextCheckpointNS else { return false }
        nextCheckpointNS = nowNS + 60_000_000_000
        wantsCheckpoint = true
        return true
    }

    mutating func isAbortLookDue(_ nowNS: UInt64) -> Bool {
        guard nowNS >= nextAbortLookNS else { return false }
        nextAbortLookNS = nowNS + 1_000_000_000
        return true
    }
}
