import Metrics

/// What the simulation of whole worlds looks at, besides what owners may see.
extension TokenCell {
    package var isFlightInBackground: Bool { current?.isBackground == true }

    /// Flights that may still bring a token.
    package var flightsUnderWay: Int { (current == nil ? 0 : 1) + others.count }

    /// The next moment, after `nowNS`, from which on the same event may be answered otherwise; nil:
    /// there is none.
    package func nextTurnNS(after nowNS: UInt64) -> UInt64? {
        func later(_ timeNS: UInt64) -> UInt64 { timeNS > nowNS ? timeNS : .max }
        let next =
            switch state {
            case .fresh: min(later(life.staleAtNS), later(life.endsAtNS))
            case .cooling: later(coolsUntilNS)
            case .empty, .renewing, .dead: UInt64.max
            }
        return next == .max ? nil : next
    }

    /// Draws nothing from now on: margins and cool-downs are the shortest.
    package mutating func stopJitter() { random = 0 }

    /// All that decides what the machine will do, the books left out: generations, serials, flights
    /// and canaries as distances from the newest, times as what is left of them. Two cells with the
    /// same words behave alike.
    package func appendState(to words: inout [UInt64], nowNS: UInt64) {
        func left(_ timeNS: UInt64) -> UInt64 {
            timeNS == .max ? .max : timeNS > nowNS ? timeNS - nowNS : 0
        }
        var flags: UInt64 = UInt64(state.rawValue)
        for (bit, flag) in [
            isConfirmed, isRefused, isCold, isOver, isFlightInBackground, current != nil,
            canary != nil, credential == issued,
        ].enumerated() where flag {
            flags |= 1 << UInt64(8 + bit)
        }
        words.append(flags)
        words.append(UInt64(barren) << 32 | UInt64(cools) << 16 | UInt64(others.count))
        words.append(flightsBegun - (flight ?? flightsBegun))
        words.append(canariesBegun - ((canary ?? canariesBegun) & ~Self.canaryMark))
        for other in others { words.append(flightsBegun - other) }
        words.append(state == .fresh ? left(life.staleAtNS) : 0)
        words.append(state == .fresh ? left(life.endsAtNS) : 0)
        words.append(state == .cooling ? left(coolsUntilNS) : 0)
        if deviations.contains(.window) { words.append(left((renewedAtNS ?? 0) + Self.windowNS)) }
        words.append(UInt64(suspicions) << 32 | UInt64(alarms) << 8 | UInt64(renewedFor))
        words.append(left(renewedForUntilNS))
        words.append(provenSerial == serial ? 1 : 0)
        locks.appendState(to: &words, serial: serial, nowNS: nowNS)
    }

    /// A request sent after that would show that the layer's last refusal was its own doing; nil:
    /// nothing is open.
    package func openReadNS(_ layer: UInt8) -> UInt64? {
        locks.openReadNS(layer, serial: serial)
    }

    /// The distance of a flight or canary that somebody waits for, and whether it has ended.
    package func waitState(of number: UInt64) -> UInt64 {
        let isCanary = number & Self.canaryMark != 0
        let newest = isCanary ? Self.canaryMark | canariesBegun : flightsBegun
        let ended: UInt64 =
            switch end(of: number) {
            case nil: 0
            case .ok: 1
            case .failed(let reason): 2 + UInt64(reason.rawValue)
            }
        // How far back an ended one is does not matter any more.
        return ended > 0 ? ended : (newest &- number) << 8 | (isCanary ? 1 << 7 : 0)
    }
}
