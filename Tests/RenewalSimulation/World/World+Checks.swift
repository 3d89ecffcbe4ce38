import Engine
import Metrics

/// The invariants. Each is checked where it can break, with what the server knows.
extension World {
    // MARK: transitions

    /// One event of a cell: what owners rely on between two looks, and its effects.
    @discardableResult
    mutating func transition<Result>(
        _ number: Int, _ event: (inout TokenCell, UInt64) -> (Result, TokenCell.Effects)
    ) -> Result {
        let before = Before(sites[number].cell)
        let (result, effects) = event(&sites[number].cell, nowNS)
        let after = Before(sites[number].cell)
        if before.changes == after.changes, before != after {
            violate(.unpublished, "\(before) became \(after)")
        }
        if effects != TokenCell.Effects() { carryOut(effects, number, before) }
        if effects.blocks { sites[number].blockedGeneration = before.generation }
        if after.generation != before.generation || effects.blocks {
            sites[number].cell.ledger.seen(
                generation: after.generation, isFlight: after.generation == before.generation,
                atNS: nowNS)
        }
        if policy.deviations.isEmpty, !isOver { checkStructure(number) }
        return result
    }

    struct Before: Equatable {
        var changes: UInt64
        var state: TokenCell.State
        var generation: UInt64
        var serial: UInt64
        var sendsFreely: Bool
        var actsAtNS: UInt64
        var hasCanary: Bool

        init(_ cell: borrowing TokenCell) {
            changes = cell.changes
            state = cell.state
            generation = cell.generation
            serial = cell.serial
            sendsFreely = cell.sendsFreely
            actsAtNS = cell.actsAtNS
            hasCanary = cell.hasCanary
        }
    }

    private mutating func carryOut(_ effects: TokenCell.Effects, _ number: Int, _ before: Before) {
        if effects.wakes { sites[number].news += 1 }
        if let flight = effects.abortsFlight { giveUp(number, flight) }
        if let flight = effects.startsFlight {
            checkStart(number, before)
            sites[number].flights.append(Flight(number: flight))
            sites[number].begunFor = before.generation
            if sites[number].flights.count(where: { !$0.isGivenUp }) > 1 { violate(.twoFlights) }
        }
    }

    private mutating func checkStart(_ number: Int, _ before: Before) {
        let site = sites[number]
        if isOver { violate(.afterTheEnd) }
        if site.begunFor == before.generation {
            violate(.renewedTwice, "generation \(before.generation)")
        }
        guard before.state == .fresh else { return }
        let isTold = nowNS >= before.actsAtNS
        if !isTold, !site.cell.isConfirmed, !site.cell.isCold {
            sites[number].barrenInARow += 1
            if site.barrenInARow + 1 >= policy.limits.barrenMax { violate(.barrenRenewals) }
        }
        if policy.hasBadLayer, policy.isPatient, site.issued >= Self.issuedForLayerMax {
            violate(.layerRenewals, "\(site.issued + 1) tokens")
        }
        if !isTold, site.layerRefused != before.generation,
            site.spoiltGeneration != before.generation, isAlive(tokenInHand(site), site)
        {
            violate(
                .needlessRenewal, "of generation \(before.generation), token \(tokenInHand(site))")
        }
    }

    private mutating func checkStructure(_ number: Int) {
        let cell = sites[number].cell
        let isRight =
            switch cell.state {
            case .renewing: cell.flightsUnderWay == 1 && !cell.isFlightInBackground
            case .fresh:
                cell.flightsUnderWay == 0 || cell.flightsUnderWay == 1 && cell.isFlightInBackground
            case .empty, .cooling, .dead: cell.flightsUnderWay == 0
            }
        if !isRight { violate(.structure, "\(cell.state), \(cell.flightsUnderWay) flights") }
    }

    // MARK: asks

    mutating func checkSend(_ index: Int) {
        let ask = asks[index]
        let cell = sites[Int(ask.cell)].cell
        asks[index].isOutdated = ask.generation < cell.generation
        asks[index].isKnownDead =
            ask.generation == cell.generation
            && ask.generation == sites[Int(ask.cell)].blockedGeneration
        if asks[index].isOutdated {
            violate(.outdatedSend, "generation \(ask.generation), in hand \(cell.generation)")
        }
        if asks[index].isKnownDead { violate(.knownDeadSend) }
        if ask.sends - ask.losses > policy.limits.refusalsMax + 1 { violate(.tooManySends) }
        if ask.refusedWith != 0, ask.generation <= ask.refusedWith { violate(.resentRefused) }
        guard policy.limits.sendsCanary, !cell.isConfirmed, !cell.isCold,
            ask.generation == cell.generation,
            sites[Int(ask.cell)].keptGeneration != ask.generation
        else { return }
        if sites[Int(ask.cell)].refusedGeneration == ask.generation {
            violate(.crowd, "ask \(index), and it was refused already")
        }
        for other in asks.indices where other != index && asks[other].cell == ask.cell {
            let state = asks[other].state
            if state == .onWire || state == .accepted || state == .refused,
                asks[other].generation == ask.generation
            {
                violate(.crowd, "asks \(index) and \(other)")
            }
        }
    }

    /// Before the machine is told of a refusal by the bad layer: it may renew for it, as often as
    /// `checkStart` allows.
    mutating func noteRefusal(_ index: Int) {
        guard asks[index].layer == 1 else { return }
        let number = Int(asks[index].cell)
        sites[number].layerRefused = max(sites[number].layerRefused, asks[index].generation)
    }

    /// The machine has judged a refusal: does it take the token in hand for refused?
    mutating func noteBelieved(_ index: Int) {
        let number = Int(asks[index].cell)
        let generation = asks[index].refusedWith
        guard generation == sites[number].cell.generation,
            sites[number].cell.ledger.life(of: generation)?.firstRefusalNS != nil
        else { return }
        sites[number].refusedGeneration = generation
    }

    /// Tokens that one layer may cost which is refused whatever the token, the first included.
    private static let issuedForLayerMax = 6

    mutating func checkEnd(_ index: Int, _ failure: AuthFailure?) {
        let ask = asks[index]
        let mayBeBarren =
            deaths >= policy.limits.barrenMax || policy.lifeNS < .max || policy.hasBadLayer
        let isJust =
            switch failure {
            case nil: true
            case .authRetries:
                // After a renewal for a suspect that has not helped, asks may end sooner.
                ask.refusals > policy.limits.refusalsMax || mayBeBarren
                    || deaths + (policy.start == .dummy ? 1 : 0) >= 3
            case .cooling: hasFailures || mayBeBarren
            case .dead: hasPermanentFailures
            case .locked: ask.layer == 1
            case .parkTimeout: hasFailures
            case .parkOverflow: policy.limits.parkedMax < policy.asks
            }
        let isLost = failure != nil && policy.isPatient && ask.layer == 0
        if !isJust || isLost {
            violate(.unjustFailure, "ask \(index): \(failure.map { "\($0)" } ?? "")")
        }
    }

    // MARK: books

    /// An answer is looked back at, as reactors do.
    mutating func audit(_ index: Int) {
        let ask = asks[index]
        let number = Int(ask.cell)
        if ask.isOutdated {
            sites[number].outdatedRead += 1
        } else if ask.isKnownDead {
            sites[number].knownDeadRead += 1
        }
        sites[number].cell.ledger.audit(
            generation: ask.generation, serial: ask.serial, sentNS: ask.sentNS,
            isAccepted: ask.state == .accepted, cacheClass: .unknown)
    }

    /// The laws of conservation, which hold after every step; `flights` of a machine that takes
    /// what it had given up are beyond them.
    package mutating func checkBooks() {
        for number in sites.indices {
            if let law = brokenLaw(sites[number]) { violate(.books, law) }
        }
    }

    private func brokenLaw(_ site: borrowing Site) -> String? {
        let sorted =
            site.cell.ledger.refusalsTriggering &+ site.cell.ledger.refusalsCoalesced
            &+ site.cell.ledger.refusalsLate &+ site.cell.ledger.refusalsExhausted
            &+ site.cell.ledger.refusalsLocked &+ site.heldCount
        if site.cell.ledger.refusalsTotal != sorted { return "refusals" }
        if site.cell.parked != site.parkedCount { return "asks that wait" }
        if site.cell.ledger.parkedCount
            != site.cell.ledger.parkedLeft + UInt64(site.cell.parked)
        {
            return "parked"
        }
        let underWay = site.flights.count { !$0.isGivenUp }
        if site.cell.ledger.flights
            != site.cell.ledger.flightsOK + site.cell.ledger.flightsFailed
            + site.cell.ledger.flightsAbandoned + UInt64(underWay)
        {
            return "flights"
        }
        if site.cell.ledger.flightsOK != site.tokensTaken { return "flights that were well" }
        if site.cell.generation != site.cell.ledger.generationAtStart + site.tokensTaken {
            return "generations"
        }
        if site.cell.ledger.tokensLost != site.tokensDropped { return "lost tokens" }
        guard policy.deviations.isEmpty else { return nil }
        if site.cell.ledger.duplicates != 0 { return "duplicates" }
        if site.cell.ledger.expiries.renewalsMax > 1 { return "two renewals of one expiry" }
        return nil
    }

    /// Once all asks have ended. What was counted by the clock agrees with what really happened.
    package mutating func checkEnd() {
        if !isOver { shutDown() }
        checkBooks()
        for number in sites.indices {
            let ledger = sites[number].cell.ledger
            if ledger.expiries.isWindowOpen { violate(.books, "an expiry is not over") }
            guard hasRunningClock else { continue }
            if ledger.outdatedSends != sites[number].outdatedRead {
                violate(
                    .books, "\(ledger.outdatedSends) outdated sends, \(sites[number].outdatedRead)")
            }
            // A token that goes on after its told end was not dead: its senders are acquitted.
            if sites[number].keptGeneration == 0,
                ledger.knownDeadSends != sites[number].knownDeadRead
            {
                violate(
                    .books,
                    "\(ledger.knownDeadSends) known-dead sends, \(sites[number].knownDeadRead)")
            }
        }
    }
}
