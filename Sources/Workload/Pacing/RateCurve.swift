/// A rate that changes along straight lines, as its integral: how many asks are due until when.
struct RateCurve: Sendable {
    /// One straight line.
    struct Segment: Sendable {
        var startNS: Double
        /// Infinite for the last.
        var durationNS: Double
        /// Asks due before the segment, and until its end.
        var countBefore: Double
        var countAfter: Double
        /// Asks per second at its start.
        var from: Double
        /// Change of the rate, per second and second.
        var slope: Double

        /// When the integral of the rate reaches a number of this segment, in ns.
        ///
        /// The root of `from t + slope t^2 / 2 = asks` in the form without a difference of nearly
        /// equal numbers, good for a slope of either sign and of 0.
        func timeNS(of position: Double) -> Double {
            let asks = position - countBefore
            guard asks > 0 else { return startNS }
            let root = max(from * from + 2 * slope * asks, 0).squareRoot()
            return startNS + min(2e9 * asks / (from + root), durationNS)
        }

        /// The integral of the rate up to a time of this segment.
        func position(atNS timeNS: Double) -> Double {
            let seconds = (timeNS - startNS) / 1e9
            return countBefore + (from + slope * seconds / 2) * seconds
        }
    }

    /// Segments in which something is due, in order. Never empty.
    let segments: [Segment]

    init(perSecond: Double) {
        self.init(stages: [], lastRate: perSecond)
    }

    init(stages: [LoadPlan.Stage]) {
        self.init(stages: stages, lastRate: stages.last?.to ?? 0)
    }

    private init(stages: [LoadPlan.Stage], lastRate: Double) {
        var segments: [Segment] = []
        var (startNS, count) = (0.0, 0.0)
        for stage in stages {
            let durationNS = Double(stage.durationNS)
            let area = (stage.from + stage.to) / 2 * durationNS / 1e9
            if area > 0 {
                segments.append(
                    Segment(
                        startNS: startNS, durationNS: durationNS, countBefore: count,
                        countAfter: count + area, from: stage.from,
                        slope: (stage.to - stage.from) / (durationNS / 1e9)))
            }
            startNS += durationNS
            count += area
        }
        segments.append(
            Segment(
                startNS: startNS, durationNS: .infinity, countBefore: count,
                countAfter: lastRate > 0 ? .infinity : count, from: max(lastRate, 0), slope: 0))
        self.segments = segments
    }

    /// The beginning.
    var place: Place { Place(segments: segments, segment: segments[0]) }

    /// The number of whole positions 0, 1, 2, ... whose start is before a time.
    func count(before timeNS: UInt64) -> UInt64 {
        let time = Double(timeNS)
        let segment = segments.last { $0.startNS <= time } ?? segments[0]
        let estimate = min(
            segment.position(atNS: min(time, segment.startNS + segment.durationNS)), 0x1p63)
        // The estimate and the starts are rounded each in its own way; the starts decide.
        var count = UInt64(max(estimate, 0))
        while count > 0, startNS(of: count - 1) >= timeNS { count -= 1 }
        while startNS(of: count) < timeNS { count += 1 }
        return count
    }

    private func startNS(of index: UInt64) -> UInt64 {
        var place = place
        return place.startNS(of: Double(index))
    }

    /// A walk along the curve that does not look for its segment anew each time.
    struct Place: Sendable {
        private let segments: [Segment]
        private var number = 0
        private var segment: Segment

        fileprivate init(segments: [Segment], segment: Segment) {
            self.segments = segments
            self.segment = segment
        }

        /// When the integral of the rate reaches a position, rounded down to the ns;
        /// `UInt64.max` when it never does. Positions must not become less from call to call.
        mutating func startNS(of position: Double) -> UInt64 {
            while position >= segment.countAfter {
                guard number + 1 < segments.count else { return .max }
                number += 1
                segment = segments[number]
            }
            let timeNS = segment.timeNS(of: position)
            return timeNS < 0x1p64 ? UInt64(timeNS) : .max
        }
    }
}
