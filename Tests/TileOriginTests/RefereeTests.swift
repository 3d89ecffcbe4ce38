import JSONText
import Testing
import TileOrigin

/// The judgement, as a function of what was recorded.
@Suite("Referee")
struct RefereeTests {
    private static let second: UInt64 = 1_000_000_000

    /// One client and cell, with a change to what was recorded of a first token that was used.
    private func book(
        name: String = "", _ change: (inout RefereeBook.Cell) -> Void
    ) -> RefereeBook {
        var book = RefereeBook()
        book.startedAtNS = 1000 * Self.second
        book.endedAtNS = 1100 * Self.second
        book.clients = [.init(address: "10.0.0.7")]
        var cell = RefereeBook.Cell(client: 0, name: name)
        cell.counts.requests = 1
        cell.counts.issued = 1
        cell.delivered = 50
        change(&cell)
        book.cells = [cell]
        return book
    }

    private struct Case: CustomTestStringConvertible, Sendable {
        var testDescription: String { sentence }
        let outcome: RefereeVerdict.Outcome
        let charges: [RefereeVerdict.Charge]
        /// After the client's address.
        let sentence: String
        let change: @Sendable (inout RefereeBook.Cell) -> Void

        init(
            _ outcome: RefereeVerdict.Outcome, _ charges: [RefereeVerdict.Charge],
            _ sentence: String, _ change: @escaping @Sendable (inout RefereeBook.Cell) -> Void
        ) {
            self.outcome = outcome
            self.charges = charges
            self.sentence = sentence
            self.change = change
        }
    }

    /// Tokens asked for, all of them given.
    private static func issue(_ count: UInt64, _ cell: inout RefereeBook.Cell) {
        cell.counts.requests = count
        cell.counts.issued = count
    }

    private static let cases: [Case] = [
        Case(.notJudged, [], "met no expiry: there is nothing to judge.") { _ in },
        Case(
            .pass, [],
            "renewed once for 1 expiry: each renewal was single. 12 requests were refused, and"
                + " every tile of them came in the end."
        ) {
            issue(2, &$0)
            $0.counts.expiries = 1
            $0.counts.refusals = 12
        },
        Case(
            .fail, [.concurrent, .needless],
            "renewed 3 times for 1 expiry: 2 needless, 1 of them while another renewal was under"
                + " way. 1 request was refused, and 1 tile never asked for again with success."
        ) {
            issue(4, &$0)
            $0.counts.expiries = 1
            $0.counts.needless = 1
            $0.counts.concurrent = 1
            $0.counts.refusals = 1
            $0.tilesLeft = 1
        },
        // Renewing without any expiry is judged too.
        Case(.fail, [.needless], "renewed 5 times for 0 expiries: 5 needless.") {
            issue(6, &$0)
            $0.counts.needless = 5
        },
        Case(
            .pass, [],
            "renewed twice for 0 expiries, 2 of them ahead of time: each renewal was single."
        ) {
            issue(3, &$0)
            $0.counts.proactive = 2
        },
        Case(.pass, [], "renewed once for 1 expiry: each renewal was single.") {
            issue(2, &$0)
            $0.counts.unseenExpiries = 1
        },
        Case(
            .fail, [.neverRenewed],
            "did not renew for 1 expiry. Its last token was refused 60.5 s before the end, and it"
                + " never asked for a new one. 300 requests were refused, and 40 tiles never asked"
                + " for again with success."
        ) {
            $0.isAlive = false
            $0.firstRefusalNS = 1_039_500_000_000
            $0.counts.expiries = 1
            $0.counts.refusals = 300
            $0.tilesLeft = 40
        },
        Case(
            .notJudged, [],
            "did not renew for 1 expiry. Its last token was refused 4.9 s before the end: too late"
                + " to judge. 3 requests were refused, and every tile of them came in the end."
        ) {
            $0.isAlive = false
            $0.firstRefusalNS = 1_095_100_000_000
            $0.counts.expiries = 1
            $0.counts.refusals = 3
        },
        // The refusal was written while the book was being copied.
        Case(
            .notJudged, [],
            "did not renew for 1 expiry. Its last token was refused 0.0 s before the end: too late"
                + " to judge. 1 request was refused, and every tile of them came in the end."
        ) {
            $0.isAlive = false
            $0.firstRefusalNS = 1_100_000_000_100
            $0.counts.expiries = 1
            $0.counts.refusals = 1
        },
        Case(
            .notJudged, [],
            "did not renew for 1 expiry. For its last expiry it asked 7 times for a token and got"
                + " none. 3 requests were refused, and every tile of them came in the end."
        ) {
            $0.isAlive = false
            $0.firstRefusalNS = 1_039_500_000_000
            $0.triesSinceRefusal = 7
            $0.counts.requests = 8
            $0.counts.failed = 7
            $0.counts.expiries = 1
            $0.counts.refusals = 3
        },
        Case(
            .notJudged, [],
            "met no expiry: there is nothing to judge. It asked for nothing after its last token"
                + " ended."
        ) {
            $0.isAlive = false
        },
        Case(
            .fail, [.knownDead, .outdated],
            "renewed once for 1 expiry: each renewal was single. It sent 1 request with a token"
                + " whose refusal it had read. It sent 2 requests with an old token although it had"
                + " used a newer one. 9 requests were refused, and every tile of them came in the"
                + " end."
        ) {
            issue(2, &$0)
            $0.counts.expiries = 1
            $0.counts.refusals = 9
            $0.knownDeadSends = 1
            $0.outdatedSends = 2
        },
        Case(
            .fail, [.refreshTokenReuse],
            "renewed once for 1 expiry: each renewal was single. It used a refresh token again that"
                + " it had used before, 4 times."
        ) {
            issue(2, &$0)
            $0.counts.requests = 6
            $0.counts.failed = 4
            $0.counts.unseenExpiries = 1
            $0.counts.refreshTokenReuse = 4
        },
        Case(.notJudged, [], "asked twice for a token and got none.") {
            issue(0, &$0)
            $0.counts.requests = 2
            $0.counts.failed = 2
            $0.isAlive = false
        },
    ]

    @Test("What each record means", arguments: cases)
    private func judgement(example: Case) throws {
        let verdict = book(example.change).judge()
        let row = try #require(verdict.rows.first)
        #expect(row.outcome == example.outcome)
        #expect(row.charges == example.charges)
        #expect(row.sentence == "10.0.0.7 " + example.sentence)
        #expect(verdict.outcome == example.outcome)
    }

    @Test("One that fails fails all; nobody is judged when nobody met an expiry")
    func together() {
        var book = book { _ in }
        #expect(
            book.judge().sentence
                == "Nothing was judged: no client met an expiry that it had to renew.")
        book.clients.append(.init(address: "10.0.0.8"))
        var good = RefereeBook.Cell(client: 1, name: "ann")
        good.counts.requests = 2
        good.counts.issued = 2
        good.counts.expiries = 1
        book.cells.append(good)
        #expect(book.judge().outcome == .pass)
        #expect(book.judge().sentence == "Renewal was single: 1 client passed.")
        book.cells[1].counts.needless = 1
        #expect(book.judge().outcome == .fail)
        #expect(book.judge().sentence == "Renewal was not single: 1 of 2 clients failed.")
        #expect(book.judge().rows[1].sentence.hasPrefix("10.0.0.8/ann renewed"))
        book.cells[1].counts.needless = 0
        book.cells[1].knownDeadSends = 3
        #expect(book.judge().sentence == "Renewal was not right: 1 of 2 clients failed.")
        #expect(
            RefereeBook().judge().sentence
                == "Nothing was judged: nobody asked for a tile or a token.")
    }

    @Test("Clients that never asked for a token are named")
    func strangers() {
        var book = RefereeBook()
        for (missing, unknown) in [(3, 0), (0, 1), (2, 2), (0, 0)] as [(UInt64, UInt64)] {
            var client = RefereeBook.Client(address: "10.0.0.\(book.clients.count)")
            client.missing = missing
            client.unknown = unknown
            book.clients.append(client)
        }
        let verdict = book.judge()
        #expect(
            verdict.strangers == [
                "10.0.0.0 sent 3 requests without a token, and never asked for one.",
                "10.0.0.1 sent 1 request with a token that was not issued here, and never asked for"
                    + " one.",
                "10.0.0.2 sent 4 requests without a token, or with one that was not issued here,"
                    + " and never asked for one.",
            ])
        #expect(verdict.outcome == .notJudged)
    }

    @Test("A name moves no cursor and fills no screen")
    func names() {
        let book = book(name: "a\u{1B}[2Jb\n" + String(repeating: "x", count: 300)) { _ in }
        #expect(book.subject(0) == "10.0.0.7/a?[2Jb?" + String(repeating: "x", count: 57))
    }

    @Test("Clients and cells are told apart, and what happens is told")
    func server() throws {
        try withOrigin {
            $0.token = .init()
            $0.isReferee = true
        } _: { origin in
            let client = try HTTPClient(port: origin.port)
            func token(_ cell: String) throws -> String {
                let answer = try client.get("/token?cell=\(cell)")
                return try #require(try parse(answer.text)["token"]?.string)
            }
            func tile(_ token: String) throws -> Int {
                try client.get("/5/1/2.png?token=\(token)").status
            }
            let ann = try token("ann")
            let bob = try token("bob")
            for token in [ann, bob] { #expect(try tile(token) == 200) }
            origin.revoke()
            for token in [ann, bob] { #expect(try tile(token) == 401) }
            for cell in ["ann", "bob", "bob"] { #expect(try tile(token(cell)) == 200) }

            let book = try #require(origin.refereeBook())
            #expect(book.clients.map(\.address) == ["", "127.0.0.1"])
            #expect(book.cells.map(\.name) == ["ann", "bob"])
            let verdict = book.judge()
            #expect(verdict.rows.map(\.outcome) == [.pass, .fail])
            #expect(verdict.rows[1].sentence.hasPrefix("127.0.0.1/bob renewed twice for 1 expiry"))
            let told = origin.takeNotices(isLast: true).notices.map(\.sentence)
            #expect(told.first == "127.0.0.1/ann: first token")
            #expect(told.contains("revoked 2 tokens of 2 cells"))
            #expect(told.contains("127.0.0.1/bob: token 1 revoked: refused"))
            #expect(told.contains("127.0.0.1/bob: NEEDLESS renewal: its token was good"))
            #expect(told.count == 10)
            #expect(origin.takeNotices().notices.isEmpty)

            let report = JSONNode.object(verdict.members(book))
            #expect(report["verdict"]?.string == "fail")

            // One cell alone, and one that there is not.
            let (annAgain, bobAgain) = (try token("ann"), try token("bob"))
            #expect(try client.request("POST", "/revoke?cell=eve").status == 400)
            #expect(try client.request("POST", "/revoke?cell=bob").status == 200)
            #expect(try tile(annAgain) == 200 && tile(bobAgain) == 401)
            #expect(report["clients"]?.array?.count == 2)
            #expect(report["clients"]?.array?[1]["charges"]?.array?.map(\.string) == ["needless"])
            #expect(
                report["events"]?.array?.map { $0["cell"]?.string } == [
                    "127.0.0.1/ann", "127.0.0.1/bob",
                ])
        }
    }

    @Test("A client that was started anew may ask for a token; one with connections may not")
    func restart() throws {
        try withOrigin {
            $0.token = .init()
            $0.isReferee = true
        } _: { origin in
            for _ in 0..<3 {
                let client = try HTTPClient(port: origin.port)
                let token = try #require(try parse(client.get("/token").text)["token"]?.string)
                #expect(try client.get("/5/1/2.png?token=\(token)").status == 200)
            }
            var cell = try #require(origin.refereeBook()?.cells.first)
            #expect(cell.counts.starts == 2)
            #expect(cell.counts.needless == 0)
            #expect(try #require(origin.refereeBook()).judge().outcome == .notJudged)

            let tiles = try HTTPClient(port: origin.port)
            #expect(try tiles.get("/stats").status == 200)
            _ = try HTTPClient(port: origin.port).get("/token")
            cell = try #require(origin.refereeBook()?.cells.first)
            #expect(cell.counts.needless == 1)
            #expect(try #require(origin.refereeBook()).judge().outcome == .fail)
        }
    }
}
