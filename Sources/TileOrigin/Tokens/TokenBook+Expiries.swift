import Synchronization

/// A refused tile that was not handed out since.
struct LeftTile: Hashable {
    struct State {
        var refusals: UInt64 = 0
        /// The records of the ends of tokens that it was refused with.
        var expiries: [Int] = []
        /// Of the token that it was refused with last, if that was issued here.
        var cell: Int?
    }

    let client: Int
    /// ``OriginTile/packed``
    let tile: UInt64

    var hash: UInt64 { OriginDraw.mix(tile &+ UInt64(client) << 48) }
}

/// One refused request for a tile.
struct TileRefusal {
    let verdict: TokenVerdict
    let tile: LeftTile
    /// Number of the token, if it was issued here.
    var token: Int?
}

extension TokenBook {
    /// A refusal is about to be written.
    mutating func refused(_ refusal: TileRefusal, nowNS: UInt64) {
        switch refusal.verdict {
        case .accepted: preconditionFailure("an accepted token is not refused")
        case .missing:
            counts.refusedMissing += 1
            clients[refusal.tile.client].missing += 1
        case .unknown:
            counts.refusedUnknown += 1
            clients[refusal.tile.client].unknown += 1
        case .revoked: counts.refusedRevoked += 1
        case .expired: counts.refusedExpired += 1
        case .lagging: counts.refusedLagging += 1
        }
        var expiry: Int?
        if let number = refusal.token { expiry = count(refusal, token: number, nowNS: nowNS) }
        let cell = refusal.token.flatMap { token($0)?.cell }
        leave(refusal.tile, cell: cell, expiry: expiry)
    }

    /// Counts the refusal for the end of its token and gives the record of that.
    private mutating func count(
        _ refusal: TileRefusal, token number: Int, nowNS: UInt64
    ) -> Int? {
        guard let token = self.token(number) else { return nil }
        let cell = token.cell
        let index = number - first
        cells[cell].counts.refusals += 1
        if token.generation < cells[cell].generation {
            counts.late += 1
            cells[cell].counts.late += 1
        } else {
            cells[cell].newestFailed = true
            if cells[cell].firstRefusalNS == nil { cells[cell].firstRefusalNS = nowNS }
        }
        tokens[index].refusals += 1
        counts.stormMax = max(counts.stormMax, tokens[index].refusals)
        if token.refusals == 0 {
            counts.expiryEvents += 1
            cells[cell].counts.expiries += 1
            if !token.accepted { counts.rejectedOnFirstUse += 1 }
            open(index, verdict: refusal.verdict, nowNS: nowNS)
        }
        guard let expiry = tokens[index].expiry else { return nil }
        expiries[expiry].refusals += 1
        return expiry
    }

    private mutating func open(_ index: Int, verdict: TokenVerdict, nowNS: UInt64) {
        guard expiries.count < TokenBook.expiriesMax else {
            expiriesOmitted += 1
            return
        }
        let cause: ExpiryRecord.Cause =
            switch verdict {
            case .lagging: .replicationLag
            case .revoked: .revoked
            default: .expired
            }
        let cell = tokens[index].cell
        tell(.expired(cause, generation: tokens[index].generation), cell: cell, nowNS: nowNS)
        tokens[index].expiry = expiries.count
        cells[cell].lastExpiry = expiries.count
        cells[cell].awaiting.append(expiries.count)
        if notices != nil { untold.append(expiries.count) }
        cells[cell].handle.gauge.pointee.awaitsDelivery.store(true, ordering: .releasing)
        expiries.append(
            ExpiryRecord(
                cell: cell, generation: tokens[index].generation, cause: cause,
                firstRefusalNS: nowNS))
    }

    private mutating func leave(_ tile: LeftTile, cell: Int?, expiry: Int?) {
        if left[tile] == nil {
            guard left.count < TokenBook.leftMax else {
                counts.leftOmitted += 1
                return
            }
            left[tile] = LeftTile.State()
            filter.insert(tile.hash)
        }
        left[tile]?.refusals += 1
        // The tile is still to come.
        let attempts = (left[tile]?.refusals ?? 0) + 1
        counts.attemptsMax = max(counts.attemptsMax, attempts)
        if let cell {
            left[tile]?.cell = cell
            cells[cell].attemptsMax = max(cells[cell].attemptsMax, attempts)
        }
        guard let expiry, left[tile]?.expiries.contains(expiry) == false else { return }
        left[tile]?.expiries.append(expiry)
        expiries[expiry].tilesLeft += 1
        expiries[expiry].fullRecoveryNS = nil
    }

    /// A tile is about to be handed out that may have been refused, or to a cell that waits for it.
    mutating func delivered(
        _ tile: LeftTile, cell: Int, generation: UInt64, nowNS: UInt64
    ) {
        if let state = left.removeValue(forKey: tile) {
            for expiry in state.expiries {
                expiries[expiry].tilesLeft -= 1
                if expiries[expiry].tilesLeft == 0 { expiries[expiry].fullRecoveryNS = nowNS }
            }
            if left.isEmpty { filter.clear() }
        }
        let still = cells[cell].awaiting.filter { expiry in
            let record = expiries[expiry]
            // What merely lagged is over when it is accepted itself.
            let isOver =
                generation > record.generation
                || (record.cause == .replicationLag && generation == record.generation)
            if isOver { expiries[expiry].firstOKNS = nowNS }
            return !isOver
        }
        guard still.count != cells[cell].awaiting.count else { return }
        cells[cell].awaiting = still
        cells[cell].handle.gauge.pointee.awaitsDelivery.store(
            !still.isEmpty, ordering: .releasing)
    }
}
