import TileModel
import Workload

/// Which tile an ask is for.
struct StreamPath: HotPath {
    enum Workload {
        case list
        case pyramid(WorkloadPlan.Order)
        case popularInBounds
        case popularOnLand
        case popularByLog
    }

    let operations = 100_000
    private let workload: Workload

    init(_ workload: Workload) { self.workload = workload }

    func setUp() throws -> RequestStream { try RequestStream(workload: try plan(), seed: 1) }

    private func plan() throws -> WorkloadPlan {
        let popular = WorkloadPlan.Kind.popular(exponent: 1, weights: .osm)
        let alps = try GeoBounds(west: 5.9, south: 45.8, east: 10.5, north: 47.8)
        switch workload {
        case .list:
            let tiles = (0..<UInt32(4096)).map { TileID(z: 12, x: $0, y: 4095 - $0) }
            return WorkloadPlan(kind: .list(tiles))
        case .pyramid(let order):
            var plan = WorkloadPlan(kind: .pyramid(order: order))
            plan.bounds = alps
            return plan
        case .popularInBounds:
            var plan = WorkloadPlan(kind: popular)
            plan.bounds = alps
            return plan
        case .popularOnLand:
            return WorkloadPlan(kind: popular)
        case .popularByLog:
            let log = try TemporaryLog(lines: 65_536) { "16/\($0)/5 \(10 + 100_000 / ($0 + 1))" }
            defer { log.delete() }
            var plan = WorkloadPlan(kind: popular)
            plan.zooms = 16...16
            plan.tileWeights = try TileWeights(
                path: log.path, file: log.path, zooms: plan.zooms, regions: [])
            return plan
        }
    }

    func run(_ stream: inout RequestStream) -> UInt64 {
        var sum: UInt64 = 0
        for index in 0..<UInt64(operations) { sum &+= stream.tile(at: index).packed }
        return sum
    }
}
