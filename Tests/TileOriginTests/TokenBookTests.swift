import JSONText
import Testing

@testable import TileOrigin

/// The table of tokens by itself.
@Suite("Token book")
struct TokenBookTests {
    private static let second: UInt64 = 1_000_000_000

    /// Asks for a token and gets it, each at its time.
    private func renew(_ book: inout TokenBook, beganS: UInt64, endedS: UInt64) throws {
        let begun = book.begin(
            TokenRequest(), client: 0, on: .init(descriptor: -1, isNew: false),
            nowNS: beganS * Self.second, isClosed: { _ in false })
        let renewal = try #require(begun)
        let grant = book.grant(
            renewal, .new, key: .random(), refresh: .random(), nowNS: endedS * Self.second,
            isClosed: { _ in false })
        guard case .token = grant else {
            Issue.record("no token was given")
            return
        }
        book.end(renewal, .granted)
    }

    @Test("Threads that read the clock and then wait for the lock bring times out of order")
    func timesOutOfOrder() throws {
        var options = OriginOptions.Token()
        options.ttlNS = 60 * Self.second
        var book = TokenBook(options, filter: TileFilter(), hasListener: true)
        defer { book.free() }
        let tile = LeftTile(client: 0, tile: 7)
        try renew(&book, beganS: 1100, endedS: 1100)
        // Before the token in hand was issued.
        try renew(&book, beganS: 1090, endedS: 1095)
        book.refused(
            TileRefusal(verdict: .revoked, tile: tile, token: 1), nowNS: 1120 * Self.second)
        // Before the refusal that it is for; and the tile, too.
        try renew(&book, beganS: 1105, endedS: 1110)
        book.delivered(tile, cell: 0, generation: 3, nowNS: 1115 * Self.second)
        // Before the recovery, which is not told yet.
        book.tellRecoveries(nowNS: 1105 * Self.second, isLast: false)
        #expect(book.untold == [0])
        book.tellRecoveries(nowNS: 1105 * Self.second, isLast: true)
        #expect(
            book.notices?.map(\.sentence).suffix(4) == [
                "a client: NEEDLESS renewal: its token was good",
                "a client: token 2 revoked: refused",
                "a client: renewed 0 ms after the first refusal",
                "a client: all tiles back 0 ms after the first refusal, 1 refused",
            ])

        let referee = book.refereeBook(startedAtNS: 1130 * Self.second, nowNS: 1105 * Self.second)
        let report = JSONNode.object(referee.judge().members(referee))
        #expect(report["duration_s"]?.double == 0)
        var statistics = OriginStatistics()
        statistics.expiries = book.expiryList
        statistics.startedAtNS = 1130 * Self.second
        for event in [report["events"]?.array?.first, statistics.json["events"]?.array?.first] {
            #expect(event?["first_refusal_s"]?.double == 0)
            #expect(event?["renewal_start_s"]?.double == 0)
            #expect(event?["first_ok_ms"]?.double == 0)
            #expect(event?["full_recovery_ms"]?.double == 0)
        }
    }
}
