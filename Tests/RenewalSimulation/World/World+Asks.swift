import Engine
import Metrics

/// What asks do, each as a reactor does it for them.
extension World {
    private func view(_ ask: Ask) -> Int { Int(ask.reactor) * policy.cells + Int(ask.cell) }

    // MARK: to be sent

    mutating func admit(_ index: Int, byOldLook: Bool) {
        let number = Int(asks[index].cell)
        if asks[index].state == .releasing { leaveQueue(index) }
        asks[index].state = .queued
        if !byOldLook { look(view(asks[index]), number) }
        let view = views[view(asks[index])]
        if view.sendsFreely, nowNS < view.actsAtNS {
            stamp(index, generation: view.generation, serial: view.serial)
            return
        }
        if asks[index].isCanary {
            let cell = sites[number].cell
            if cell.hasCanary, cell.generation == asks[index].generation {
                stamp(index, generation: cell.generation, serial: cell.serial)
                return
            }
            loseCanary(index)
        }
        let joins = !asks[index].hasJoined
        follow(transition(number) { $0.acquire(nowNS: $1, joins: joins) }, index)
    }

    private mutating func look(_ view: Int, _ number: Int) {
        let cell = sites[number].cell
        guard views[view].changes != cell.changes else { return }
        views[view].changes = cell.changes
        views[view].sendsFreely = cell.sendsFreely
        views[view].actsAtNS = cell.actsAtNS
        views[view].generation = cell.generation
        views[view].serial = cell.serial
    }

    private mutating func stamp(_ index: Int, generation: UInt64, serial: UInt64) {
        asks[index].generation = generation
        asks[index].serial = serial
        asks[index].state = .handed
    }

    private mutating func follow(_ admission: TokenCell.Admission, _ index: Int) {
        let number = Int(asks[index].cell)
        switch admission {
        case .send(let generation):
            stamp(index, generation: generation, serial: sites[number].cell.serial)
        case .canary(let generation):
            asks[index].isCanary = true
            stamp(index, generation: generation, serial: sites[number].cell.serial)
        case .park(let flight):
            asks[index].state = .parked
            asks[index].waitsFor = flight
            sites[number].parkedCount += 1
        case .hold:
            asks[index].state = .held
            asks[index].heldChanges = sites[number].cell.changes
            sites[number].heldCount += 1
        case .fail(let reason):
            end(index, reason)
        }
    }

    private mutating func loseCanary(_ index: Int) {
        guard asks[index].isCanary else { return }
        asks[index].isCanary = false
        guard policy.flaw != .silentCanary else { return }
        let generation = asks[index].generation
        transition(Int(asks[index].cell)) { cell, _ in
            ((), cell.canaryLost(generation: generation))
        }
    }

    /// The last look at the token before the request is on the wire.
    mutating func handOver(_ index: Int) {
        let ask = asks[index]
        let number = Int(ask.cell)
        let cell = sites[number].cell
        let isCurrent =
            cell.generation == ask.generation
            && (cell.sendsFreely || (ask.isCanary && cell.hasCanary))
        if !isCurrent, !policy.deviations.contains(.noRecheck) {
            asks[index].state = .queued
            look(view(ask), number)
            loseCanary(index)
            return
        }
        asks[index].state = .onWire
        asks[index].sends += 1
        asks[index].sentNS = nowNS
        asks[index].sentStep = steps
        checkSend(index)
    }

    // MARK: at the server, and back

    mutating func arrive(_ index: Int) {
        let site = sites[Int(asks[index].cell)]
        let token = Int(site.tokenOfSerial[Int(asks[index].serial)])
        let isAccepted = isAlive(token, site) && asks[index].layer == 0
        asks[index].state = isAccepted ? .accepted : .refused
    }

    mutating func read(_ index: Int) {
        audit(index)
        guard asks[index].state == .refused else { return accepted(index) }
        asks[index].refusals += 1
        asks[index].earlier = asks[index].refusedWith
        asks[index].refusedWith = asks[index].generation
        asks[index].proofStep = policy.flaw == .weakProof ? asks[index].sentStep : steps
        if policy.deviations.contains(.looksOutsideLock) {
            asks[index].look = sites[Int(asks[index].cell)].cell.look
            asks[index].state = .looked
            return
        }
        judge(index)
    }

    private mutating func accepted(_ index: Int) {
        let ask = asks[index]
        let view = view(ask)
        let number = Int(ask.cell)
        let generation = ask.generation
        let hasHelped = ask.refusals > 0
        if generation > views[view].confirmed || ask.isCanary || hasHelped {
            views[view].confirmed = max(views[view].confirmed, generation)
            asks[index].isCanary = false
            if generation == sites[number].cell.generation { sites[number].barrenInARow = 0 }
            transition(number) {
                let effects = $0.accepted(
                    generation: generation, layer: ask.layer, hasHelped: hasHelped, atNS: $1)
                return ((), effects)
            }
        }
        if sites[number].cell.wantsProof {
            transition(number) {
                $0.proved(serial: ask.serial, sentNS: ask.sentStep, nowNS: $1)
                return ((), TokenCell.Effects())
            }
        }
        views[view].acceptedGeneration = max(views[view].acceptedGeneration, generation)
        if ask.serial > views[view].acceptedSerial {
            views[view].acceptedSerial = ask.serial
            views[view].acceptedSentStep = ask.sentStep
        } else if ask.serial == views[view].acceptedSerial {
            views[view].acceptedSentStep = max(views[view].acceptedSentStep, ask.sentStep)
        }
        end(index, nil)
    }

    private func refusal(_ index: Int) -> Refusal {
        let ask = asks[index]
        var refusal = Refusal(generation: ask.generation, refusals: ask.refusals)
        refusal.earlier = ask.earlier
        refusal.layer = ask.layer
        refusal.serial = ask.serial
        refusal.readNS = ask.proofStep
        refusal.hasProof = isProven(ask)
        refusal.look = ask.look
        return refusal
    }

    mutating func judge(_ index: Int) {
        let refusal = refusal(index)
        noteRefusal(index)
        asks[index].isCanary = false
        decide(index) { $0.refused(refusal, nowNS: $1) }
    }

    mutating func reconsider(_ index: Int, isOverdue: Bool) {
        var refusal = refusal(index)
        refusal.isOverdue = isOverdue
        sites[Int(asks[index].cell)].heldCount -= 1
        decide(index) { $0.reconsider(refusal, nowNS: $1) }
    }

    private mutating func decide(
        _ index: Int, _ event: (inout TokenCell, UInt64) -> (TokenCell.Admission, TokenCell.Effects)
    ) {
        let number = Int(asks[index].cell)
        let before = sites[number].cell.ledger.expiries.refusals
        let admission = transition(number, event)
        if sites[number].cell.ledger.expiries.refusals != before {
            note(index, sites[number].cell.ledger.expiries.lastRefused)
        }
        noteBelieved(index)
        switch admission {
        case .send:
            asks[index].state = .queued
        case .canary(let generation):
            asks[index].isCanary = true
            asks[index].generation = generation
            asks[index].state = .queued
        case .park:
            asks[index].hasJoined = true
            follow(admission, index)
        case .hold, .fail:
            follow(admission, index)
        }
    }

    /// The ask belongs to that expiry until it ends; of more than there is room for, the oldest is
    /// let go.
    private mutating func note(_ index: Int, _ event: Int32) {
        if asks[index].eventCount == 8 { recover(index) }
        asks[index].events[asks[index].eventCount] = event
        asks[index].eventCount += 1
    }

    private mutating func recover(_ index: Int) {
        let number = Int(asks[index].cell)
        for event in 0..<asks[index].eventCount {
            sites[number].cell.ledger.expiries.recovered(asks[index].events[event], atNS: nowNS)
        }
        asks[index].eventCount = 0
    }

    // MARK: waiting, and leaving

    mutating func takeNews(_ reactor: Int) {
        for number in 0..<policy.cells {
            let view = reactor * policy.cells + number
            guard views[view].newsSeen != sites[number].news else { continue }
            views[view].newsSeen = sites[number].news
            let ends = sites[number].cell.flightEnds
            for index in asks.indices
            where asks[index].state == .parked && Int(asks[index].reactor) == reactor
                && Int(asks[index].cell) == number && ends.mayHaveEnded(asks[index].waitsFor)
            {
                switch ends.end(of: asks[index].waitsFor) {
                case nil: continue
                case .ok: asks[index].state = .releasing
                case .failed(let reason):
                    leaveQueue(index)
                    end(index, reason)
                }
            }
        }
    }

    private mutating func leaveQueue(_ index: Int) {
        let number = Int(asks[index].cell)
        asks[index].hasJoined = false
        sites[number].parkedCount -= 1
        sites[number].cell.leave()
    }

    mutating func timeOut(_ index: Int) {
        troubles.timeOuts -= 1
        hasFailures = true
        leaveQueue(index)
        end(index, .parkTimeout)
    }

    /// The request dies on its way; it is repeated once.
    mutating func lose(_ index: Int) {
        troubles.losses -= 1
        loseCanary(index)
        asks[index].losses += 1
        asks[index].state = .queued
        if asks[index].losses > 1 { end(index, nil) }
    }

    mutating func cancel(_ index: Int) {
        troubles.cancels -= 1
        switch asks[index].state {
        case .parked, .releasing: leaveQueue(index)
        case .held:
            sites[Int(asks[index].cell)].heldCount -= 1
            sites[Int(asks[index].cell)].cell.leaveHeld()
        case .looked:
            // Read, and not told to the machine yet.
            break
        case .queued, .handed, .onWire, .accepted, .refused: loseCanary(index)
        case .done: break
        }
        end(index, nil)
    }

    private mutating func end(_ index: Int, _ failure: AuthFailure?) {
        if asks[index].state == .done { violate(.completedTwice, "ask \(index)") }
        checkEnd(index, failure)
        asks[index].state = .done
        asks[index].failure = failure
        done += 1
        recover(index)
    }
}
