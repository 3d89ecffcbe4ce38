import TileModel

/// The tiles of a stream of any length, each with its weight, in bounded memory.
///
/// Up to `limit` entries are kept as they came. Beyond, this is a priority sample (Duffield, Lund,
/// Thorup: "Priority sampling for estimation of arbitrary subset sums", Journal of the ACM 54,
/// 2007): each entry has the priority weight / u, u an even number of 0...1 that is a function of
/// the tile; the `limit` highest are kept, each with the weight max(own, threshold), the threshold
/// being the highest priority that was let go. So the tiles asked for most are there with their
/// own weights, the others stand for those like them, and the weight of any region or zoom is
/// right on average.
struct WeightSample {
    struct Entry {
        var packed: UInt64
        var weight: Double

        /// weight / u.
        var priority: Double {
            // Half a step keeps u off 0.
            let share = (Double(SeededRandom.mix(packed) >> 11) + 0.5) * 0x1p-53
            return weight / share
        }
    }

    let limit: Int
    /// Never more than twice the limit and two.
    private(set) var entries: [Entry] = []
    private var capacity: Int { 2 * limit + 2 }
    /// An entry below this is let go at once.
    private var floor = 0.0
    private var isCut = false

    init(limit: Int) {
        self.limit = limit
    }

    mutating func add(_ tile: TileID, weight: Double) {
        let entry = Entry(packed: tile.packed, weight: weight)
        if isCut, entry.priority < floor { return }
        entries.append(entry)
        if entries.count == capacity { cut() }
    }

    /// Keeps the limit and one more, whose priority becomes the threshold.
    private mutating func cut() {
        WeightSample.moveHighest(limit + 1, to: &entries)
        entries.removeSubrange((limit + 1)...)
        floor = entries.lazy.map(\.priority).min() ?? 0
        isCut = true
    }

    /// The entries kept, in the order of their tiles, and whether some were let go.
    consuming func finish() -> (entries: [Entry], isSampled: Bool) {
        var isSampled = false
        if entries.count > limit {
            isSampled = true
            WeightSample.moveHighest(limit, to: &entries)
            let threshold = entries[limit...].lazy.map(\.priority).max() ?? 0
            entries.removeSubrange(limit...)
            for place in entries.indices {
                entries[place].weight = max(entries[place].weight, threshold)
            }
        }
        entries.sort { ($0.packed, $0.weight) < ($1.packed, $1.weight) }
        return (entries, isSampled)
    }

    /// Hoare's selection: afterwards the `count` entries of the highest priority come first.
    private static func moveHighest(_ count: Int, to entries: inout [Entry]) {
        var (low, high) = (0, entries.count - 1)
        while low < high {
            let pivot = entries[low + (high - low) / 2].priority
            var (left, right) = (low, high)
            while left <= right {
                while entries[left].priority > pivot { left += 1 }
                while entries[right].priority < pivot { right -= 1 }
                if left <= right {
                    entries.swapAt(left, right)
                    left += 1
                    right -= 1
                }
            }
            if count - 1 <= right {
                high = right
            } else if count - 1 >= left {
                low = left
            } else {
                return
            }
        }
    }
}
