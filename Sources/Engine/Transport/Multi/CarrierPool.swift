/// Carriers in chunks that never move. An open load takes the one given back last, so that the
/// fewest connections are kept busy; a closed load's user always has its own.
struct CarrierPool: ~Copyable {
    private static let chunkSize = 64
    private var chunks: [CarrierPointer] = []
    private(set) var count = 0
    private var freeHead: Int32 = -1

    subscript(index: Int32) -> CarrierPointer {
        chunks[Int(index) / Self.chunkSize] + Int(index) % Self.chunkSize
    }

    /// True when the next one taken would be new.
    var isEmpty: Bool { freeHead < 0 }

    /// One that has had a connection, if there is any.
    mutating func take(make: (Int32) -> Carrier) -> CarrierPointer {
        guard freeHead >= 0 else { return append(make) }
        let carrier = self[freeHead]
        freeHead = carrier.pointee.next
        carrier.pointee.next = -1
        return carrier
    }

    /// That of a closed load's user.
    mutating func carrier(ofUser user: Int32, make: (Int32) -> Carrier) -> CarrierPointer {
        while count <= Int(user) { _ = append(make) }
        return self[user]
    }

    /// Nil when the user never had one.
    func known(user: Int32) -> CarrierPointer? { Int(user) < count ? self[user] : nil }

    mutating func giveBack(_ carrier: CarrierPointer) {
        carrier.pointee.next = freeHead
        freeHead = carrier.pointee.index
    }

    private mutating func append(_ make: (Int32) -> Carrier) -> CarrierPointer {
        if count % Self.chunkSize == 0 { chunks.append(.allocate(capacity: Self.chunkSize)) }
        let index = Int32(count)
        count += 1
        let carrier = self[index]
        carrier.initialize(to: make(index))
        return carrier
    }

    /// Frees everything; the pool is empty afterwards.
    mutating func drain() {
        for index in 0..<count {
            self[Int32(index)].pointee.free()
            self[Int32(index)].deinitialize(count: 1)
        }
        for chunk in chunks { chunk.deallocate() }
        chunks = []
        count = 0
        freeHead = -1
    }
}
