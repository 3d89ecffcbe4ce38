import Engine

extension World {
    /// All that can happen next, into `choices`.
    package func choices(into choices: inout [Choice]) {
        choices.removeAll(keepingCapacity: true)
        let mayBegin = policy.users > asks.count(where: { $0.hasBegun && $0.state != .done })
        for index in asks.indices where asks[index].hasBegun || mayBegin {
            askChoices(index, &choices)
            // In their order, where users are few.
            if policy.users < asks.count, !asks[index].hasBegun { break }
        }
        for reactor in 0..<policy.reactors {
            for number in 0..<policy.cells
            where views[reactor * policy.cells + number].newsSeen != sites[number].news {
                choices.append(Choice(.takeNews, reactor))
                break
            }
        }
        for number in sites.indices {
            for index in sites[number].flights.indices { flightChoices(number, index, &choices) }
            if done < asks.count, sites[number].issued + 2 < Self.tokensMax {
                cellChoices(number, &choices)
            }
        }
        guard done < asks.count else { return }
        if choices.isEmpty, policy.isPatient {
            for index in asks.indices where asks[index].state == .held {
                choices.append(Choice(.overdue, index))
            }
        }
        if troubles.ticks > 0, sites.allSatisfy({ $0.issued + 16 < Self.tokensMax }),
            sites.contains(where: { $0.cell.nextTurnNS(after: nowNS) != nil })
        {
            choices.append(Choice(.tick))
        }
        if troubles.jumps > 0 { choices.append(Choice(.jump)) }
        if troubles.shutDowns > 0 { choices.append(Choice(.shutDown)) }
    }

    private func askChoices(_ index: Int, _ choices: inout [Choice]) {
        let ask = asks[index]
        switch ask.state {
        case .queued, .releasing:
            choices.append(Choice(.admit, index))
            let number = Int(ask.cell)
            let view = views[Int(ask.reactor) * policy.cells + number]
            if view.changes != sites[number].cell.changes, view.sendsFreely, !ask.isCanary {
                choices.append(Choice(.admitByOldLook, index))
            }
        case .handed:
            choices.append(Choice(.handOver, index))
        case .onWire:
            choices.append(Choice(.arrive, index))
            if troubles.losses > 0 { choices.append(Choice(.lose, index)) }
        case .accepted, .refused:
            choices.append(Choice(.read, index))
        case .looked:
            choices.append(Choice(.act, index))
        case .parked:
            if troubles.timeOuts > 0 { choices.append(Choice(.timeOut, index)) }
        case .held:
            if isProven(ask) || ask.heldChanges != sites[Int(ask.cell)].cell.changes {
                choices.append(Choice(.reconsider, index))
            }
            if !policy.isPatient { choices.append(Choice(.overdue, index)) }
        case .done:
            return
        }
        if troubles.cancels > 0 { choices.append(Choice(.cancel, index)) }
    }

    private func flightChoices(_ number: Int, _ index: Int, _ choices: inout [Choice]) {
        let site = sites[number]
        let flight = site.flights[index]
        let place = number * 16 + index
        switch flight.phase {
        case .waiting:
            if hasRoom(number) { choices.append(Choice(.send, place)) }
        case .out:
            if site.issued < Self.tokensMax { choices.append(Choice(.issue, place)) }
            if flight.isGivenUp {
                choices.append(Choice(.vanish, place))
                return
            }
            if troubles.failures > 0 { choices.append(Choice(.fail, place)) }
            if troubles.permanentFailures > 0 { choices.append(Choice(.failForGood, place)) }
            if troubles.hangs > 0 { choices.append(Choice(.hang, place)) }
            if troubles.deadTokens > 0, site.issued < Self.tokensMax {
                choices.append(Choice(.issueDead, place))
            }
            if troubles.sameTokens > 0, site.issued > 0 {
                choices.append(Choice(.issueAgain, place))
            }
        case .bringing, .failing, .failingForGood:
            choices.append(Choice(flight.isGivenUp ? .deliverLate : .deliver, place))
        case .pausing:
            choices.append(Choice(.retry, place))
        case .hanging:
            if !policy.deviations.contains(.noWatchdog) { choices.append(Choice(.watchdog, place)) }
            return
        }
        if !flight.isGivenUp, troubles.hangs > 0, !policy.deviations.contains(.noWatchdog) {
            choices.append(Choice(.watchdog, place))
        }
    }

    /// Flights at once: of the desk, and of a cell whose flights run one after another.
    private func hasRoom(_ number: Int) -> Bool {
        func isRunning(_ flight: Flight) -> Bool { flight.phase != .waiting && !flight.isGivenUp }
        if policy.deviations.contains(.serialFlights),
            sites[number].flights.contains(where: isRunning)
        {
            return false
        }
        if policy.desk >= policy.cells, policy.deviations.isEmpty { return true }
        return sites.reduce(0) { $0 + $1.flights.count(where: isRunning) } < policy.desk
    }

    private func cellChoices(_ number: Int, _ choices: inout [Choice]) {
        if troubles.kills > 0, sites[number].alive != 0 { choices.append(Choice(.kill, number)) }
        if troubles.poisons > 0, sites[number].cell.state == .fresh, !sites[number].cell.isCold {
            choices.append(Choice(.poison, number))
            choices.append(Choice(.poisonOld, number))
        }
    }

    /// An answer has shown that the token works which the ask was refused with.
    func isProven(_ ask: Ask) -> Bool {
        let view = views[Int(ask.reactor) * policy.cells + Int(ask.cell)]
        guard view.acceptedSentStep > ask.proofStep else { return false }
        if policy.flaw == .looseProof { return view.acceptedGeneration == ask.generation }
        return view.acceptedSerial == ask.serial
    }

    // MARK: what happens

    package mutating func perform(_ choice: Choice, _ random: inout Random) {
        steps += 1
        if hasRunningClock { nowNS += 1 + random.next() & 0x3FF }
        let index = Int(choice.index)
        switch choice.kind {
        case .admit, .admitByOldLook:
            asks[index].hasBegun = true
            admit(index, byOldLook: choice.kind == .admitByOldLook)
        case .handOver: handOver(index)
        case .arrive: arrive(index)
        case .read: read(index)
        case .act: judge(index)
        case .reconsider: reconsider(index, isOverdue: false)
        case .overdue: reconsider(index, isOverdue: true)
        case .takeNews: takeNews(index)
        case .send, .retry: send(index)
        case .issue, .issueDead, .issueAgain: answerRenewal(index, choice.kind)
        case .fail, .failForGood, .hang, .vanish: failRenewal(index, choice.kind)
        case .deliver, .deliverLate: deliver(index)
        case .watchdog: watchdog(index)
        case .tick: tick()
        case .kill: kill(index)
        case .poison, .poisonOld: poison(index, isOld: choice.kind == .poisonOld)
        case .lose: lose(index)
        case .cancel: cancel(index)
        case .timeOut: timeOut(index)
        case .jump:
            troubles.jumps -= 1
            nowNS += random.next() % 100_000_000_000
        case .shutDown: shutDown()
        }
    }

    private mutating func tick() {
        troubles.ticks -= 1
        var next = UInt64.max
        for site in sites { next = min(next, site.cell.nextTurnNS(after: nowNS) ?? .max) }
        if next < .max { nowNS = next }
    }

    private mutating func kill(_ number: Int) {
        troubles.kills -= 1
        deaths += sites[number].alive.nonzeroBitCount
        sites[number].alive = 0
    }

    private mutating func poison(_ number: Int, isOld: Bool) {
        troubles.poisons -= 1
        deaths += 1
        let text = isOld ? sites[number].cell.previous.text : "spoilt"
        let token = (0...sites[number].issued).last { Self.credential($0).text == text } ?? 0
        sites[number].tokenOfSerial.append(UInt8(token))
        sites[number].spoiltGeneration = sites[number].cell.generation
        transition(number) { cell, _ in (cell.poison(text), TokenCell.Effects()) }
    }

    /// The run ends: nothing begins any more, and all who wait are told.
    package mutating func shutDown() {
        troubles.shutDowns -= 1
        hasFailures = true
        isOver = true
        for number in sites.indices {
            transition(number) { cell, nowNS in ((), cell.shutDown(nowNS: nowNS)) }
            for flight in sites[number].flights { giveUp(number, flight.number) }
        }
    }
}
