package import Metrics

/// Whether a run's numbers say what they seem to say: did the generator do what was planned, and
/// was it the server that was measured.
package enum Validity {
    /// Limits of the table in the measures' definition; shares are 0...1.
    private enum Limit {
        static let startedShare = 0.99
        static let lagInvalidNS: UInt64 = 5_000_000
        static let lagInvalidShareOfP99 = 0.1
        static let lagSuspectNS: UInt64 = 1_000_000
        static let lagSuspectShareOfP50 = 0.05
        static let reactorBusy = 0.95
        static let stolen = 0.02
        static let measuredNS: UInt64 = 1_000_000_000
        static let asks: UInt64 = 100
        static let rateLimited = 0.01
    }

    /// - Parameter isOpen: Whether asks come at planned times whatever the answers do.
    /// - Returns: The worst that was found, and every reason in words, the worst first.
    package static func judge(
        _ result: RunResult, isOpen: Bool
    ) -> (RunFacts.Validity, [String]) {
        var invalid = nothing(result) + countingFaults(result) + ownErrors(result)
        var suspect: [String] = []
        if isOpen {
            invalid += shortfall(result.ledger)
            lag(result, invalid: &invalid, suspect: &suspect)
        }
        invalid += brokenLog(result)
        suspect += machineLimits(result)
        suspect += smallness(result)
        suspect += rateLimiter(result)
        if !invalid.isEmpty { return (.invalid, invalid + suspect) }
        return (suspect.isEmpty ? .valid : .suspect, suspect)
    }

    /// Whether nothing but lateness can make the measurement invalid: what was counted is right.
    static func isSound(_ result: RunResult) -> Bool {
        (nothing(result) + countingFaults(result) + ownErrors(result)).isEmpty
    }

    /// Whether so few of the planned asks were started that the rate was not reached.
    static func isShort(_ ledger: Ledger) -> Bool { !shortfall(ledger).isEmpty }

    /// Why the generator itself had no time left: its threads were busy, or a quota stopped them.
    static func generatorLimit(_ result: RunResult) -> String? {
        (busyness(result) + throttling(result)).first
    }

    /// A client cache that has every tile is a result, as of a warm pass.
    private static func nothing(_ result: RunResult) -> [String] {
        let hits = result.cache.client?.hits ?? 0
        return result.ledger.started == 0 && hits == 0 ? ["no ask was started"] : []
    }

    private static func countingFaults(_ result: RunResult) -> [String] {
        var reasons: [String] = []
        if !result.ledger.addsUp {
            reasons.append("the ledger does not add up, which is a fault of tilebench itself")
        }
        reasons += result.brokenTokenLaws.map {
            "the books of the token renewal do not balance (\($0)), which is a fault of tilebench"
                + " itself"
        }
        if let views = result.views, !views.addsUp {
            reasons.append("the views do not add up, which is a fault of tilebench itself")
        }
        let triples = [result.response, result.service]
        var histograms = triples.flatMap { [$0.all, $0.ok, $0.failed] } + result.phases
        histograms += [result.generator.startLag, result.generator.loopLag]
        if let auth = result.auth {
            histograms += [auth.parkedTime, auth.firstOKTimes, auth.fullRecoveryTimes]
        }
        let overflow = histograms.map(\.overflow).max() ?? 0
        if overflow > 0 {
            reasons.append(
                TextNumbers.count(overflow, "time is", "times are")
                    + " longer than an hour, the most that a histogram holds")
        }
        return reasons
    }

    private static func brokenLog(_ result: RunResult) -> [String] {
        guard let failure = result.replay?.failure else { return [] }
        return ["the log could not be read to its end: \(failure)"]
    }

    private static func ownErrors(_ result: RunResult) -> [String] {
        let cause = FailureCause.generator
        let asks = result.ledger.failedBy[Int(cause.rawValue)]
        let entries = result.errors.filter { $0.cause == cause.key }
        // The ledger knows the measured part only, errors the whole process.
        let count = max(asks, entries.reduce(0) { $0 + $1.count })
        guard count > 0 else { return [] }
        let detail = entries.first.map { " (\($0.detail))" } ?? ""
        return [
            TextNumbers.count(count, "error")
                + " of the generator's own making\(detail): descriptors, ports or memory ran out"
        ]
    }

    private static func shortfall(_ ledger: Ledger) -> [String] {
        guard ledger.started > 0,
            Double(ledger.started) < Limit.startedShare * Double(ledger.planned)
        else { return [] }
        let share = TextNumbers.percent(Double(ledger.started) / Double(ledger.planned))
        return [
            "only \(share) of the planned tiles were asked for (at least 99 % are wanted): the"
                + " rate was not reached"
        ]
    }

    private static func lag(
        _ result: RunResult, invalid: inout [String], suspect: inout [String]
    ) {
        guard let lag = result.generator.startLag.percentileNS(0.99),
            let median = result.response.all.percentileNS(0.5),
            let p99 = result.response.all.percentileNS(0.99)
        else { return }
        func words(_ share: Double, _ what: String) -> String {
            "the generator started late: start lag p99 \(TextNumbers.duration(ns: Double(lag))),"
                + " over \(TextNumbers.percent(share)) of the response time's \(what)"
        }
        if lag > Limit.lagInvalidNS, Double(lag) > Limit.lagInvalidShareOfP99 * Double(p99) {
            invalid.append(words(Limit.lagInvalidShareOfP99, "p99"))
        } else if lag > Limit.lagSuspectNS,
            Double(lag) > Limit.lagSuspectShareOfP50 * Double(median)
        {
            suspect.append(words(Limit.lagSuspectShareOfP50, "p50"))
        }
    }

    private static func machineLimits(_ result: RunResult) -> [String] {
        busyness(result) + throttling(result) + theft(result)
    }

    private static func busyness(_ result: RunResult) -> [String] {
        guard result.generator.busiestReactor > Limit.reactorBusy else { return [] }
        let share = TextNumbers.percent(result.generator.busiestReactor)
        return ["a reactor was busy for \(share) of the time: the generator is the limit"]
    }

    private static func throttling(_ result: RunResult) -> [String] {
        let measuredNS = Double(result.run.measuredNS)
        let share = measuredNS > 0 ? Double(result.generator.throttledNS) / measuredNS : 0
        guard share > Limit.stolen else { return [] }
        return ["a CPU quota throttled the generator for \(TextNumbers.percent(share)) of the time"]
    }

    private static func theft(_ result: RunResult) -> [String] {
        guard result.generator.stolenShare > Limit.stolen else { return [] }
        let share = TextNumbers.percent(result.generator.stolenShare)
        return ["other virtual machines took \(share) of this one's time"]
    }

    private static func smallness(_ result: RunResult) -> [String] {
        var reasons: [String] = []
        if result.tool.build == "debug" {
            reasons.append("this is a debug build of tilebench")
        }
        if result.run.measuredNS < Limit.measuredNS {
            let time = TextNumbers.duration(ns: Double(result.run.measuredNS))
            reasons.append("measured for \(time) only; 1 s is the least that tells something")
        }
        if (1..<Limit.asks).contains(result.ledger.started) {
            let count = TextNumbers.count(result.ledger.started, "tile was", "tiles were")
            reasons.append("\(count) asked for; 100 are the least that tell something")
        }
        return reasons
    }

    private static func rateLimiter(_ result: RunResult) -> [String] {
        let limited = result.outcomes[Int(Outcome.rateLimited.rawValue)]
        let ended = result.outcomes.reduce(0, +)
        guard Double(limited) > Limit.rateLimited * Double(ended) else { return [] }
        let share = TextNumbers.percent(Double(limited) / Double(ended))
        return ["\(share) of the answers are a rate limiter's: it was measured, not the tiles"]
    }
}
