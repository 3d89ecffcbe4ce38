package import TileModel

/// One viewer's sessions, one after the other: a state machine without clock and wire. Events go in
/// (`begin`, `move`, `tileEnded`), actions come out (`next`), until it says `wait`.
///
/// What is looked at, and when, depends on the seed and the session's number alone: view after
/// view at the times of a table of dwells, however slow the answers and the owner are. A view that
/// is not full when the next one begins is abandoned. One whose owner is late still makes its first
/// asks. A paced session has another's table: its views last until its owner says `move`.
///
/// Memory: `ViewerRules.sessionBytes`, taken once and used again by every further session; about
/// 1 kB for a viewport of 1280 x 800 and tiles of 256 pixels. No event or action allocates.
package struct ViewerSession: ~Copyable {
    enum Phase {
        case idle
        case viewing
        /// The viewer moves on, to the next view or home: tiles under way that are left behind are
        /// given up, those of the layers one after the other from a cell on.
        case leaving(layer: Int, cell: Int)
        /// Gone home; waits for what is under way (without cancelling).
        case ending
    }

    package let rules: ViewerRules
    /// Asks under way.
    package internal(set) var underWay = 0
    /// Of them to one host at most; the owner may set it.
    package var perHostMax: Int
    /// No view begins at or after that time, and none when so many have begun from the time on from
    /// which they count. The viewer goes home as soon as its last view is full.
    package var endNS: UInt64 = .max
    package var viewsLeft: UInt64 = .max
    package var countedFromNS: UInt64 = 0
    /// When the owner was told of the view.
    package internal(set) var viewBegunNS: UInt64 = 0
    /// When the session was over.
    package internal(set) var overNS: UInt64 = 0

    private let buffer: UnsafeMutableRawPointer
    /// Of each source the tiles shown, then those fetched ahead: layers 2n and 2n + 1.
    let layers: UnsafeMutablePointer<ViewLayer>
    let layerCount: Int
    var path: ViewerPath
    var phase = Phase.idle
    var underWayByHost = SIMD8<UInt16>()
    var facts = ViewEnd(session: 0, number: 0, z: 0, place: 0, startNS: 0, endNS: 0)
    /// Tiles the view waits for.
    var pending = 0
    var isReported = false
    /// It has not had a chance to ask.
    var isNew = false
    let isPaced: Bool
    var asks: UInt64 = 0
    /// When the next view begins.
    var moveAtNS: UInt64 = 0
    var nextView: ViewerPath.View?

    /// - Parameter isPaced: whether `move` says when views begin, instead of the dwells.
    package init(rules: ViewerRules, isPaced: Bool = false) {
        self.rules = rules
        self.isPaced = isPaced
        perHostMax = rules.perHostMax
        path = ViewerPath(rules: rules, session: 0)
        let (orders, places) = ViewerSession.bufferSizes(rules)
        buffer = .allocate(byteCount: ViewerSession.bufferBytes(rules), alignment: 8)
        var order = buffer.bindMemory(to: UInt64.self, capacity: orders)
        var cells = (buffer + 8 * orders).bindMemory(to: ViewLayer.Cell.self, capacity: places)
        layerCount = 2 * rules.sources.count
        layers = .allocate(capacity: layerCount)
        for (number, source) in rules.sources.enumerated() {
            (layers + 2 * number).initialize(
                to: ViewLayer(cells: cells, cellsMax: source.cells, order: order))
            (cells, order) = (cells + 2 * source.cells, order + source.viewCells)
            (layers + 2 * number + 1).initialize(
                to: ViewLayer(cells: cells, cellsMax: source.aheadCells, order: order))
            (cells, order) = (cells + 2 * source.aheadCells, order + source.aheadCells)
        }
    }

    deinit {
        layers.deallocate()
        buffer.deallocate()
    }

    private static func bufferSizes(_ rules: ViewerRules) -> (orders: Int, cells: Int) {
        rules.sources.reduce((0, 0)) {
            ($0.0 + $1.viewCells + $1.aheadCells, $0.1 + 2 * ($1.cells + $1.aheadCells))
        }
    }

    static func bufferBytes(_ rules: ViewerRules) -> Int {
        let sizes = bufferSizes(rules)
        return 8 * sizes.orders + sizes.cells
            + 2 * rules.sources.count * MemoryLayout<ViewLayer>.stride
    }

    func clear() {
        for layer in 0..<layerCount { layers[layer].clear() }
    }

    // MARK: - Events

    /// Begins a session: its first view is requested at that time. Nothing is held from the one
    /// before, as on a page that has just been opened. Only where nothing is looked at; what the
    /// last session has under way goes on.
    package mutating func begin(session: UInt64, atNS: UInt64) {
        precondition(!isLooking, "a session begins before the last one is over")
        clear()
        path = ViewerPath(rules: rules, session: session)
        facts.session = session
        asks = 0
        moveAtNS = atNS
        nextView = path.next(rules)
        phase = .leaving(layer: 0, cell: 0)
    }

    /// The next view of a paced session begins.
    package mutating func move(atNS: UInt64) {
        precondition(isPaced)
        if case .viewing = phase { moveAtNS = max(atNS, facts.startNS) }
    }

    /// An ask has ended; `isGood`: with a tile.
    package mutating func tileEnded(
        _ tile: TileID, source: UInt16 = 0, isGood: Bool, nowNS: UInt64
    ) {
        release(tile, source: Int(source))
        if case .ending = phase { overNS = max(overNS, nowNS) }
        let shown = layers + 2 * Int(source)
        if let isShown = shown.pointee.end(tile, isGood: isGood) {
            guard isShown, pending > 0 else { return }
            pending -= 1
            if !isGood { facts.failed += 1 }
            facts.endNS = max(nowNS, facts.startNS)
        } else {
            _ = (shown + 1).pointee.end(tile, isGood: isGood)
        }
    }

    /// The viewer goes home now, before the session's own end: a user that is not wanted any more.
    package mutating func leave(nowNS: UInt64) {
        path.stop()
        isNew = false
        switch phase {
        case .idle, .ending: break
        case .viewing: moveAtNS = min(moveAtNS, max(nowNS, facts.startNS))
        case .leaving:
            nextView = nil
            phase = .leaving(layer: 0, cell: 0)
        }
    }

    /// The view that has begun and whose end has not been told, as it would be were it given up
    /// now; nil: there is none.
    package func openView(nowNS: UInt64) -> ViewEnd? {
        guard case .viewing = phase, !isReported else { return nil }
        var end = facts
        end.missing = pending
        if pending > 0 { end.endNS = max(min(nowNS, moveAtNS), end.startNS) }
        return end
    }

    // MARK: - What it is about

    /// Something is looked at.
    package var isLooking: Bool {
        switch phase {
        case .idle, .ending: false
        case .viewing, .leaving: true
        }
    }

    /// A session that begins then would have a view.
    package func mayBegin(atNS: UInt64) -> Bool { viewsLeft > 0 && atNS < endNS }

    /// The view that is looked at: its start and its place.
    package var view: (startNS: UInt64, place: UInt16) { (facts.startNS, facts.place) }

    /// Of the last ask: a number that no other ask of any session has.
    package var askNumber: UInt64 { facts.session &<< 24 ^ asks }

    /// It would ask if it could.
    package var wantsToAsk: Bool {
        underWay < rules.parallelMax && isWanting
    }
}
