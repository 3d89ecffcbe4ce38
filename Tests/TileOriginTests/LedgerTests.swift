import JSONText
import Testing
import TileOrigin

/// What the ledger says of expiries, to hold a report against it.
@Suite("Ledger")
struct LedgerTests {
    /// One client with several connections and what it does.
    private struct Client {
        let connections: [HTTPClient]

        init(_ origin: TileOrigin, connections count: Int) throws {
            connections = try (0..<count).map { _ in try HTTPClient(port: origin.port) }
        }

        func renew() throws -> String {
            try #require(try parse(connections[0].get("/token").text)["token"]?.string)
        }

        @discardableResult
        func tile(_ x: Int, _ token: String, on connection: Int = 0) throws -> Int {
            try connections[connection].get("/9/\(x)/0.png?token=\(token)").status
        }
    }

    private func withTokens(_ body: (TileOrigin) throws -> Void) throws {
        try withOrigin {
            $0.token = .init()
        } _: {
            try body($0)
        }
    }

    @Test("An expiry has its refusals, its renewal, the first tile and the last one")
    func expiry() throws {
        try withTokens { origin in
            let client = try Client(origin, connections: 1)
            let old = try client.renew()
            try client.tile(0, old)
            #expect(origin.statistics().expiries.records.isEmpty)
            origin.revoke()
            for x in [1, 2, 3, 1] { #expect(try client.tile(x, old) == 401) }
            let renewedNS = nowNS()
            let new = try client.renew()
            #expect(try client.tile(9, new) == 200)
            for x in [1, 2] { #expect(try client.tile(x, new) == 200) }

            var statistics = origin.statistics()
            var record = try #require(statistics.expiries.records.first)
            #expect(statistics.expiries.records.count == 1)
            #expect(record.generation == 1)
            #expect(record.cause == .revoked)
            #expect(record.refusals == 4)
            #expect(record.renewals == 1)
            #expect(record.tilesLeft == 1)
            #expect(record.fullRecoveryNS == nil)
            #expect(statistics.tokens.asksLeftRejected == 1)
            #expect(statistics.tokens.attemptsMax == 3)
            let startNS = try #require(record.renewalStartNS)
            let endNS = try #require(record.renewalEndNS)
            let firstNS = try #require(record.firstOKNS)
            #expect(record.firstRefusalNS < renewedNS)
            #expect(renewedNS <= startNS && startNS <= endNS && endNS <= firstNS)

            #expect(try client.tile(3, new) == 200)
            statistics = origin.statistics()
            record = try #require(statistics.expiries.records.first)
            #expect(record.tilesLeft == 0)
            #expect(try #require(record.fullRecoveryNS) > firstNS)
            #expect(statistics.tokens.asksLeftRejected == 0)

            let json = try parse(origin.statisticsJSON())
            let event = try #require(json["events"]?.array?.first)
            #expect(event["refusals"]?.int == 4)
            #expect(event["renewals"]?.int == 1)
            #expect(event["full_recovery_ms"] != nil)
            #expect(json["renewals_per_expiry"]?["max"]?.int == 1)
            #expect(json["tiles"]?["asks_left_rejected"]?.int == 0)
            #expect(json["tiles"]?["attempts_max"]?.int == 3)
            #expect(json["events_omitted"]?.int == 0)
        }
    }

    @Test("Renewals that the expiry did not need are its own too")
    func needless() throws {
        try withTokens { origin in
            let client = try Client(origin, connections: 1)
            let old = try client.renew()
            try client.tile(0, old)
            origin.revoke()
            try client.tile(1, old)
            let tokens = try (0..<3).map { _ in try client.renew() }
            try client.tile(1, tokens[0])
            let statistics = origin.statistics()
            #expect(statistics.expiries.records.map(\.renewals) == [3])
            #expect(statistics.tokens.sum.needless == 2)
            #expect(statistics.tokens.neverUsed == 2)
        }
    }

    @Test("A renewal ahead of time is no duplicate and no expiry")
    func proactive() throws {
        try withOrigin {
            $0.token = .init(ttlNS: 2_000_000_000)
        } _: { origin in
            let client = try Client(origin, connections: 1)
            let first = try client.renew()
            let issuedNS = nowNS()
            try client.tile(0, first)
            try waitUntil { nowNS() - issuedNS > 1_050_000_000 }
            _ = try client.renew()
            let sum = origin.statistics().tokens.sum
            #expect(sum.proactive + sum.unseenExpiries == 1)
            #expect(sum.needless == 0)
            #expect(origin.statistics().expiries.records.isEmpty)
        }
        // What the client was told is what counts.
        try withOrigin {
            $0.token = .init()
            $0.token?.advertisedNS = 100_000_000
        } _: { origin in
            let client = try Client(origin, connections: 1)
            try client.tile(0, client.renew())
            let issuedNS = nowNS()
            try waitUntil { nowNS() - issuedNS > 55_000_000 }
            _ = try client.renew()
            #expect(origin.statistics().tokens.sum.proactive == 1)
            #expect(origin.statistics().tokens.duplicates == 0)
        }
    }

    @Test("Two expiries of which a tile met both")
    func twoExpiries() throws {
        try withTokens { origin in
            let client = try Client(origin, connections: 1)
            var token = try client.renew()
            try client.tile(0, token)
            for _ in 0..<2 {
                origin.revoke()
                try client.tile(1, token)
                token = try client.renew()
                try client.tile(2, token)
            }
            #expect(origin.statistics().expiries.records.map(\.tilesLeft) == [1, 1])
            try client.tile(1, token)
            let records = origin.statistics().expiries.records
            #expect(records.map(\.tilesLeft) == [0, 0])
            #expect(records[0].fullRecoveryNS == records[1].fullRecoveryNS)
            #expect(origin.statistics().tokens.attemptsMax == 3)
            #expect(records.map(\.generation) == [1, 2])
        }
    }

    @Test("A request with a token whose refusal was read on its connection is a known-dead send")
    func knownDeadHere() throws {
        try withTokens { origin in
            let client = try Client(origin, connections: 2)
            let token = try client.renew()
            try client.tile(0, token, on: 0)
            try client.tile(0, token, on: 1)
            origin.revoke()
            // Nobody knew.
            try client.tile(1, token, on: 0)
            try client.tile(2, token, on: 1)
            #expect(origin.statistics().knownDeadSends == 0)
            try client.tile(3, token, on: 0)
            #expect(origin.statistics().knownDeadSends == 1)
            // A token request proves that the refusal was read as well.
            try client.tile(4, token, on: 0)
            let new = try client.renew()
            #expect(origin.statistics().knownDeadSends == 2)
            try client.tile(1, new, on: 0)
            try client.tile(2, new, on: 1)
            #expect(origin.statistics().knownDeadSends == 2)
            #expect(origin.statistics().outdatedSends == 0)
        }
    }

    @Test("So is one sent after a refusal was read on another connection")
    func knownDeadThere() throws {
        try withTokens { origin in
            let client = try Client(origin, connections: 3)
            let token = try client.renew()
            for connection in 0..<3 { try client.tile(0, token, on: connection) }
            origin.revoke()
            try client.tile(1, token, on: 0)
            // The renewal comes on the connection of the refusal: that was read.
            _ = try client.renew()
            // The answers before these were written earlier than that.
            try client.tile(2, token, on: 1)
            #expect(origin.statistics().knownDeadSends == 0)
            // This one follows a refusal on its own connection.
            try client.tile(3, token, on: 1)
            #expect(origin.statistics().knownDeadSends == 1)
            try client.tile(4, token, on: 2)
            #expect(origin.statistics().knownDeadSends == 1)
        }
    }

    @Test("A refused tile without a token counts until it is handed out")
    func coldStart() throws {
        try withTokens { origin in
            let client = try Client(origin, connections: 1)
            #expect(try client.tile(1, "dummy") == 401)
            #expect(try client.tile(2, "dummy") == 401)
            #expect(origin.statistics().tokens.asksLeftRejected == 2)
            let token = try client.renew()
            try client.tile(1, token)
            #expect(origin.statistics().tokens.asksLeftRejected == 1)
            #expect(origin.statistics().tokens.expiryEvents == 0)
            #expect(origin.statistics().tokens.duplicates == 0)
            // The strangers excused one renewal, not two.
            _ = try client.renew()
            #expect(origin.statistics().tokens.duplicates == 1)
            try client.tile(2, "dummy")
            _ = try client.renew()
            #expect(origin.statistics().tokens.duplicates == 1)
            #expect(origin.statistics().tokens.sum.afterStrangers == 1)
        }
    }
}
