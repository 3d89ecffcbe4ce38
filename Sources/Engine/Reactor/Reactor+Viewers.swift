import Metrics
import Synchronization
import TileModel
import Workload

/// Viewers: what their sessions want is done, and they are told how it went.
extension Reactor {
    /// Does what is due; false when no view is to come any more. `isEnding`: none may begin.
    func runViewers(_ nowNS: UInt64, isEnding: Bool) -> Bool {
        guard let viewers else { return false }
        if !isEnding { admitViewers(viewers, nowNS) }
        startViews(viewers, nowNS, isEnding: isEnding)
        if isEnding || viewers.open?.isExhausted(nowNS: nowNS) == true {
            endViews(viewers, nowNS, isEnding: isEnding)
        }
        while let (number, _) = viewers.wakes.popDue(nowNS: nowNS) { look(viewers, number, nowNS) }
        retryBlocked(viewers)
        while let number = viewers.touched.popLast() { look(viewers, number, nowNS) }
        return viewers.isStarting(nowNS: nowNS)
    }

    // MARK: views that begin

    /// A closed load: users come and go home as its stages say.
    private func admitViewers(_ viewers: ViewerLoad, _ nowNS: UInt64) {
        let before = viewers.wanted
        guard viewers.admit(nowNS: nowNS) else { return }
        let wanted = viewers.wanted
        for number in before..<max(before, wanted) {
            // One that waits for its last tiles comes again after them.
            guard viewers.members[number].isAway else { continue }
            _ = beginSession(viewers, Int32(number), atNS: nowNS)
            viewers.touch(Int32(number))
        }
        for number in wanted..<max(before, wanted) {
            guard !viewers.members[number].isAway else { continue }
            viewers.members[number].session.leave(nowNS: nowNS)
            viewers.touch(Int32(number))
        }
    }

    /// An open load: the views that are due.
    private func startViews(_ viewers: ViewerLoad, _ nowNS: UInt64, isEnding: Bool) {
        let untilNS = isEnding ? min(nowNS, viewsEndNS) : nowNS
        while let due = viewers.open?.next(nowNS: untilNS) {
            guard let number = viewers.viewer(ofView: due.index) else { continue }
            let viewer = viewers.members + Int(number)
            let atNS = context.t0NS &+ UInt64(bitPattern: due.intendedNS)
            viewer.pointee.session.move(atNS: atNS)
            look(viewers, number, nowNS)
            // The session was over before that, or is now.
            if !viewer.pointee.session.isLooking {
                _ = beginSession(viewers, number, atNS: atNS)
                look(viewers, number, nowNS)
            }
        }
    }

    /// False: the viewer stays at home.
    private func beginSession(_ viewers: ViewerLoad, _ number: Int32, atNS: UInt64) -> Bool {
        let viewer = viewers.members + Int(number)
        guard viewer.pointee.session.mayBegin(atNS: atNS) else { return false }
        let session = viewers.sessionNumber(number, viewer.pointee.sessions)
        if viewer.pointee.isAway { viewers.presentCount += 1 }
        viewer.pointee.isAway = false
        viewer.pointee.sessions += 1
        viewer.pointee.session.begin(session: session, atNS: atNS)
        recorder.sessionBegan(atNS: context.fromT0(atNS))
        return true
    }

    /// No view begins after that time.
    private var viewsEndNS: UInt64 {
        min(startEndNS, context.control.startEndNS.load(ordering: .acquiring))
    }

    /// Views that have begun go on until they are full or left.
    private func endViews(_ viewers: ViewerLoad, _ nowNS: UInt64, isEnding: Bool) {
        guard !viewers.hasEnded else { return }
        viewers.hasEnded = true
        let endNS = isEnding ? viewsEndNS : nowNS
        for number in 0..<viewers.count where !viewers.members[number].isAway {
            viewers.members[number].session.endNS = endNS
            viewers.touch(Int32(number))
        }
    }

    // MARK: what a session wants

    private func look(_ viewers: ViewerLoad, _ number: Int32, _ nowNS: UInt64) {
        let viewer = viewers.members + Int(number)
        viewer.pointee.isTouched = false
        while true {
            let canAsk = canTakeSlot && !pool.isFull
            switch viewer.pointee.session.next(nowNS: nowNS, canAsk: canAsk) {
            case .ask(let tile, let source, _):
                ask(for: tile, source: source, viewer, number, nowNS)
            case .cancel(let tile, let source): cancel(tile, source: source, viewer, nowNS)
            case .viewEnded(let end): note(end)
            case .wait(let untilNS):
                viewers.wakes.set(user: number, atNS: untilNS)
                if !canAsk { viewers.block(number) }
                viewers.noteFinished(number)
                return
            case .over:
                guard comesAgain(viewers, number) else {
                    viewers.wakes.set(user: number, atNS: .max)
                    viewers.noteFinished(number)
                    return
                }
            }
        }
    }

    /// A user whose session is over begins the next, unless nobody wants it any more.
    private func comesAgain(_ viewers: ViewerLoad, _ number: Int32) -> Bool {
        let viewer = viewers.members + Int(number)
        if viewer.pointee.isAway { return false }
        viewers.presentCount -= 1
        viewer.pointee.isAway = true
        guard viewers.open == nil, !viewers.hasEnded, number < viewers.wanted else { return false }
        return beginSession(viewers, number, atNS: viewer.pointee.session.overNS)
    }

    private func note(_ end: ViewEnd, isAtEnd: Bool = false) {
        recorder.viewEnded(
            ViewOutcome(
                place: end.place, startNS: context.fromT0(end.startNS), timeNS: end.timeNS,
                tiles: end.tiles, held: end.held, failed: end.failed, missing: end.missing,
                isAtEnd: isAtEnd))
    }

    /// Those that found no place for an ask, when there may be one.
    private func retryBlocked(_ viewers: ViewerLoad) {
        guard canTakeSlot, !pool.isFull, !viewers.blocked.isEmpty else { return }
        viewers.unblock()
    }

    private func ask(
        for tile: TileID, source: UInt16, _ viewer: ViewerPointer, _ number: Int32,
        _ nowNS: UInt64
    ) {
        let view = viewer.pointee.session.view
        let intendedNS = context.fromT0(view.startNS)
        let choice = TileChoice(tile: tile, source: source, place: view.place)
        let index = viewer.pointee.session.askNumber
        let look = lookUp(
            choice, index: index, user: number, intendedNS: intendedNS, nowNS: nowNS)
        if look.isAnswered {
            viewer.pointee.session.tileEnded(
                tile, source: source, isGood: true, nowNS: nowNS)
            return
        }
        guard let slot = pool.take() else {
            preconditionFailure("the pool is as large as what may be open")
        }
        let begunNS = viewer.pointee.session.viewBegunNS
        slot.pointee.begin(
            choice: choice, streamIndex: index, intendedNS: intendedNS, user: number,
            nowNS: begunNS)
        slot.pointee.cacheUse = look.use
        slot.pointee.cacheKey = look.key
        slot.pointee.keptBytes = look.keptBytes
        // What the client's own limits made it wait for.
        slot.pointee.connectionWaitNS = nowNS &- begunNS
        link(slot, to: viewer)
        recorder.askStarted(
            zoom: tile.z, place: view.place, intendedNS: intendedNS,
            startedNS: context.fromT0(begunNS))
        enqueue(slot, nowNS)
    }

    // MARK: asks of a viewer

    private func link(_ slot: SlotPointer, to viewer: ViewerPointer) {
        slot.pointee.nextOfViewer = viewer.pointee.firstSlot
        if viewer.pointee.firstSlot >= 0 {
            pool[viewer.pointee.firstSlot].pointee.previousOfViewer = slot.pointee.index
        }
        viewer.pointee.firstSlot = slot.pointee.index
    }

    private func unlink(_ slot: SlotPointer, from viewer: ViewerPointer) {
        let (previous, next) = (slot.pointee.previousOfViewer, slot.pointee.nextOfViewer)
        if previous >= 0 {
            pool[previous].pointee.nextOfViewer = next
        } else {
            viewer.pointee.firstSlot = next
        }
        if next >= 0 { pool[next].pointee.previousOfViewer = previous }
    }

    /// The viewer moved on: what it no longer sees is cut off, wherever it is.
    private func cancel(
        _ tile: TileID, source: UInt16, _ viewer: ViewerPointer, _ nowNS: UInt64
    ) {
        var index = viewer.pointee.firstSlot
        while index >= 0 {
            let slot = pool[index]
            if slot.pointee.tile == tile, slot.pointee.source == source {
                withdraw(slot, nowNS)
                end(slot, .cancelled, cause: .status, detail: 0, nowNS: nowNS)
                return
            }
            index = slot.pointee.nextOfViewer
        }
        preconditionFailure("a viewer cancels what it has not asked for")
    }

    /// An ask of a viewer's is over.
    func tellViewer(_ slot: SlotPointer, _ cls: AskClass, _ nowNS: UInt64) {
        guard let viewers else { return }
        let viewer = viewers.members + Int(slot.pointee.user)
        unlink(slot, from: viewer)
        switch cls {
        case .ok, .failed:
            viewer.pointee.session.tileEnded(
                slot.pointee.tile, source: slot.pointee.source, isGood: cls == .ok,
                nowNS: nowNS)
            viewers.touch(slot.pointee.user)
        case .cancelled, .inFlightAtEnd: break
        }
    }

    /// The run is over: what was still looked at, and had not all of its tiles.
    func giveUpViews(_ nowNS: UInt64) {
        guard let viewers else { return }
        for number in 0..<viewers.count {
            guard let end = viewers.members[number].session.openView(nowNS: nowNS) else {
                continue
            }
            note(end, isAtEnd: end.missing > 0)
        }
    }
}
