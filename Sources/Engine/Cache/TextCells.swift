/// Short texts of different lengths in cells of one size, each text a chain of them: storing one
/// takes memory only when all cells are in use, and giving one back leaves no holes. Owned by one
/// thread.
struct TextCells {
    private static let bytesPerCell = 36

    private struct Cell {
        var next: Int32
        var bytes: InlineArray<36, UInt8>
    }

    private var cells = UnsafeMutableBufferPointer<Cell>(start: nil, count: 0)
    private var firstFree: Int32 = -1

    func deallocate() { cells.deallocate() }

    /// Keeps the two texts, one behind the other.
    ///
    /// - Returns: Where they are; -1 when both are empty.
    mutating func store(
        _ first: UnsafeBufferPointer<UInt8>, _ second: UnsafeBufferPointer<UInt8>
    ) -> Int32 {
        var head: Int32 = -1
        // From the end, so that each cell knows its next one.
        var end = first.count + second.count
        while end > 0 {
            let start = (end - 1) / Self.bytesPerCell * Self.bytesPerCell
            let index = take()
            cells[Int(index)].next = head
            for place in start..<end {
                cells[Int(index)].bytes[place - start] =
                    place < first.count ? first[place] : second[place - first.count]
            }
            head = index
            end = start
        }
        return head
    }

    /// Copies `count` bytes of a text from its beginning.
    func copy(_ head: Int32, count: Int, into buffer: UnsafeMutablePointer<UInt8>) {
        var cell = head
        for place in 0..<count {
            let offset = place % Self.bytesPerCell
            if offset == 0, place > 0 { cell = cells[Int(cell)].next }
            buffer[place] = cells[Int(cell)].bytes[offset]
        }
    }

    mutating func giveBack(_ head: Int32) {
        var cell = head
        while cell >= 0 {
            let next = cells[Int(cell)].next
            cells[Int(cell)].next = firstFree
            firstFree = cell
            cell = next
        }
    }

    private mutating func take() -> Int32 {
        if firstFree < 0 { grow() }
        let index = firstFree
        firstFree = cells[Int(index)].next
        return index
    }

    private mutating func grow() {
        let old = cells.count
        let new = max(64, old * 2)
        let grown = UnsafeMutableBufferPointer<Cell>.allocate(capacity: new)
        for index in 0..<old { grown.initializeElement(at: index, to: cells[index]) }
        for index in old..<new {
            let next = index + 1 < new ? Int32(index + 1) : -1
            grown.initializeElement(at: index, to: Cell(next: next, bytes: .init(repeating: 0)))
        }
        cells.deallocate()
        cells = grown
        firstFree = Int32(old)
    }
}
