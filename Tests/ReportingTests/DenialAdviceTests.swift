import JSONText
import Testing

@testable import Reporting

@Suite struct DenialAdviceTests {
    /// ok, failed, and of these denied, second by second.
    struct Row {
        var ok: Int
        var failed = 0
        var denied = 0
    }

    private static func report(
        _ rows: [Row], status: [(Int, Int)], auth: String?
    ) -> ReportLookup {
        let timeline = rows.enumerated().map { second, row in
            JSONNode.object([
                ("t_s", .int(second)), ("interval_s", .int(1)), ("ok", .int(row.ok)),
                ("failed", .int(row.failed)), ("denied", .int(row.denied)),
            ])
        }
        let plan = auth.map { ("auth", JSONReader.parse(Array($0.utf8)).node ?? .null) }
        return ReportLookup(
            .object([
                ("scenario", .object([("plan", .object(plan.map { [$0] } ?? []))])),
                ("status", .object(status.map { ("\($0.0)", .int($0.1)) })),
                ("timeline", .array(timeline)),
            ]))
    }

    private static let renewed = #"{"renewal": {}, "rejected_when": {"status": [401, 498, 499]}}"#
    private static let good = Row(ok: 500)
    private static let dead = Row(ok: 0, failed: 900, denied: 900)

    struct Case: CustomTestStringConvertible {
        var name: String
        var rows: [Row]
        var status = 403
        /// How many answers had that status, of 2,000.
        var count = 900
        var auth: String? = DenialAdviceTests.renewed
        /// Second it began in; -1: the whole run; nil: nothing is said.
        var since: Int?
        var testDescription: String { name }
    }

    static let cases = [
        Case(name: "at once", rows: [good, good, dead, dead], since: 2),
        Case(
            name: "inside an interval",
            rows: [good, Row(ok: 300, failed: 500, denied: 500), dead], since: 1),
        Case(name: "in the first", rows: [Row(ok: 300, failed: 500, denied: 500), dead], since: 0),
        Case(name: "in the last", rows: [good, Row(ok: 9, failed: 99, denied: 99)], since: 1),
        Case(
            name: "with some other failures before", rows: [Row(ok: 450, failed: 50), dead],
            since: 1),
        Case(name: "any 4xx", rows: [good, dead], status: 410, since: 1),
        Case(name: "without auth", rows: [good, dead], status: 401, auth: nil, since: 1),
        Case(name: "nothing", rows: [good, good], count: 0, since: nil),
        Case(
            name: "half the tiles forbidden, one interval",
            rows: [Row(ok: 450, failed: 550, denied: 550)], since: nil),
        Case(
            name: "half the tiles forbidden",
            rows: [
                Row(ok: 520, failed: 480, denied: 480), Row(ok: 450, failed: 550, denied: 550),
                Row(ok: 510, failed: 490, denied: 490),
            ], since: nil),
        Case(
            name: "it passed", rows: [good, dead, Row(ok: 500), Row(ok: 500)], since: nil),
        Case(name: "failures of another kind", rows: [good, Row(ok: 0, failed: 900)], since: nil),
        Case(name: "too few to tell", rows: [Row(ok: 3), dead], since: nil),
        Case(
            name: "too few denied", rows: [good, Row(ok: 0, failed: 5, denied: 5)], since: nil),
        Case(name: "a listed status", rows: [good, dead], status: 401, since: nil),
        Case(name: "not found", rows: [good, Row(ok: 0, failed: 900)], status: 404, since: nil),
        Case(name: "from the start", rows: [dead, dead], count: 1900, since: -1),
        Case(name: "no rows", rows: [], count: 1900, since: -1),
        Case(name: "a listed status from the start", rows: [dead], status: 401, count: 1900),
    ]

    @Test(arguments: cases) func moment(_ it: Case) throws {
        let advice = DenialAdvice(
            Self.report(
                it.rows, status: [(200, 2000 - it.count), (it.status, it.count)], auth: it.auth))
        guard let since = it.since else {
            #expect(advice == nil, "\(advice?.sentence ?? "")")
            return
        }
        let found = try #require(advice)
        #expect(found.status == it.status)
        #expect(found.sinceS == (since < 0 ? nil : Double(since)))
    }

    @Test func words() throws {
        func sentence(_ status: Int, _ auth: String?, rows: [Row] = [Self.good, Self.dead]) throws
            -> String
        {
            let report = Self.report(rows, status: [(200, 500), (status, 900)], auth: auth)
            return try #require(DenialAdvice(report)).sentence
        }
        let meaning = "If that is how this server says that a token has expired, "
        #expect(
            try sentence(403, Self.renewed)
                == "From about 1 s on most tiles were answered 403, after 500 good ones. "
                + meaning
                + "list it in `auth`: \"rejected_when\": {\"status\": [401, 403, 498, 499]}, or "
                + "--set 'auth.rejected_when.status=[401,403,498,499]'.")
        #expect(
            try sentence(403, nil, rows: [])
                == "Most answers are 403. \(meaning)`auth` says how tokens are sent and renewed, "
                + "with \"rejected_when\": {\"status\": [401, 403]}.")
        #expect(try sentence(401, nil).hasSuffix("with \"rejected_when\": {\"status\": [401]}."))
        let fixed = #"{"static": "***", "rejected_when": {"status": [401]}}"#
        #expect(
            try sentence(403, fixed).hasSuffix(
                "give `auth.renewal` instead of the fixed token in `auth.static`, with "
                    + "\"rejected_when\": {\"status\": [401, 403]}."))
    }
}
