package import Metrics
import Workload

/// One step of a search for the capacity: the figures that are read side by side. Field meanings
/// are those of the report of the same name.
package struct CapacityStep: Sendable {
    /// From 1.
    package var number: Int
    /// Name of the folder with its own report.
    package var folder: String
    /// The rate that was asked for.
    package var ratePerS: Double
    package var judgement: StepJudgement
    package var validity: RunFacts.Validity
    package var reasons: [String]
    package var measuredNS: UInt64
    package var ledger: Ledger
    /// Response time of all asks.
    package var response: Histogram
    package var serverHitRate: Double?
    /// See `StepJudgement.backlogGrowth`.
    package var backlogGrowth: Int?

    /// - Parameter result: With its validity.
    package init(
        number: Int, folder: String, ratePerS: Double, _ result: RunResult,
        judgement: StepJudgement
    ) {
        self.number = number
        self.folder = folder
        self.ratePerS = ratePerS
        self.judgement = judgement
        validity = result.run.validity
        reasons = result.run.reasons
        measuredNS = result.run.measuredNS
        ledger = result.ledger
        response = result.response.all
        serverHitRate = result.cache.serverHitRate
        backlogGrowth = StepJudgement.backlogGrowth(result)
    }

    /// "400/s: pass, p99 12 ms, 4,000 of 4,000 ok", for those who watch.
    package var sentence: String {
        let rate = CapacityText.rateText(ratePerS)
        let verdict = CapacityJSON.word(judgement.end)
        if let reason = judgement.reason { return "\(rate): \(verdict), \(reason)" }
        let p99 = response.percentileNS(0.99).map { TextNumbers.duration(ns: Double($0)) } ?? "-"
        let ok = TextNumbers.grouped(ledger.ok)
        return "\(rate): \(verdict), p99 \(p99), \(ok) of \(TextNumbers.grouped(ledger.started)) ok"
    }

    /// Per second of measured time.
    func perSecond(_ count: UInt64) -> Double? {
        measuredNS == 0 ? nil : Double(count) / (Double(measuredNS) / 1e9)
    }
}

/// A finished search for the capacity.
package struct CapacityResult: Sendable {
    /// The search's bounds and gates, as they were set.
    package struct Settings: Sendable {
        package var fromPerS: Double
        package var toPerS: Double
        package var resolution: Double
        package var stepNS: UInt64
        package var warmupNS: UInt64
        /// As written.
        package var gates: [String]
        /// The gates are tilebench's own: the scenario has none that can fail.
        package var hasOwnGates: Bool

        package init(
            fromPerS: Double, toPerS: Double, resolution: Double, stepNS: UInt64,
            warmupNS: UInt64, gates: [String], hasOwnGates: Bool
        ) {
            self.fromPerS = fromPerS
            self.toPerS = toPerS
            self.resolution = resolution
            self.stepNS = stepNS
            self.warmupNS = warmupNS
            self.gates = gates
            self.hasOwnGates = hasOwnGates
        }
    }

    /// How it ended, by the word in the file.
    package enum End: String, Sendable, CaseIterable {
        case limit
        case noLimit = "no_limit"
        case failedAtStart = "failed_at_start"
        case generator, unanswered, interrupted
    }

    package var settings: Settings
    package var tool = ToolFacts()
    package var machine = MachineFacts()
    /// Of the first step, as `startedAt`.
    package var scenario = ScenarioFacts()
    package var startedAt = ""
    package var end = End.interrupted
    /// The highest rate that held.
    package var heldPerS: Double?
    /// The lowest rate that did not.
    package var failedPerS: Double?
    /// The rate at which the search ended without an answer.
    package var endedAtPerS: Double?
    package var steps: [CapacityStep] = []

    package init(settings: Settings) { self.settings = settings }
}
