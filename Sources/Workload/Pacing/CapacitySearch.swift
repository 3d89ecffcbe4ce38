import Glibc

/// Which rate to try next when the highest one is looked for that a server stands: doubled until
/// one does not hold, then halved in between. No clock and no requests: it is told how each step
/// went.
///
/// A step that did not hold may be a hiccup, so a rate is given up only after two steps that ended
/// alike, and holds as soon as one step at it did. That asks for a rate at most `triesMax` times.
package struct CapacitySearch: Sendable {
    /// How one step went.
    package enum StepEnd: Int, Sendable, CaseIterable {
        /// The server stood it.
        case held
        /// The server did not.
        case failed
        /// Nothing can be said of the server, since the generator did not do its part.
        case invalid
        /// There was no answer at all.
        case unanswered
    }

    /// Why the search is over.
    package enum Outcome: Sendable, Hashable {
        /// The highest rate that was to be tried holds.
        case noLimit
        /// `held` and `failed` enclose the limit as closely as was asked for.
        case limit
        /// Not even the first rate holds.
        case failedAtStart
        /// What the generator cannot do at this rate, or beyond.
        case generator(perSecond: Double)
        case unanswered(perSecond: Double)
    }

    /// Two of each kind that does not hold decide, so a rate is tried so often at most.
    package static let triesMax = StepEnd.allCases.count
    private static let triesToDecide = 2
    private static let growth = 2.0

    private let to: Double
    /// `failed / held` of neighbours between which nothing is tried any more, less 1.
    private let resolution: Double

    /// The rate of the next step, in asks per second; nil: the search is over.
    package private(set) var next: Double?
    /// The highest rate that held.
    package private(set) var held: Double?
    /// The lowest rate that did not.
    package private(set) var failed: Double?
    package private(set) var outcome: Outcome?
    /// How steps at the rate `next` ended so far, by `StepEnd.rawValue`.
    private var ends = [Int](repeating: 0, count: StepEnd.allCases.count)

    /// - Parameters:
    ///   - from: The first rate, above 0.
    ///   - to: The highest rate that may be tried, at least `from`.
    ///   - resolution: How far apart the ends of the answer may be, as a share above 0.
    package init(from: Double, to: Double, resolution: Double) {
        precondition(from > 0 && to >= from && resolution > 0)
        self.to = to
        self.resolution = resolution
        next = from
    }

    /// The step at the rate `next` has ended.
    package mutating func take(_ end: StepEnd) {
        guard let rate = next else { preconditionFailure("the search is over") }
        ends[end.rawValue] += 1
        let isDecided = ends[end.rawValue] == Self.triesToDecide
        switch end {
        case .held:
            held = rate
            advance()
        case .failed:
            guard isDecided else { return }
            failed = rate
            advance()
        case .invalid:
            if isDecided { finish(.generator(perSecond: rate)) }
        case .unanswered:
            // At the first rate most likely the address is wrong, and once is enough to say so.
            if isDecided || held == nil { finish(.unanswered(perSecond: rate)) }
        }
    }

    private mutating func advance() {
        ends = ends.map { _ in 0 }
        guard let held else { return finish(.failedAtStart) }
        guard let failed else {
            return held < to ? next = min(held * Self.growth, to) : finish(.noLimit)
        }
        // What is left may be too small for another rate of a few digits to fit in.
        let middle = Self.rounded((held * failed).squareRoot())
        guard failed / held > 1 + resolution, held < middle, middle < failed else {
            return finish(.limit)
        }
        next = middle
    }

    private mutating func finish(_ outcome: Outcome) {
        self.outcome = outcome
        next = nil
    }

    /// To four significant digits: a rate that people can read and type.
    private static func rounded(_ rate: Double) -> Double {
        let digits = 3 - Int(log10(rate).rounded(.down))
        let scale = pow(10, Double(digits.magnitude))
        // Multiplied by whole powers only: 0.1 has no exact value.
        return digits < 0 ? (rate / scale).rounded() * scale : (rate * scale).rounded() / scale
    }

    /// The most rates that a search with these bounds can try.
    package static func ratesMax(from: Double, to: Double, resolution: Double) -> Int {
        let ramp = 1 + Int((log2(to / from)).rounded(.up))
        // Each rate in between halves the logarithm; one more, since they are rounded.
        let widest = log2(growth) / log2(1 + resolution)
        return ramp + 1 + max(0, Int(log2(widest).rounded(.up)))
    }
}
