package import TileModel

/// One viewer's sessions, one after the other: a state machine without clock and wire. Events go in
/// (`begin`, `tileEnded`), actions come out (`next`), until it says `wait`.
///
/// What is looked at, and when, depends on the seed and the session's number alone: view after
/// view at the times of a table of dwells, however slow the answers and the owner are. A view that
/// is not full when the next one begins is abandoned.
///
/// Memory: `ViewerRules.sessionBytes`, taken once and used again by every further session; about
/// 1 kB for a viewport of 1280 x 800 and tiles of 256 pixels. No event or action allocates.
package struct ViewerSession: ~Copyable {
    private enum Phase {
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
    package private(set) var underWay = 0

    private let buffer: UnsafeMutableRawPointer
    private var shown: ViewLayer
    private var ahead: ViewLayer
    private var path: ViewerPath
    private var phase = Phase.idle
    private var underWayByHost = SIMD8<UInt16>()
    private var facts = ViewEnd(session: 0, number: 0, z: 0, place: 0, startNS: 0, endNS: 0)
    /// Tiles the view waits for.
    private var pending = 0
    private var isReported = false
    /// When the next view begins.
    private var moveAtNS: UInt64 = 0
    private var nextView: ViewerPath.View?

    package init(rules: ViewerRules) {
        self.rules = rules
        path = ViewerPath(rules: rules, session: 0)
        let orders = rules.viewCells + rules.aheadCells
        buffer = .allocate(byteCount: ViewerSession.bufferBytes(rules), alignment: 8)
        let order = buffer.bindMemory(to: UInt64.self, capacity: orders)
        let cells = (buffer + 8 * orders).bindMemory(
            to: ViewLayer.Cell.self, capacity: 2 * (rules.cells + rules.aheadCells))
        shown = ViewLayer(cells: cells, cellsMax: rules.cells, order: order)
        ahead = ViewLayer(
            cells: cells + 2 * rules.cells, cellsMax: rules.aheadCells,
            order: order + rules.viewCells)
    }

    deinit { buffer.deallocate() }

    static func bufferBytes(_ rules: ViewerRules) -> Int {
        8 * (rules.viewCells + rules.aheadCells) + 2 * (rules.cells + rules.aheadCells)
    }

    // MARK: - Events

    /// Begins a session: its first view is requested at that time. Nothing is held from the one
    /// before, as on a page that has just been opened. Only after `over`, or at first.
    package mutating func begin(session: UInt64, atNS: UInt64) {
        guard case .idle = phase else {
            preconditionFailure("a session begins before the last one is over")
        }
        shown.clear()
        ahead.clear()
        path = ViewerPath(rules: rules, session: session)
        facts.session = session
        moveAtNS = atNS
        nextView = path.next(rules)
        phase = .leaving(layer: 0, cell: 0)
    }

    /// An ask has ended; `isGood`: with a tile.
    package mutating func tileEnded(_ tile: TileID, isGood: Bool, nowNS: UInt64) {
        release(tile)
        if let isShown = shown.end(tile, isGood: isGood) {
            guard isShown, pending > 0 else { return }
            pending -= 1
            if !isGood { facts.failed += 1 }
            facts.endNS = max(nowNS, facts.startNS)
        } else {
            _ = ahead.end(tile, isGood: isGood)
        }
    }

    /// The viewer goes home now, before the session's own end: a user that is not wanted any more.
    package mutating func leave(nowNS: UInt64) {
        path.stop()
        switch phase {
        case .idle, .ending: break
        case .viewing: moveAtNS = min(moveAtNS, max(nowNS, facts.startNS))
        case .leaving:
            nextView = nil
            phase = .leaving(layer: 0, cell: 0)
        }
    }

    /// The view that has begun and not ended, as it would be were it given up now; nil: there is
    /// none.
    package func openView(nowNS: UInt64) -> ViewEnd? {
        guard case .viewing = phase, !isReported, pending > 0 else { return nil }
        var end = facts
        end.missing = pending
        end.endNS = max(min(nowNS, moveAtNS), end.startNS)
        return end
    }

    /// What is to be done now; to be called again until it says `wait` or `over`.
    package mutating func next(nowNS: UInt64) -> ViewerAction {
        while true {
            switch phase {
            case .idle:
                return .over
            case .viewing:
                if let action = viewing(nowNS) { return action }
            case .leaving(let layer, let cell):
                if let action = leaving(layer, cell) { return action }
            case .ending:
                guard underWay == 0 else { return .wait(untilNS: .max) }
                phase = .idle
            }
        }
    }

    // MARK: - Views

    private mutating func viewing(_ nowNS: UInt64) -> ViewerAction? {
        if pending == 0, !isReported {
            isReported = true
            return .viewEnded(facts)
        }
        if nowNS >= moveAtNS {
            if !isReported {
                isReported = true
                facts.missing = pending
                facts.endNS = moveAtNS
                return .viewEnded(facts)
            }
            nextView = path.next(rules)
            phase = .leaving(layer: 0, cell: 0)
            return nil
        }
        let movingUntilNS = facts.number == 0 ? 0 : facts.startNS &+ ViewerRules.movingNS
        let isMoving = nowNS < movingUntilNS
        let limit = isMoving ? rules.parallelMovingMax : rules.parallelMax
        if underWay < limit {
            if let tile = ahead.takeWanted(rules, underWayByHost) {
                claim(tile)
                return .ask(tile, isAhead: true)
            }
            if let tile = shown.takeWanted(rules, underWayByHost) {
                claim(tile)
                return .ask(tile, isAhead: false)
            }
        }
        let isHeldUp =
            isMoving && (limit..<rules.parallelMax).contains(underWay)
            && shown.wanted + ahead.wanted > 0
        return .wait(untilNS: isHeldUp ? min(movingUntilNS, moveAtNS) : moveAtNS)
    }

    private mutating func leaving(_ layer: Int, _ cell: Int) -> ViewerAction? {
        var cell = cell
        var frame: ViewFrame?
        if let nextView { frame = layer == 0 ? shownFrame(nextView) : aheadFrame(nextView) }
        let left =
            layer == 0
            ? shown.takeLeaving(frame, from: &cell) : ahead.takeLeaving(frame, from: &cell)
        guard let tile = left else {
            if layer == 0 { phase = .leaving(layer: 1, cell: 0) } else { arrive() }
            return nil
        }
        phase = .leaving(layer: layer, cell: cell)
        guard rules.cancels else { return nil }
        release(tile)
        return .cancel(tile)
    }

    private mutating func arrive() {
        guard let view = nextView else {
            shown.clear()
            ahead.clear()
            phase = .ending
            return
        }
        let startNS = moveAtNS
        if let frame = aheadFrame(view) {
            _ = ahead.enter(frame, rules)
        } else {
            ahead.clear()
        }
        let entry = shown.enter(shownFrame(view), rules)
        facts = ViewEnd(
            session: facts.session, number: view.number, z: view.z, place: view.place,
            tiles: entry.tiles, held: entry.held, startNS: startNS, endNS: startNS)
        pending = entry.tiles - entry.held
        isReported = false
        let (end, isOver) = startNS.addingReportingOverflow(view.dwellNS)
        moveAtNS = isOver ? .max - 1 : end
        phase = .viewing
    }

    private func shownFrame(_ view: ViewerPath.View) -> ViewFrame {
        ViewFrame(
            view, z: min(view.z, rules.tileZoomMax), width: rules.viewWidth(z: view.z),
            height: rules.viewHeight(z: view.z), margin: rules.margin)
    }

    /// Nil: nothing is fetched ahead. Never from a zoom that the workload does not have.
    private func aheadFrame(_ view: ViewerPath.View) -> ViewFrame? {
        let z = min(view.z, rules.tileZoomMax)
        let up = Int(z) - rules.prefetchZooms
        let zoom = UInt8(max(up, Int(min(rules.zoomFirst, z))))
        guard zoom < z else { return nil }
        return ViewFrame(
            view, z: zoom, width: rules.viewWidth(z: view.z),
            height: rules.viewHeight(z: view.z), margin: 0)
    }

    // MARK: - Asks under way

    private mutating func claim(_ tile: TileID) {
        underWay += 1
        underWayByHost[rules.host(tile)] += 1
    }

    private mutating func release(_ tile: TileID) {
        precondition(underWay > 0, "an ask ends that nobody made")
        underWay -= 1
        underWayByHost[rules.host(tile)] -= 1
    }
}
