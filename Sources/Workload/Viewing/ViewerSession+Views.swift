import TileModel

/// What a session wants, view by view.
extension ViewerSession {
    /// What is to be done now; to be called again until it says `wait` or `over`.
    ///
    /// - Parameter canAsk: whether the owner has room for an ask.
    package mutating func next(nowNS: UInt64, canAsk: Bool = true) -> ViewerAction {
        while true {
            switch phase {
            case .idle:
                return .over
            case .viewing:
                if let action = viewing(nowNS, canAsk) { return action }
            case .leaving(let layer, let cell):
                if let action = leaving(layer, cell, nowNS) { return action }
            case .ending:
                guard underWay == 0 else { return .wait(untilNS: .max) }
                phase = .idle
            }
        }
    }

    // MARK: - Views

    private mutating func viewing(_ nowNS: UInt64, _ canAsk: Bool) -> ViewerAction? {
        if pending == 0, !isReported {
            isReported = true
            return .viewEnded(facts)
        }
        let movingUntilNS = facts.number == 0 ? 0 : facts.startNS &+ ViewerRules.movingNS
        let isMoving = nowNS < movingUntilNS
        let limit = isMoving ? rules.parallelMovingMax : rules.parallelMax
        if canAsk, underWay < limit, isNew || nowNS < moveAtNS {
            if let action = takeWanted() { return action }
        }
        isNew = false
        let isLast = viewsLeft == 0 || endNS < .max && moveAtNS >= endNS
        if nowNS >= moveAtNS || isReported && isLast {
            if !isReported {
                isReported = true
                facts.missing = pending
                facts.endNS = moveAtNS
                return .viewEnded(facts)
            }
            nextView = isLast ? nil : path.next(rules)
            phase = .leaving(layer: 0, cell: 0)
            return nil
        }
        let isHeldUp =
            isMoving && (limit..<rules.parallelMax).contains(underWay)
            && isWanting
        return .wait(untilNS: isHeldUp ? min(movingUntilNS, moveAtNS) : moveAtNS)
    }

    private mutating func leaving(_ layer: Int, _ cell: Int, _ nowNS: UInt64) -> ViewerAction? {
        var cell = cell
        var frame: ViewFrame?
        if let nextView { frame = self.frame(nextView, layer: layer) }
        guard let tile = layers[layer].takeLeaving(frame, from: &cell) else {
            if layer + 1 < layerCount {
                phase = .leaving(layer: layer + 1, cell: 0)
            } else {
                arrive(nowNS)
            }
            return nil
        }
        phase = .leaving(layer: layer, cell: cell)
        guard rules.cancels else { return nil }
        release(tile, source: layer / 2)
        return .cancel(tile, source: UInt16(layer / 2))
    }

    private mutating func arrive(_ nowNS: UInt64) {
        guard let view = nextView else {
            clear()
            overNS = min(moveAtNS, nowNS)
            phase = .ending
            return
        }
        let startNS = moveAtNS
        viewBegunNS = max(nowNS, startNS)
        if startNS >= countedFromNS, viewsLeft < .max { viewsLeft -= 1 }
        facts = ViewEnd(
            session: facts.session, number: view.number, z: view.z, place: view.place,
            startNS: startNS, endNS: startNS)
        for layer in 0..<layerCount {
            guard let frame = frame(view, layer: layer) else {
                layers[layer].clear()
                continue
            }
            let source = rules.sources[layer / 2]
            let entry = layers[layer].enter(frame) { source.has($0) }
            guard layer % 2 == 0 else { continue }
            facts.tiles += entry.tiles
            facts.held += entry.held
        }
        pending = facts.tiles - facts.held
        isReported = false
        isNew = true
        let (end, isOver) = startNS.addingReportingOverflow(view.dwellNS)
        moveAtNS = isPaced ? .max : isOver ? .max - 1 : end
        phase = .viewing
    }

    /// What a layer shows of a view; nil: nothing.
    private func frame(_ view: ViewerPath.View, layer: Int) -> ViewFrame? {
        let source = rules.sources[layer / 2]
        guard let z = source.tileZoom(of: view.z) else { return nil }
        let (width, height) = (rules.viewWidth(z: view.z), rules.viewHeight(z: view.z))
        if layer % 2 == 0 {
            return ViewFrame(view, z: z, width: width, height: height, margin: rules.margin)
        }
        // Never from a zoom that the workload or the source does not have.
        let least = max(source.zoomMin, Int(rules.zoomFirst) + source.zoomShift)
        let zoom = UInt8(max(Int(z) - rules.prefetchZooms, min(least, Int(z)), 0))
        guard zoom < z else { return nil }
        return ViewFrame(view, z: zoom, width: width, height: height, margin: 0)
    }

    var isWanting: Bool {
        for layer in 0..<layerCount where layers[layer].wanted > 0 { return true }
        return false
    }

    /// The next tile to ask for: source by source, what is fetched ahead before what is shown.
    private mutating func takeWanted() -> ViewerAction? {
        let sources = layerCount / 2
        for turn in 0..<layerCount {
            let isAhead = turn < sources
            let number = isAhead ? turn : turn - sources
            let layer = layers + 2 * number + (isAhead ? 1 : 0)
            let tile = layer.pointee.takeWanted(
                rules, source: number, underWayByHost, perHostMax: perHostMax)
            guard let tile else { continue }
            claim(tile, source: number)
            return .ask(tile, source: UInt16(number), isAhead: isAhead)
        }
        return nil
    }

    // MARK: - Asks under way

    private mutating func claim(_ tile: TileID, source: Int) {
        underWay += 1
        asks += 1
        underWayByHost[rules.host(tile, source: source)] += 1
    }

    mutating func release(_ tile: TileID, source: Int) {
        precondition(underWay > 0, "an ask ends that nobody made")
        underWay -= 1
        underWayByHost[rules.host(tile, source: source)] -= 1
    }
}
