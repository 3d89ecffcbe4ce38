import Engine

/// Two worlds with the same key can go on in the same ways. Names are taken out of it: generations,
/// tokens, flights and times count by their distance from the newest, and asks that may change
/// places are sorted. What was only counted or measured is left out; the laws that it must keep are
/// checked with each step into a world that was met before.
struct WorldKey: Hashable {
    /// 128 bits of hash; 10 million worlds meet by chance once in 10^24.
    private var high: UInt64 = 0x243F_6A88_85A3_08D3
    private var low: UInt64 = 0x1319_8A2E_0370_7344

    mutating func add(_ word: UInt64) {
        high = Self.mix(high ^ word)
        low = Self.mix(low &+ word &* 0x9E37_79B9_7F4A_7C15) ^ high.byteSwapped
    }

    private static func mix(_ word: UInt64) -> UInt64 {
        var mixed = (word ^ (word >> 32)) &* 0xD6E8_FEB8_6659_FD93
        mixed = (mixed ^ (mixed >> 29)) &* 0xA076_1D64_78BD_642F
        return mixed ^ (mixed >> 32)
    }
}

extension World {
    /// - Parameter words: reused from call to call.
    func key(words: inout [UInt64]) -> WorldKey {
        words.removeAll(keepingCapacity: true)
        appendTroubles(to: &words)
        for number in sites.indices { append(site: sites[number], to: &words) }
        for view in views.indices { append(view: view, to: &words) }
        appendAsks(to: &words)
        var key = WorldKey()
        for word in words { key.add(word) }
        return key
    }

    private func appendTroubles(to words: inout [UInt64]) {
        let left = [
            troubles.kills, troubles.failures, troubles.permanentFailures, troubles.hangs,
            troubles.deadTokens, troubles.sameTokens, troubles.poisons, troubles.losses,
            troubles.cancels, troubles.timeOuts, max(0, troubles.shutDowns), troubles.ticks & 31,
        ]
        words.append(left.reduce(0) { $0 << 5 | UInt64($1) })
        words.append(
            bits([isOver, hasFailures, hasPermanentFailures])
                | UInt64(min(deaths, max(3, policy.limits.barrenMax))) << 8)
    }

    private func bits(_ flags: [Bool]) -> UInt64 {
        flags.reduce(0) { $0 << 1 | ($1 ? 1 : 0) }
    }

    private func append(site: Site, to words: inout [UInt64]) {
        site.cell.appendState(to: &words, nowNS: nowNS)
        let generation = site.cell.generation
        words.append(
            bits(
                [
                    site.begunFor, site.layerRefused, site.spoiltGeneration, site.keptGeneration,
                    site.blockedGeneration, site.refusedGeneration,
                ].map { $0 == generation }))
        words.append(
            UInt64(site.barrenInARow) << 32 | distance(tokenInHand(site), site) << 16
                | distance(site.newestTaken, site))
        words.append(site.alive << UInt64(Self.tokensMax - site.issued))
        if troubles.poisons > 0 {
            let previous = site.cell.previous.text
            words.append(
                distance((0...site.issued).last { Self.credential($0).text == previous } ?? 0, site)
            )
        }
        let newest = site.flights.last?.number ?? 0
        for flight in site.flights {
            words.append(
                (newest - flight.number) << 32 | UInt64(flight.phase.rawValue) << 24
                    | UInt64(flight.tries) << 16 | UInt64(flight.isGivenUp ? 1 : 0) << 8)
            words.append(flight.phase == .bringing ? distance(flight.token, site) : 0)
            let age = flight.phase == .out || flight.phase == .bringing ? nowNS - flight.sentNS : 0
            words.append(age)
        }
        words.append(.max)
    }

    /// From the newest token; that of no token is told from all.
    private func distance(_ token: Int, _ site: Site) -> UInt64 {
        token == 0 ? 0xFF : UInt64(site.issued - token)
    }

    private func append(view index: Int, to words: inout [UInt64]) {
        let view = views[index]
        let site = sites[index % policy.cells]
        let isFresh = view.changes == site.cell.changes
        words.append(
            bits([isFresh, view.newsSeen == site.news, view.sendsFreely])
                | (site.cell.generation - view.confirmed) << 8)
        // Without leave to send freely the machine is asked, whatever was seen.
        guard !isFresh, view.sendsFreely else { return }
        words.append(
            view.actsAtNS == .max ? .max : view.actsAtNS > nowNS ? view.actsAtNS - nowNS : 0)
        words.append(
            (site.cell.generation - view.generation) << 16 | site.cell.serial - view.serial)
    }

    // MARK: asks

    private struct Coded: Comparable {
        var first: UInt64
        var second: UInt64
        var index: Int

        static func < (one: Self, other: Self) -> Bool {
            (one.first, one.second) < (other.first, other.second)
        }
    }

    private func appendAsks(to words: inout [UInt64]) {
        let sorted = asks.indices.map(coded).sorted()
        for ask in sorted {
            words.append(ask.first)
            words.append(ask.second)
        }
        // Which requests would be proof for which held asks, and for asks that have ended.
        for site in sites {
            for layer in UInt8(0)..<2 {
                guard let readNS = site.cell.openReadNS(layer) else { continue }
                words.append(bits(sorted.map { asks[$0.index].sentStep > readNS }))
            }
        }
        for held in sorted where asks[held.index].state == .held {
            words.append(
                bits(
                    [isProven(asks[held.index])]
                        + sorted.map { asks[$0.index].sentStep > asks[held.index].proofStep }))
        }
    }

    private func coded(_ index: Int) -> Coded {
        let ask = asks[index]
        let cell = sites[Int(ask.cell)].cell
        var first = UInt64(ask.state.rawValue) << 56
        guard ask.state != .done else { return Coded(first: first, second: 0, index: index) }
        first |= UInt64(ask.reactor) << 48 | UInt64(ask.cell) << 44 | UInt64(ask.layer) << 40
        first |= bits([ask.isCanary, ask.hasJoined]) << 36
        first |= UInt64(ask.refusals) << 28 | UInt64(ask.sends - ask.losses) << 20
        first |= UInt64(min(ask.losses, 3)) << 16
        first |= ask.refusedWith == 0 ? 0xFFF : cell.generation - ask.refusedWith
        var second: UInt64 = 0
        let hasToken =
            switch ask.state {
            case .handed, .onWire, .accepted, .refused, .looked, .held: true
            case .queued, .parked, .releasing, .done: false
            }
        if hasToken || ask.isCanary {
            second |= (cell.generation - ask.generation) << 48 | (cell.serial - ask.serial) << 40
        }
        switch ask.state {
        case .looked, .held:
            second |= ask.earlier == 0 ? 0xFF : cell.generation - ask.earlier
            second |= ask.heldChanges == cell.changes ? 1 << 8 : 0
            second |= UInt64(ask.look?.state.rawValue ?? 7) << 16
            second |= ask.look?.generation == ask.generation ? 1 << 20 : 0
        case .parked:
            second |= cell.waitState(of: ask.waitsFor)
        default:
            break
        }
        return Coded(first: first, second: second, index: index)
    }
}
