/// Draws one of several things by weight in constant time.
///
/// A. J. Walker's alias method, "An efficient method for generating discrete random variables with
/// general distributions", ACM TOMS 3 (1977); the table built after M. D. Vose, IEEE TSE 17 (1991).
/// Sixteen bytes per thing.
struct AliasTable: Sendable {
    /// Below its share a place stands for itself, above for the other one.
    struct Place: Sendable {
        var share: Double
        var other: UInt32
        /// What the place stands for, a number of the caller's.
        var member: UInt32
    }

    let places: [Place]

    /// - Parameters:
    ///   - members: at least one, less than 2^32.
    ///   - weights: one per member, finite, none negative, not all 0.
    init(members: [UInt32], weights: [Double]) {
        let mean = weights.reduce(0, +) / Double(weights.count)
        var places = zip(members, weights).map { member, weight in
            Place(share: weight / mean, other: 0, member: member)
        }
        var small = places.indices.filter { places[$0].share < 1 }
        var large = places.indices.filter { places[$0].share >= 1 }
        while let poor = small.popLast() {
            guard let rich = large.last else {
                // Only rounding leaves one over.
                places[poor].share = 1
                continue
            }
            places[poor].other = UInt32(rich)
            places[rich].share -= 1 - places[poor].share
            if places[rich].share < 1 {
                large.removeLast()
                small.append(rich)
            }
        }
        for rich in large { places[rich].share = 1 }
        self.places = places
    }

    /// The number of one member of a table that begins at a place of an array. The array is handed
    /// in, so that the hot path holds no reference but its own.
    static func draw(
        _ draws: inout SeededRandom.Draws, _ places: [Place], first: Int, count: Int
    ) -> UInt32 {
        let place = places[first + Int(draws.below(UInt64(count)))]
        return draws.unit() < place.share
            ? place.member : places[first + Int(place.other)].member
    }
}
