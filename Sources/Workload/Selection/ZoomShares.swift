/// How often each zoom is asked for.
enum ZoomShares {
    /// Percent of the requests to OpenStreetMap's standard layer, zooms 0 to 19, where the layer
    /// ends: the tile log of 2021-08-08, 1.118 thousand million requests, after TileSiege's table.
    static let osm = [
        0.19, 0.20, 0.57, 1.12, 1.47, 2.48, 3.47, 3.71, 4.45, 5.08, 6.48, 6.40, 8.88, 12.11, 12.08,
        12.21, 9.21, 5.95, 3.39, 0.56,
    ]

    /// One share per zoom, of any sum above 0.
    static func shares(
        of zooms: [UInt8], _ weights: WorkloadPlan.ZoomWeights
    ) throws(SelectionError) -> [Double] {
        switch weights {
        case .osm:
            let shares = zooms.map { Int($0) < osm.count ? osm[Int($0)] : 0 }
            guard shares.contains(where: { $0 > 0 }) else {
                throw SelectionError(
                    description: "OpenStreetMap's shares end at zoom \(osm.count - 1): "
                        + "deeper zooms need zoom_weights of their own")
            }
            return shares
        case .weights(let weights):
            guard weights.count == zooms.count else {
                throw SelectionError(
                    description: "\(weights.count) zoom weights for \(zooms.count) zooms")
            }
            guard weights.allSatisfy({ $0 >= 0 && $0.isFinite }) else {
                throw SelectionError(description: "a zoom weight is negative or no number")
            }
            let sum = weights.reduce(0, +)
            guard sum > 0, sum.isFinite else {
                throw SelectionError(description: "the zoom weights add up to \(sum)")
            }
            return weights
        }
    }
}
