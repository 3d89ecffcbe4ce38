import Synchronization

/// The table of cells and tokens, and what is counted of them. Without clock, lock or I/O; owner:
/// ``TokenDesk``, under its lock.
struct TokenBook: Sendable {
    struct Token {
        let key: TokenKey
        let cell: Int
        let generation: UInt64
        let issuedAtNS: UInt64
        let expiresAtNS: UInt64
        var refusals: UInt64 = 0
        var accepted = false
        /// The record of its end, if it was refused and there was room for one.
        var expiry: Int?
    }

    struct Cell {
        let handle: TokenCellHandle
        let client: Int
        let name: String
        /// Number of the token issued last; 0: none.
        var generation: UInt64 = 0
        /// Its place in the table of tokens.
        var newest = -1
        /// A refusal of the newest token since it was issued.
        var newestFailed = false
        /// The client's requests without a token of ours when the newest one was issued.
        var strangersAtIssue: UInt64 = 0
        /// Requests for a token that have no answer yet.
        var open: [OpenRenewal] = []
        /// The last end of a token that was seen.
        var lastExpiry: Int?
        /// Ends after which no newer token was accepted yet.
        var awaiting: [Int] = []
        var hasRefreshToken = false
        /// Of the newest token.
        var firstRefusalNS: UInt64?
        /// Requests for a token since then.
        var triesSinceRefusal: UInt64 = 0
        var attemptsMax: UInt64 = 0
        var counts = TokenCellCounts()
    }

    struct Client {
        let address: String
        /// Refused requests without a token, and with one that was not issued here.
        var missing: UInt64 = 0
        var unknown: UInt64 = 0
        /// Descriptors of its connections; kept where clients are told apart.
        var connections: Set<Int32> = []
        var strangers: UInt64 { missing + unknown }
    }

    /// Tokens remembered, dead ones too (a refused token should be known by its number). Beyond
    /// that the oldest half is forgotten, and would be refused as unknown.
    static let tokensMax = 1 << 20
    static let cellsMax = 1 << 16
    static let clientsMax = 1 << 12
    static let expiriesMax = 10_000
    static let leftMax = 1 << 17
    static let refreshTokensMax = 1 << 17
    static let noticesMax = 1 << 10

    let options: OriginOptions.Token
    let filter: TileFilter
    var numbers: [TokenKey: Int] = [:]
    /// The token of number n is at n - first.
    var tokens: [Token] = []
    var first = 0
    var cells: [Cell] = []
    var cellNumbers: [CellKey: Int] = [:]
    /// The first one stands for all where they are not told apart, and for those beyond the limit.
    var clients = [Client(address: "")]
    var clientNumbers: [String: Int] = [:]
    var expiries: [ExpiryRecord] = []
    var expiriesOmitted: UInt64 = 0
    var left: [LeftTile: LeftTile.State] = [:]
    var refreshTokens: [TokenKey: RefreshToken] = [:]
    var openNumber: UInt64 = 0
    /// What happened since it was told last; nil: nobody listens.
    var notices: [OriginNotice]?
    var noticesOmitted: UInt64 = 0
    /// Expiries of which it was not told yet that they are over.
    var untold: [Int] = []
    var counts = TokenStatistics()

    struct CellKey: Hashable {
        let client: Int
        let name: String
    }

    struct RefreshToken {
        let cell: Int
        var isSpent = false
    }

    init(_ options: OriginOptions.Token, filter: TileFilter, hasListener: Bool) {
        self.options = options
        notices = hasListener ? [] : nil
        self.filter = filter
    }

    func free() {
        for cell in cells { cell.handle.free() }
    }

    /// A client has connected: its number.
    mutating func connect(_ address: String, _ descriptor: Int32) -> Int {
        let number = client(address)
        clients[number].connections.insert(descriptor)
        return number
    }

    mutating func disconnect(_ client: Int, _ descriptor: Int32) {
        clients[client].connections.remove(descriptor)
    }

    /// The number of a client; 0 beyond the limit.
    private mutating func client(_ address: String) -> Int {
        if let known = clientNumbers[address] { return known }
        guard clients.count < TokenBook.clientsMax else {
            counts.clientsOmitted += 1
            return 0
        }
        clients.append(Client(address: address))
        clientNumbers[address] = clients.count - 1
        return clients.count - 1
    }

    /// nil: there are too many.
    mutating func cell(_ name: String, client: Int) -> Int? {
        let key = CellKey(client: client, name: name)
        if let known = cellNumbers[key] { return known }
        guard cells.count < TokenBook.cellsMax else {
            counts.cellsOmitted += 1
            return nil
        }
        let number = cells.count
        cells.append(Cell(handle: .make(number), client: client, name: name))
        cellNumbers[key] = number
        return number
    }

    func token(_ number: Int) -> Token? {
        number >= first && number - first < tokens.count ? tokens[number - first] : nil
    }

    func number(of key: TokenKey) -> Int? { numbers[key] }

    func isDead(_ token: Token, nowNS: UInt64) -> Bool {
        verdict(token, nowNS: nowNS) != .accepted
    }

    func verdict(_ token: Token, nowNS: UInt64) -> TokenVerdict {
        let gauge = cells[token.cell].handle.gauge
        if token.generation <= gauge.pointee.revokedThrough.load(ordering: .relaxed) {
            return .revoked
        }
        return nowNS >= token.expiresAtNS ? .expired : .accepted
    }

    /// Adds a token and makes it its cell's newest one.
    mutating func add(_ key: TokenKey, cell: Int, nowNS: UInt64, expiresAtNS: UInt64) {
        if tokens.count >= TokenBook.tokensMax { forgetOldest(TokenBook.tokensMax / 2) }
        cells[cell].generation += 1
        cells[cell].newest = first + tokens.count
        cells[cell].newestFailed = false
        cells[cell].firstRefusalNS = nil
        cells[cell].triesSinceRefusal = 0
        cells[cell].strangersAtIssue = clients[cells[cell].client].strangers
        cells[cell].counts.issued += 1
        numbers[key] = cells[cell].newest
        tokens.append(
            Token(
                key: key, cell: cell, generation: cells[cell].generation, issuedAtNS: nowNS,
                expiresAtNS: expiresAtNS))
        counts.neverUsed += 1
    }

    private mutating func forgetOldest(_ count: Int) {
        for token in tokens.prefix(count) { numbers[token.key] = nil }
        tokens.removeFirst(count)
        first += count
    }

    /// The first request with this token was accepted.
    mutating func accepted(_ number: Int) {
        guard !tokens[number - first].accepted else { return }
        tokens[number - first].accepted = true
        counts.neverUsed -= 1
    }

    /// Kills the tokens of a share of the cells: as many cells as that is when rounded, but one at
    /// least, chosen by their names, the seed and how often it was done before.
    /// - Parameter cell: only of the cells of that name, which clients may share.
    mutating func revoke(
        share: Double, cell: String?, seed: UInt64, nowNS: UInt64
    ) -> (tokens: Int, cells: [String]) {
        counts.revocations += 1
        if let cell {
            return kill(cells.indices.filter { cells[$0].name == cell }, nowNS: nowNS)
        }
        var chosen = Array(cells.indices)
        let wanted = share > 0 ? max(Int((Double(cells.count) * share).rounded()), 1) : 0
        if wanted < chosen.count {
            let round = OriginDraw.word(seed, .revocation, counts.revocations)
            let keys = cells.map { OriginDraw.mix(OriginDraw.hash($0.name) ^ round) }
            chosen.sort { (keys[$0], $0) < (keys[$1], $1) }
            chosen.removeLast(chosen.count - wanted)
        }
        return kill(chosen, nowNS: nowNS)
    }

    private mutating func kill(
        _ chosen: [Int], nowNS: UInt64
    ) -> (tokens: Int, cells: [String]) {
        let isHit = Set(chosen)
        let dead = tokens.count { isHit.contains($0.cell) && !isDead($0, nowNS: nowNS) }
        for cell in chosen {
            cells[cell].handle.gauge.pointee.revokedThrough.store(
                cells[cell].generation, ordering: .releasing)
        }
        counts.revoked += UInt64(dead)
        tell(.revoked(tokens: dead, cells: chosen.count), cell: nil, nowNS: nowNS)
        return (dead, chosen.map { cells[$0].name })
    }
}
