/// One shard's or reactor's walk through the asks that are its own.
package struct PacerCursor: Sendable {
    private enum Kind { case steady, curve, poisson }

    /// The ask that is next.
    package private(set) var index: UInt64
    /// When it is meant to start, in ns from T0; `UInt64.max` when there is no further ask.
    package private(set) var intendedNS: UInt64

    private let stride: UInt64
    private let kind: Kind
    private let rate: SteadyRate
    private var place: RateCurve.Place
    private var arrivals: PoissonArrivals

    init(pacer: Pacer, first: UInt64, stride: UInt64) {
        self.index = first
        self.stride = stride
        rate = if case .steady(let rate) = pacer.clock { rate } else { SteadyRate(perSecond: 0) }
        switch pacer.clock {
        case .steady:
            kind = .steady
            place = RateCurve(perSecond: 0).place
            arrivals = .none
        case .curve(let curve):
            kind = .curve
            place = curve.place
            arrivals = .none
        case .poisson(let curve, let process):
            kind = .poisson
            place = curve.place
            arrivals = process
        }
        intendedNS = 0
        arrive()
    }

    /// Goes on to the next ask of this cursor. No allocation; for Poisson arrivals the time is
    /// that of `stride` gaps.
    package mutating func advance() {
        index &+= stride
        arrive()
    }

    private mutating func arrive() {
        switch kind {
        case .steady: intendedNS = rate.startNS(of: index)
        case .curve: intendedNS = place.startNS(of: Double(index))
        case .poisson: intendedNS = place.startNS(of: arrivals.position(of: index))
        }
    }
}
