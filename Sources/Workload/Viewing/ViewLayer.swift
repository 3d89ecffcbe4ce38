import TileModel

/// The tiles of one zoom that a session has, asks for and wants. Its memory is the session's.
struct ViewLayer {
    /// What is known of a cell of the frame.
    enum Cell: UInt8 {
        /// Not wanted: in the margin, or not on the server.
        case idle
        case wanted
        /// Under way.
        case asked
        case held
        /// Ended without a tile; asked for again in a later view.
        case failed
    }

    /// What entering a frame found.
    struct Entry {
        /// Tiles shown.
        var tiles = 0
        /// Those of them that are there already, and those under way.
        var held = 0
        var asked = 0
    }

    private(set) var frame: ViewFrame?
    /// Wanted tiles, not yet asked for.
    private(set) var wanted = 0
    private var cells: UnsafeMutablePointer<Cell>
    private var spare: UnsafeMutablePointer<Cell>
    /// Wanted cells by distance: its bits above, the number of the cell below.
    private let order: UnsafeMutablePointer<UInt64>
    private let cellsMax: Int
    private var orderCount = 0
    /// No wanted cell stands before it in the order.
    private var cursor = 0

    /// - Parameters:
    ///   - cells: room for twice `cellsMax`.
    ///   - order: room for as many as are ever shown.
    init(
        cells: UnsafeMutablePointer<Cell>, cellsMax: Int, order: UnsafeMutablePointer<UInt64>
    ) {
        self.cells = cells
        spare = cells + cellsMax
        self.cellsMax = cellsMax
        self.order = order
    }

    /// Lets all go.
    mutating func clear() {
        frame = nil
        (wanted, orderCount, cursor) = (0, 0, 0)
    }

    /// Makes a frame the present one: what is held or under way stays so, what is shown and is
    /// neither becomes wanted, from the centre out.
    mutating func enter(_ next: ViewFrame, has: (TileID) -> Bool) -> Entry {
        precondition(next.cells <= cellsMax, "a view has more tiles than its rules reckoned with")
        var entry = Entry()
        (wanted, orderCount, cursor) = (0, 0, 0)
        for number in 0..<next.cells {
            let tile = next.tile(at: number)
            var cell = Cell.idle
            if let frame, let old = frame.cell(of: tile) {
                let state = cells[old]
                if state == .held || state == .asked { cell = state }
            }
            if next.shows(tile), has(tile) {
                entry.tiles += 1
                switch cell {
                case .held: entry.held += 1
                case .asked: entry.asked += 1
                case .idle, .wanted, .failed:
                    cell = .wanted
                    order[orderCount] =
                        UInt64(next.distance(tile).bitPattern) << 32 | UInt64(number)
                    orderCount += 1
                }
            }
            (spare + number).initialize(to: cell)
        }
        (cells, spare) = (spare, cells)
        frame = next
        wanted = orderCount
        heapSort(UnsafeMutableBufferPointer(start: order, count: orderCount))
        return entry
    }

    /// A tile under way that is not in the next frame; it is taken off the books. Nil: none is
    /// left from a cell on, which moves on.
    mutating func takeLeaving(_ next: ViewFrame?, from place: inout Int) -> TileID? {
        guard let frame else { return nil }
        while place < frame.cells {
            let number = place
            place += 1
            guard cells[number] == .asked else { continue }
            let tile = frame.tile(at: number)
            if next?.cell(of: tile) != nil { continue }
            cells[number] = .idle
            return tile
        }
        return nil
    }

    /// The wanted tile nearest to the centre whose host has room; it is then under way.
    ///
    /// - Parameter source: of the tiles of this layer.
    mutating func takeWanted(
        _ rules: ViewerRules, source: Int, _ underWay: SIMD8<UInt16>, perHostMax: Int
    ) -> TileID? {
        guard wanted > 0, let frame else { return nil }
        var place = cursor
        var isFirst = true
        while place < orderCount {
            let number = Int(truncatingIfNeeded: order[place] & 0xFFFF_FFFF)
            place += 1
            if cells[number] == .wanted {
                let tile = frame.tile(at: number)
                if Int(underWay[rules.host(tile, source: source)]) < perHostMax {
                    cells[number] = .asked
                    wanted -= 1
                    if isFirst { cursor = place }
                    return tile
                }
                isFirst = false
            }
            if isFirst { cursor = place }
        }
        return nil
    }

    /// A tile under way has ended. Nil: it is none of this layer's; otherwise whether it is shown.
    mutating func end(_ tile: TileID, isGood: Bool) -> Bool? {
        guard let frame, let number = frame.cell(of: tile), cells[number] == .asked else {
            return nil
        }
        cells[number] = isGood ? .held : .failed
        return frame.shows(tile)
    }
}

/// Sorts in place, ascending, without memory of its own, which the standard library's sort takes.
func heapSort(_ numbers: UnsafeMutableBufferPointer<UInt64>) {
    guard numbers.count > 1 else { return }
    for start in (0..<numbers.count / 2).reversed() { siftDown(numbers, start, numbers.count) }
    for end in (1..<numbers.count).reversed() {
        numbers.swapAt(0, end)
        siftDown(numbers, 0, end)
    }
}

private func siftDown(_ numbers: UnsafeMutableBufferPointer<UInt64>, _ start: Int, _ end: Int) {
    let number = numbers[start]
    var hole = start
    while true {
        var child = 2 * hole + 1
        if child >= end { break }
        if child + 1 < end, numbers[child + 1] > numbers[child] { child += 1 }
        if number >= numbers[child] { break }
        numbers[hole] = numbers[child]
        hole = child
    }
    numbers[hole] = number
}
