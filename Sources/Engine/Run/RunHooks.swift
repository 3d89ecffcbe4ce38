package import Metrics
package import Workload

/// What a run asks of the command around it. All are called on the thread that called `run`.
package struct RunHooks {
    /// The embedded origin revokes the tokens of a share of its cells and says what these are
    /// called there: by the number of the user, unless the scenario names them otherwise. Nil
    /// without an embedded origin, as the next two.
    package var revokeOrigin: ((_ share: Double) -> [String])?
    /// What it does wrong from now on; nil: nothing.
    package var setRenewalFault: ((InjectionPlan.RenewalFault?) -> Void)?
    package var setTileFault: ((InjectionPlan.TileFault?) -> Void)?
    /// About five times a second.
    package var onProgress: ((ProgressSnapshot) -> Void)?
    /// Every minute, with the result so far.
    package var onCheckpoint: ((RunResult) -> Void)?
    /// Once a second when set, with the result so far: a sentence ends the run.
    package var abortReason: ((RunResult) -> String?)?
    /// Sentences for the person watching.
    package var onNotice: ((String) -> Void)?
    /// The answer of the token endpoint that a document was fetched with: a run that begins with a
    /// renewal takes it for its first.
    package var tokenAnswer: OneShot.Answer?
    /// Threads that the origin in this process needs for itself.
    package var originThreads = 0

    package init() {}
}

/// How a run stands right now.
package struct ProgressSnapshot: Sendable {
    package enum Phase: String, Sendable { case warmup = "warm-up", measuring, draining }

    package var phase = Phase.warmup
    /// From T0; negative in the warm-up.
    package var elapsedNS: Int64 = 0
    /// Nil: ends with its asks, not with the clock.
    package var durationNS: UInt64?
    package var planned: UInt64?
    package var started: UInt64 = 0
    package var ok: UInt64 = 0
    package var failed: UInt64 = 0
    package var inFlight: UInt64 = 0
    package var parked: UInt64 = 0
    package var refusals: UInt64 = 0
    package var renewals: UInt64 = 0
    /// Over the time since the last snapshot.
    package var okPerS = 0.0
    /// Of the last full second; nil without answers.
    package var p50NS: UInt64?
    package var p99NS: UInt64?

    package init() {}
}

/// How a run ended.
package struct RunEnd: Sendable {
    package var result = RunResult()
    /// Why nothing could be measured; nil: it was.
    package var unmeasurable: String?
    /// The number of the signal that ended the run.
    package var signal: Int32?

    package init() {}
}
