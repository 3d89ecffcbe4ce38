import Synchronization

/// A request for a token that has no answer yet.
struct OpenRenewal: Sendable {
    let number: UInt64
    let cell: Int
    let request: TokenRequest
    let arrivedAtNS: UInt64
    let connection: Connection
    /// It came while another one of its cell was open.
    let isConcurrent: Bool

    struct Connection: Sendable {
        let descriptor: Int32
        /// No tile and no token was asked for on it before.
        let isNew: Bool
    }
}

/// What became of a request for a token.
enum TokenGrant: Sendable {
    /// `expiresAtNS`: the end that is told; .max: none.
    case token(TokenKey, expiresAtNS: UInt64, refresh: TokenKey?)
    /// The refresh token is spent, or none of ours.
    case invalid
}

extension TokenBook {
    /// Which token is given.
    enum Gift {
        case new
        /// A new one that is dead from the start.
        case dead
        /// The one given last, if there is one.
        case same
    }

    /// A request for a token has come. nil: there are too many cells.
    ///
    /// - Parameter isClosed: whether the peer has closed a connection; a request whose client has
    ///   given up is not open any more.
    mutating func begin(
        _ request: TokenRequest, client: Int, on connection: OpenRenewal.Connection, nowNS: UInt64,
        isClosed: (Int32) -> Bool
    ) -> OpenRenewal? {
        let known = request.refreshToken.flatMap { refreshTokens[$0]?.cell }
        guard let cell = known ?? self.cell(request.cell, client: client) else { return nil }
        while let last = cells[cell].open.last, isClosed(last.connection.descriptor) {
            cells[cell].open.removeLast()
        }
        openNumber += 1
        let open = OpenRenewal(
            number: openNumber, cell: cell, request: request, arrivedAtNS: nowNS,
            connection: connection, isConcurrent: !cells[cell].open.isEmpty)
        cells[cell].counts.requests += 1
        if cells[cell].firstRefusalNS != nil { cells[cell].triesSinceRefusal += 1 }
        if open.isConcurrent { cells[cell].counts.concurrent += 1 }
        cells[cell].open.append(open)
        return open
    }

    /// The request has its answer, or never will.
    mutating func end(_ renewal: OpenRenewal, _ end: RenewalEnd) {
        cells[renewal.cell].open.removeAll { $0.number == renewal.number }
        switch end {
        case .granted: break
        case .failed: cells[renewal.cell].counts.failed += 1
        case .abandoned: cells[renewal.cell].counts.abandoned += 1
        }
    }

    enum RenewalEnd {
        case granted
        case failed
        /// The client went away before.
        case abandoned
    }

    /// Gives a token, unless a refresh token forbids it. `key` and `refresh` are new random ones;
    /// for `isClosed` see ``begin(_:client:on:nowNS:isClosed:)``.
    mutating func grant(
        _ renewal: OpenRenewal, _ gift: Gift, key: TokenKey, refresh: TokenKey, nowNS: UInt64,
        isClosed: (Int32) -> Bool
    ) -> TokenGrant {
        let cell = renewal.cell
        guard spendRefreshToken(renewal) else { return .invalid }
        let nextRefresh = newRefreshToken(refresh, for: renewal)
        if gift == .same, let newest = token(cells[cell].newest) {
            cells[cell].counts.same += 1
            return .token(newest.key, expiresAtNS: newest.expiresAtNS, refresh: nextRefresh)
        }
        book(renewal, nowNS: nowNS, isClosed: isClosed)
        let told = options.ttlNS.map { nowNS &+ $0 } ?? .max
        if options.issueRevokesOlder, cells[cell].generation > 0 {
            if let newest = token(cells[cell].newest), !isDead(newest, nowNS: nowNS) {
                counts.revoked += 1
            }
            cells[cell].handle.gauge.pointee.revokedThrough.store(
                cells[cell].generation, ordering: .releasing)
        }
        add(key, cell: cell, nowNS: nowNS, expiresAtNS: gift == .dead ? nowNS : told)
        return .token(key, expiresAtNS: told, refresh: nextRefresh)
    }

    /// Says why the token is renewed, as far as a server can know, and counts it for the end of the
    /// token before.
    private mutating func book(
        _ renewal: OpenRenewal, nowNS: UInt64, isClosed: (Int32) -> Bool
    ) {
        let cell = renewal.cell
        var reason = reason(renewal, nowNS: nowNS)
        if reason == .needless, isStart(renewal, isClosed: isClosed) { reason = .start }
        tell(reason, renewal, nowNS: nowNS)
        switch reason {
        case .first, .concurrent: break
        case .due: if !cells[cell].newestFailed { cells[cell].counts.unseenExpiries += 1 }
        case .stranger: cells[cell].counts.afterStrangers += 1
        case .proactive: cells[cell].counts.proactive += 1
        case .start: cells[cell].counts.starts += 1
        case .needless: cells[cell].counts.needless += 1
        }
        guard [.due, .needless, .concurrent].contains(reason), let last = cells[cell].lastExpiry
        else { return }
        // An end that nobody saw has no record.
        if reason == .due, !cells[cell].newestFailed { return }
        expiries[last].renewals += 1
        guard expiries[last].renewalEndNS == nil else { return }
        expiries[last].renewalStartNS = renewal.arrivedAtNS
        expiries[last].renewalEndNS = nowNS
    }

    enum Reason {
        case first
        case concurrent
        /// The token before was refused, or is dead.
        case due
        /// The client sent no token, or one that is not known here.
        case stranger
        /// More than half of its life is over.
        case proactive
        /// The client has no connection but that of the renewal, and that one is new: it was
        /// started anew.
        case start
        case needless
    }

    private func reason(_ renewal: OpenRenewal, nowNS: UInt64) -> Reason {
        let cell = cells[renewal.cell]
        if renewal.isConcurrent { return .concurrent }
        guard let newest = token(cell.newest) else { return .first }
        if cell.newestFailed || isDead(newest, nowNS: nowNS) { return .due }
        if clients[cell.client].strangers > cell.strangersAtIssue { return .stranger }
        return isOld(newest, nowNS: nowNS) ? .proactive : .needless
    }

    /// A program that ends closes its connections, and the next one knows nothing of its token.
    private func isStart(_ renewal: OpenRenewal, isClosed: (Int32) -> Bool) -> Bool {
        let connections = clients[cells[renewal.cell].client].connections
        // Without any, clients are not told apart.
        guard !connections.isEmpty, renewal.connection.isNew else { return false }
        return connections.allSatisfy { $0 == renewal.connection.descriptor || isClosed($0) }
    }

    /// Whether more than half of a token's life is over: the true one, or the shorter one that the
    /// client was told.
    private func isOld(_ token: Token, nowNS: UInt64) -> Bool {
        let toldNS = options.advertise ? options.advertisedNS : nil
        let lifeNS = min(token.expiresAtNS - token.issuedAtNS, toldNS ?? .max)
        guard token.expiresAtNS != .max || toldNS != nil else { return false }
        let ageNS = MonotonicClock.elapsedNS(from: token.issuedAtNS, to: nowNS)
        return ageNS >= lifeNS - lifeNS / 2
    }

    /// Whether the grant is good. The first refresh token of a cell may come from elsewhere; after
    /// that only those given here are taken, each once.
    private mutating func spendRefreshToken(_ renewal: OpenRenewal) -> Bool {
        guard options.rotatesRefreshTokens, renewal.request.grant == "refresh_token" else {
            return true
        }
        guard let key = renewal.request.refreshToken, let known = refreshTokens[key] else {
            return !cells[renewal.cell].hasRefreshToken
        }
        if known.isSpent {
            cells[renewal.cell].counts.refreshTokenReuse += 1
            return false
        }
        refreshTokens[key]?.isSpent = true
        return true
    }

    private mutating func newRefreshToken(
        _ key: TokenKey, for renewal: OpenRenewal
    ) -> TokenKey? {
        guard options.rotatesRefreshTokens,
            ["password", "refresh_token"].contains(renewal.request.grant)
        else { return nil }
        if refreshTokens.count >= TokenBook.refreshTokensMax {
            // They would be refused anyway.
            refreshTokens = refreshTokens.filter { !$0.value.isSpent }
        }
        refreshTokens[key] = RefreshToken(cell: renewal.cell)
        cells[renewal.cell].hasRefreshToken = true
        return key
    }
}
