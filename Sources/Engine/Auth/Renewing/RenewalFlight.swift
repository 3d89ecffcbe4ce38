import Workload

/// One renewal with its tries: a machine without I/O or clock that says what is to be done next.
/// Times are nanoseconds of the monotonic clock.
package struct RenewalFlight: Sendable {
    package struct Limits: Sendable {
        package var triesMax = 3
        /// Of one try.
        package var timeoutNS: UInt64
        package var backOffMinNS: UInt64 = 50_000_000
        package var backOffMaxNS: UInt64 = 1_000_000_000

        package init(timeoutNS: UInt64) {
            self.timeoutNS = timeoutNS
        }

        /// All tries and the pauses between them.
        package var flightNS: UInt64 { 4 * timeoutNS }
    }

    package enum Action: Sendable, Hashable {
        /// Nothing before `dueNS`.
        case wait
        /// Send the request; it may take so long.
        case attempt(timeoutNS: UInt64)
        /// It has failed: tell the cell.
        case fail(isPermanent: Bool, retryAfterNS: UInt64)
        /// It is past its deadline: cut the request off, whatever it is doing, and tell the cell.
        case giveUp
    }

    private enum State: Sendable { case trying, pausing, ended }

    private let limits: Limits
    private let deadlineNS: UInt64
    private var state = State.pausing
    private var random: UInt64
    /// Tries begun.
    package private(set) var tries = 0
    /// When `tick` has something to say; `.max` once it has ended.
    package private(set) var dueNS: UInt64

    /// - Parameter seed: of the jitter.
    package init(limits: Limits, seed: UInt64, nowNS: UInt64) {
        self.limits = limits
        deadlineNS = nowNS &+ limits.flightNS
        dueNS = nowNS
        random = seed
    }

    /// The time has come that `dueNS` told.
    package mutating func tick(nowNS: UInt64) -> Action {
        guard state != .ended, nowNS >= dueNS else { return .wait }
        // The pause too, when its end was looked at late.
        guard nowNS < deadlineNS else {
            end()
            return .giveUp
        }
        switch state {
        case .pausing:
            state = .trying
            tries += 1
            dueNS = deadlineNS
            return .attempt(timeoutNS: min(limits.timeoutNS, deadlineNS &- nowNS))
        case .trying, .ended:
            return .wait
        }
    }

    /// The try under way has failed.
    package mutating func tryFailed(
        isPermanent: Bool, retryAfterNS: UInt64?, nowNS: UInt64
    ) -> Action {
        guard state == .trying else { return .wait }
        let pauseNS = max(retryAfterNS ?? 0, nextBackOffNS())
        // Another try must find time before the deadline.
        let isLast =
            tries >= limits.triesMax || nowNS >= deadlineNS || pauseNS >= deadlineNS - nowNS
        if isPermanent || isLast {
            end()
            return .fail(isPermanent: isPermanent, retryAfterNS: retryAfterNS ?? 0)
        }
        state = .pausing
        dueNS = nowNS + pauseNS
        return .wait
    }

    /// It has brought a token, or nobody waits for it any more.
    package mutating func end() {
        state = .ended
        dueNS = .max
    }

    /// Full jitter: uniform in 0...min(max, min * 2^(tries - 1)).
    private mutating func nextBackOffNS() -> UInt64 {
        let doubled = limits.backOffMinNS << UInt64(min(max(tries - 1, 0), 16))
        let ceiling = min(limits.backOffMaxNS, doubled)
        random &+= 1
        return SeededRandom.mix(random) % (ceiling + 1)
    }
}
