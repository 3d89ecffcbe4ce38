/// Carriers in chunks that never move. An open load takes the one given back last, so that the
/// fewest connections are kept busy; a closed load's user always has its own, and a viewer several.
struct CarrierPool: ~Copyable {
    private static let chunkSize = 64
    private var chunks: [CarrierPointer] = []
    private(set) var count = 0
    private var freeHead: Int32 = -1
    /// The same for each viewer.
    private var freeHeads: [Int32]

    /// - Parameter viewers: those with carriers of their own.
    init(viewers: Int = 0) {
        freeHeads = Array(repeating: -1, count: viewers)
    }

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

    /// One of that viewer's.
    mutating func take(ofViewer viewer: Int32, make: (Int32) -> Carrier) -> CarrierPointer {
        let free = freeHeads[Int(viewer)]
        guard free >= 0 else { return append(make) }
        freeHeads[Int(viewer)] = self[free].pointee.next
        self[free].pointee.next = -1
        return self[free]
    }

    mutating func giveBack(_ carrier: CarrierPointer, toViewer viewer: Int32) {
        carrier.pointee.next = freeHeads[Int(viewer)]
        freeHeads[Int(viewer)] = carrier.pointee.index
    }

    /// The one that the viewer would take; nil: a new one.
    func free(ofViewer viewer: Int32) -> CarrierPointer? {
        let free = freeHeads[Int(viewer)]
        return free >= 0 ? self[free] : nil
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
