/// What a connection remembers between its requests. Server thread of the connection only.
struct ConnectionMemo {
    /// Who is at the other end; 0 where clients are not told apart.
    var client = 0
    /// A tile or a token was asked for on it.
    var isUsed = false

    /// The token accepted last on this connection; generation 0: none.
    var key = TokenKey(high: 0, low: 0)
    var cell: TokenCellHandle?
    var generation: UInt64 = 0
    var expiresAtNS: UInt64 = 0
    /// Until then a server may not know the token while replication lags.
    var freshUntilNS: UInt64 = 0

    /// What was known of `answeredCell` just before the last answer was written.
    var answeredCell: TokenCellHandle?
    var newestAtAnswer: UInt64 = 0
    var refusalReadAtAnswer: UInt64 = 0
    /// The last answer refused this generation of `answeredCell`; 0: it refused none.
    var refusedInAnswer: UInt64 = 0

    /// The token of the request that is being answered; generation 0: none that was issued here.
    var requestCell: TokenCellHandle?
    var requestGeneration: UInt64 = 0
    /// Its place in the book; meaningful where the desk looked it up.
    var requestToken = 0

    /// The body of a token request, as far as it has come.
    var body: [UInt8] = []
    /// The token request that is being answered.
    var renewal: OpenRenewal?
}
