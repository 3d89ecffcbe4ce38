import Synchronization

/// Issues tokens, judges them, revokes them.
///
/// Tokens belong to cells and are numbered there in the order of issue (generations). A revocation
/// kills all that a cell was issued so far, so being revoked is one comparison. The hot path, a
/// connection that shows the same token again, takes no lock.
///
/// **Outdated sends.** A request on a kept connection (HTTP/1.1, no pipelining) cannot have left
/// the client before the previous answer on that connection was written. If a newer token of the
/// cell had already reached the server at that moment, the client sent the old one although it
/// had the newer one: proved without comparing clocks. In the same way a request is a **known-dead
/// send** if a refusal of its token had been read by then: because it was that previous answer, or
/// an answer of another connection on which the next request had come already. Not complete: the
/// first request of a connection proves nothing. All requests of a cell are taken for one client's.
final class TokenDesk: Sendable {
    private static let lagNS: UInt64 = 300_000_000

    let options: OriginOptions.Token
    let seed: UInt64
    let tellsClientsApart: Bool
    let faults: OriginFaults
    let filter = TileFilter()
    let book: Mutex<TokenBook>

    init(_ options: OriginOptions.Token, origin: OriginOptions, faults: OriginFaults) {
        self.options = options
        seed = origin.seed
        tellsClientsApart = origin.isReferee
        self.faults = faults
        book = Mutex(TokenBook(options, filter: filter, hasListener: origin.isReferee))
    }

    deinit {
        book.withLock { $0.free() }
    }

    /// Judges the token of a request for a tile; `number` is the request's.
    @inline(__always)
    func check(
        _ token: UnsafeBufferPointer<CChar>?, memo: UnsafeMutablePointer<ConnectionMemo>,
        number: UInt64, nowNS: UInt64
    ) -> TokenVerdict {
        arrived(memo)
        guard let text = token?.baseAddress, let count = token?.count else { return .missing }
        guard let key = TokenKey(text, count: count) else { return .unknown }
        if memo.pointee.generation != 0, memo.pointee.key == key, let cell = memo.pointee.cell,
            nowNS < memo.pointee.expiresAtNS, nowNS >= memo.pointee.freshUntilNS,
            memo.pointee.generation > cell.gauge.pointee.revokedThrough.load(ordering: .acquiring)
        {
            memo.pointee.requestCell = cell
            memo.pointee.requestGeneration = memo.pointee.generation
            countOldSend(memo)
            return .accepted
        }
        return lookUp(key, memo: memo, number: number, nowNS: nowNS)
    }

    /// A request has come: so the answer before it on its connection was read.
    @inline(__always)
    func arrived(_ memo: UnsafeMutablePointer<ConnectionMemo>) {
        memo.pointee.isUsed = true
        memo.pointee.requestCell = nil
        memo.pointee.requestGeneration = 0
        let refused = memo.pointee.refusedInAnswer
        guard refused > 0, let cell = memo.pointee.answeredCell else { return }
        memo.pointee.refusedInAnswer = 0
        memo.pointee.refusalReadAtAnswer = max(memo.pointee.refusalReadAtAnswer, refused)
        cell.gauge.pointee.newestRefusalRead.max(refused, ordering: .acquiringAndReleasing)
    }

    private func lookUp(
        _ key: TokenKey, memo: UnsafeMutablePointer<ConnectionMemo>, number: UInt64, nowNS: UInt64
    ) -> TokenVerdict {
        let found = book.withLock { book -> Found? in
            guard let place = book.number(of: key), let token = book.token(place) else {
                return nil
            }
            var verdict = book.verdict(token, nowNS: nowNS)
            if verdict == .accepted, isLagging(token.issuedAtNS, number: number, nowNS: nowNS) {
                verdict = .lagging
            }
            if verdict == .accepted { book.accepted(place) }
            return Found(
                verdict: verdict, place: place, cell: book.cells[token.cell].handle,
                generation: token.generation, issuedAtNS: token.issuedAtNS,
                expiresAtNS: token.expiresAtNS)
        }
        guard let found else { return .unknown }
        memo.pointee.requestCell = found.cell
        memo.pointee.requestGeneration = found.generation
        memo.pointee.requestToken = found.place
        found.cell.gauge.pointee.newestReceived.max(
            found.generation, ordering: .acquiringAndReleasing)
        countOldSend(memo)
        if found.verdict == .accepted {
            memo.pointee.key = key
            memo.pointee.cell = found.cell
            memo.pointee.generation = found.generation
            memo.pointee.expiresAtNS = found.expiresAtNS
            memo.pointee.freshUntilNS =
                faults.tile(nowNS: nowNS) == .replicationLag
                ? found.issuedAtNS &+ TokenDesk.lagNS : 0
        }
        return found.verdict
    }

    private struct Found: Sendable {
        let verdict: TokenVerdict
        let place: Int
        let cell: TokenCellHandle
        let generation: UInt64
        let issuedAtNS: UInt64
        let expiresAtNS: UInt64
    }

    private func isLagging(_ issuedAtNS: UInt64, number: UInt64, nowNS: UInt64) -> Bool {
        guard nowNS < issuedAtNS &+ TokenDesk.lagNS, faults.tile(nowNS: nowNS) == .replicationLag
        else { return false }
        return OriginDraw.uniform(seed, .lag, number) < 0.5
    }

    @inline(__always)
    private func countOldSend(_ memo: UnsafeMutablePointer<ConnectionMemo>) {
        guard let cell = memo.pointee.requestCell, cell == memo.pointee.answeredCell else { return }
        let generation = memo.pointee.requestGeneration
        if generation < memo.pointee.newestAtAnswer {
            cell.gauge.pointee.outdatedSends.wrappingAdd(1, ordering: .relaxed)
        } else if generation <= memo.pointee.refusalReadAtAnswer {
            cell.gauge.pointee.knownDeadSends.wrappingAdd(1, ordering: .relaxed)
        }
    }

    /// The tile is about to be written. Not after it: the client may have read it by then and have
    /// sent its next request, before a newer token came to another thread of the server.
    @inline(__always)
    func willDeliver(
        _ tile: UInt64, _ memo: UnsafeMutablePointer<ConnectionMemo>,
        nowNS: @autoclosure () -> UInt64
    ) {
        willAnswer(memo)
        guard let cell = memo.pointee.requestCell else { return }
        cell.gauge.pointee.delivered.wrappingAdd(1, ordering: .relaxed)
        let left = LeftTile(client: memo.pointee.client, tile: tile)
        guard
            cell.gauge.pointee.awaitsDelivery.load(ordering: .acquiring)
                || filter.mayContain(left.hash)
        else { return }
        let generation = memo.pointee.requestGeneration
        let now = nowNS()
        book.withLock {
            $0.delivered(left, cell: cell.number, generation: generation, nowNS: now)
        }
    }

    /// A refusal is about to be written.
    func willRefuse(
        _ tile: UInt64, _ verdict: TokenVerdict, _ memo: UnsafeMutablePointer<ConnectionMemo>,
        nowNS: UInt64
    ) {
        willAnswer(memo)
        // A living token is no dead one for having been refused.
        if verdict != .lagging { memo.pointee.refusedInAnswer = memo.pointee.requestGeneration }
        let refusal = TileRefusal(
            verdict: verdict, tile: LeftTile(client: memo.pointee.client, tile: tile),
            token: memo.pointee.requestCell == nil ? nil : memo.pointee.requestToken)
        book.withLock { $0.refused(refusal, nowNS: nowNS) }
    }

    /// Any other answer is about to be written. Whatever it answers, the next request on the
    /// connection comes after it.
    @inline(__always)
    func willAnswer(_ memo: UnsafeMutablePointer<ConnectionMemo>) {
        guard let cell = memo.pointee.requestCell ?? memo.pointee.answeredCell else { return }
        memo.pointee.refusalReadAtAnswer =
            cell.gauge.pointee.newestRefusalRead.load(ordering: .acquiring)
        memo.pointee.newestAtAnswer = cell.gauge.pointee.newestReceived.load(ordering: .acquiring)
        memo.pointee.answeredCell = cell
    }

    /// A client at that address has connected: its number.
    func connect(_ address: String, _ descriptor: Int32) -> Int {
        book.withLock { $0.connect(address, descriptor) }
    }

    /// The connection is about to be closed.
    func disconnect(_ client: Int, _ descriptor: Int32) {
        book.withLock { $0.disconnect(client, descriptor) }
    }

    /// Kills the tokens of that share of the cells; how many were alive, and the cells' names.
    func revoke(
        share: Double, cell: String? = nil, nowNS: UInt64
    ) -> (tokens: Int, cells: [String]) {
        book.withLock { $0.revoke(share: share, cell: cell, seed: seed, nowNS: nowNS) }
    }
}
