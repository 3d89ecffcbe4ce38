/// Answers by where they came from, in raw memory: a few rows with names of their own. A place that
/// comes first takes memory for its row, every further answer takes none. One thread only.
struct PlaceTable {
    static let rowsMax = 32
    static let nameMax = 47

    private struct Row {
        var count: UInt64 = 0
        var bytes: UInt64 = 0
        var good = AskCounters()
        var name = InlineArray<47, UInt8>(repeating: 0)
        var nameCount = 0
        let service: RawHistogram
    }

    private let rows = UnsafeMutablePointer<Row>.allocate(capacity: rowsMax)
    private var rowCount = 0
    /// The row found last: answers mostly come from one place.
    private var last = 0
    /// Answers of places that found no row.
    private(set) var beyond: UInt64 = 0

    func deallocate() {
        for index in 0..<rowCount { rows[index].service.deallocate() }
        rows.deallocate()
    }

    mutating func add(
        _ name: UnsafeBufferPointer<UInt8>, _ cls: CacheClass, isGood: Bool, bytes: UInt64,
        serviceNS: UInt64
    ) {
        guard !name.isEmpty else { return }
        guard let index = row(of: name) else {
            beyond &+= 1
            return
        }
        last = index
        rows[index].count &+= 1
        rows[index].bytes &+= bytes
        if isGood { rows[index].good.countGood(cls) }
        rows[index].service.record(serviceNS)
    }

    private mutating func row(of name: UnsafeBufferPointer<UInt8>) -> Int? {
        if last < rowCount, isNamed(last, name) { return last }
        for index in 0..<rowCount where isNamed(index, name) { return index }
        guard rowCount < Self.rowsMax else { return nil }
        (rows + rowCount).initialize(to: Row(service: .allocate()))
        rows[rowCount].nameCount = min(name.count, Self.nameMax)
        for place in 0..<rows[rowCount].nameCount { rows[rowCount].name[place] = name[place] }
        rowCount += 1
        return rowCount - 1
    }

    private func isNamed(_ index: Int, _ name: UnsafeBufferPointer<UInt8>) -> Bool {
        let count = min(name.count, Self.nameMax)
        guard rows[index].nameCount == count else { return false }
        for place in 0..<count where rows[index].name[place] != name[place] { return false }
        return true
    }

    /// Copied out; allocates.
    var places: [ServerPlace] {
        (0..<rowCount).map { index in
            let bytes = (0..<rows[index].nameCount).map { rows[index].name[$0] }
            var place = ServerPlace(name: String(decoding: bytes, as: UTF8.self))
            place.count = rows[index].count
            place.bytes = rows[index].bytes
            place.hits = rows[index].good.serverHits
            place.known = rows[index].good.serverKnown
            place.unknown = rows[index].good.serverUnknown
            place.good = rows[index].good.serverGood
            place.service = rows[index].service.snapshot()
            return place
        }
    }
}
