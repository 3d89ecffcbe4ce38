/// Answers of the measured part by where they came from: an edge location, or an address.
package struct ServerPlace: Sendable {
    package var name: String
    package var count: UInt64 = 0
    package var bytes: UInt64 = 0
    /// Good answers by what the server's cache did, for `hitRate`.
    package var hits: UInt64 = 0
    package var known: UInt64 = 0
    package var unknown: UInt64 = 0
    package var good: UInt64 = 0
    /// Service time.
    package var service = Histogram()

    package init(name: String) {
        self.name = name
    }

    /// See `CacheResult.hitRate`.
    package var hitRate: Double? {
        CacheResult.hitRate(hits: hits, known: known, unknown: unknown, good: good)
    }

    /// Adds the rows of another reactor to those of the same name.
    static func merge(_ theirs: [ServerPlace], into ours: inout [ServerPlace]) {
        for row in theirs {
            guard let index = ours.firstIndex(where: { $0.name == row.name }) else {
                ours.append(row)
                continue
            }
            ours[index].count += row.count
            ours[index].bytes += row.bytes
            ours[index].hits += row.hits
            ours[index].known += row.known
            ours[index].unknown += row.unknown
            ours[index].good += row.good
            ours[index].service.add(row.service)
        }
        ours.sort { ($1.count, $0.name) < ($0.count, $1.name) }
    }
}
