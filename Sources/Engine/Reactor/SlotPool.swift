/// A first-in, first-out list of slots through their links: no memory of its own.
struct SlotList {
    private(set) var count = 0
    private var head: Int32 = -1
    private var tail: Int32 = -1

    var isEmpty: Bool { head < 0 }

    mutating func append(_ slot: SlotPointer, in pool: borrowing SlotPool) {
        slot.pointee.next = -1
        slot.pointee.previous = tail
        if tail < 0 {
            head = slot.pointee.index
        } else {
            pool[tail].pointee.next = slot.pointee.index
        }
        tail = slot.pointee.index
        count &+= 1
    }

    /// Puts the others before its own.
    mutating func prepend(_ others: SlotList, in pool: borrowing SlotPool) {
        guard !others.isEmpty else { return }
        pool[others.tail].pointee.next = head
        if head >= 0 { pool[head].pointee.previous = others.tail }
        head = others.head
        if tail < 0 { tail = others.tail }
        count &+= others.count
    }

    func first(in pool: borrowing SlotPool) -> SlotPointer? { head < 0 ? nil : pool[head] }

    mutating func removeFirst(in pool: borrowing SlotPool) -> SlotPointer? {
        guard head >= 0 else { return nil }
        let slot = pool[head]
        remove(slot, in: pool)
        return slot
    }

    /// Takes out one that is in this list.
    mutating func remove(_ slot: SlotPointer, in pool: borrowing SlotPool) {
        let (previous, next) = (slot.pointee.previous, slot.pointee.next)
        if previous >= 0 { pool[previous].pointee.next = next } else { head = next }
        if next >= 0 { pool[next].pointee.previous = previous } else { tail = previous }
        slot.pointee.next = -1
        slot.pointee.previous = -1
        count &-= 1
    }
}

/// Slots in chunks that never move and are made when first needed.
struct SlotPool: ~Copyable {
    private static let chunkSize = 256
    private var chunks: [SlotPointer] = []
    private(set) var count = 0
    private var freeHead: Int32 = -1
    let limit: Int

    init(limit: Int) {
        self.limit = limit
        chunks.reserveCapacity((limit + Self.chunkSize - 1) / Self.chunkSize)
    }

    /// No place is left for one more.
    var isFull: Bool { freeHead < 0 && count >= limit }

    subscript(index: Int32) -> SlotPointer {
        chunks[Int(index) / Self.chunkSize] + Int(index) % Self.chunkSize
    }

    /// A free slot; nil at the limit.
    mutating func take() -> SlotPointer? {
        if freeHead >= 0 {
            let slot = self[freeHead]
            freeHead = slot.pointee.next
            slot.pointee.next = -1
            return slot
        }
        guard count < limit else { return nil }
        if count % Self.chunkSize == 0 { chunks.append(.allocate(capacity: Self.chunkSize)) }
        let index = Int32(count)
        count += 1
        let slot = self[index]
        slot.initialize(to: Slot(index: index))
        return slot
    }

    mutating func giveBack(_ slot: SlotPointer) {
        slot.pointee.state = .free
        slot.pointee.redirectURL = nil
        slot.pointee.next = freeHead
        freeHead = slot.pointee.index
    }

    /// Frees everything; the pool is empty afterwards.
    mutating func drain() {
        for index in 0..<count { self[Int32(index)].deinitialize(count: 1) }
        for chunk in chunks { chunk.deallocate() }
        chunks = []
        count = 0
        freeHead = -1
    }
}
