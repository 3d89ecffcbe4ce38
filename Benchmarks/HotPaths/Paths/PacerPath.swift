import Workload

/// When the next ask is due.
struct PacerPath: HotPath {
    enum Arrivals { case constant, stages, poisson }

    let operations = 100_000
    private let arrivals: Arrivals

    init(_ arrivals: Arrivals) { self.arrivals = arrivals }

    func setUp() throws -> PacerCursor {
        guard let pacer = Pacer(load: LoadPlan(shape: shape), seed: 1) else {
            throw SetUpFailure(description: "an open load without pacer")
        }
        // The second of two reactors.
        return pacer.cursor(first: 1, stride: 2)
    }

    private var shape: LoadPlan.Shape {
        switch arrivals {
        case .constant: return .rate(perSecond: 1500, arrivals: .constant)
        case .poisson: return .rate(perSecond: 1500, arrivals: .poisson)
        case .stages:
            let second: UInt64 = 1_000_000_000
            let stages = [
                LoadPlan.Stage(durationNS: 60 * second, from: 0, to: 5000),
                LoadPlan.Stage(durationNS: 600 * second, from: 5000, to: 5000),
                LoadPlan.Stage(durationNS: 60 * second, from: 5000, to: 1000),
            ]
            return .rateStages(stages, arrivals: .constant)
        }
    }

    func run(_ cursor: inout PacerCursor) -> UInt64 {
        for _ in 0..<operations { cursor.advance() }
        return cursor.intendedNS
    }
}
