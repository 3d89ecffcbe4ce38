import Foundation
import JSONText
import Metrics
import Testing
import Workload

@testable import Reporting

/// What the files of a run look like, to the letter.
@Suite struct FormatTests {
    private static let gates = [
        "latency.response.all.p99 < 250ms", "ledger.failed / ledger.started < 0.1%",
        "auth.renewals.per_expiry_max == 1", "cache.server.hit_rate > 90%",
        "failed_by.generator == 0", "zooms.12.p99 < 1s", "phases.tls.p99 < 10ms",
    ]

    static func report(_ result: RunResult, gates: [String] = []) throws -> JSONNode {
        let plans = try gates.map { GatePlan(expression: try GateExpression.parse($0)) }
        let ungated = ReportJSON.node(result: result, verdict: Verdict())
        let verdict = Verdict.judge(gates: plans, report: ungated)
        return ReportJSON.node(result: result, verdict: verdict)
    }

    private static let judged = Result { try report(SampleResult.full, gates: gates) }

    private static func full() throws -> JSONNode { try judged.get() }

    /// The bytes of the report but for its histograms, which differ by the version of zlib.
    private static func file(_ report: JSONNode) -> String {
        String(decoding: ReportJSON.encode(withoutHistograms(report)), as: UTF8.self)
    }

    private static func withoutHistograms(_ node: JSONNode) -> JSONNode {
        if let elements = node.array { return .array(elements.map(withoutHistograms)) }
        guard let members = node.members else { return node }
        return .object(
            members.map { member in
                let isText = member.name == "histogram" && member.node.string != nil
                return (member.name, isText ? .string("…") : withoutHistograms(member.node))
            })
    }

    @Test func fullReport() throws {
        try expectGolden(Self.file(try Self.full()), "full-report.json")
    }

    @Test func smallReport() throws {
        try expectGolden(Self.file(try Self.report(SampleResult.small)), "small-report.json")
    }

    @Test func summaryCSV() throws {
        try expectGolden(ReportCSV.summary(try Self.full()), "summary.csv")
    }

    @Test func timelineCSV() throws {
        try expectGolden(ReportCSV.timeline(try Self.full()), "timeline.csv")
    }

    @Test func zoomsCSV() throws {
        try expectGolden(ReportCSV.zooms(try Self.full()), "zooms.csv")
    }

    @Test func renewalsCSV() throws {
        try expectGolden(ReportCSV.renewals(try Self.full()), "renewals.csv")
        let none = ReportCSV.renewals(try Self.report(SampleResult.small))
        try expectGolden(none, "renewals-none.csv")
        #expect(none.hasSuffix("client_hit_rate_after\r\n"))
    }

    @Test func schemaFile() throws {
        try expectGolden(
            JSONWriter.encodeText(ReportSchema.node, pretty: true) + "\n", "schema.json")
    }

    @Test func fullSummary() throws {
        try expectGolden(TextSummary.text(report: try Self.full(), color: false), "full.txt")
    }

    @Test func fullSummaryInColor() throws {
        try expectGolden(TextSummary.text(report: try Self.full(), color: true), "full-color.txt")
    }

    @Test func smallSummary() throws {
        try expectGolden(
            TextSummary.text(report: try Self.report(SampleResult.small), color: false),
            "small.txt")
    }

    @Test func summaryOfNothing() throws {
        let report = try Self.report(SampleResult.empty)
        try expectGolden(TextSummary.text(report: report, color: false), "empty.txt")
    }

    @Test func embeddedOriginIsInTheFigures() throws {
        var result = SampleResult.small
        #expect(
            !TextSummary.text(report: try Self.report(result), color: false)
                .contains("embedded origin"))
        result.scenario.planJSON = #"{"target":{"origin":{"tile":"png"}},"load":{"users":1}}"#
        let text = TextSummary.text(report: try Self.report(result), color: false)
        let words = text.split { $0.isWhitespace }.joined(separator: " ")
        #expect(words.contains("CPU 0 ns including the embedded origin (0 ns per request)"))
    }

    @Test func summaryOfTrouble() throws {
        var result = SampleResult.full
        result.run.validity = .invalid
        result.run.reasons = ["3 errors of the generator's own making", "a second reason"]
        result.run.interrupted = true
        result.run.signal = "SIGINT"
        result.statuses = [403: 9_000, 200: 990]
        result.outcomes[Int(Outcome.blocked.rawValue)] = 1
        result.outcomes[Int(Outcome.gzipUndeclared.rawValue)] = 2
        result.auth?.storeFailures = 1
        result.errors = (0..<13).map {
            ErrorEntry(
                cause: "connect", detail: String(repeating: "long ", count: 30) + "\($0)",
                count: 1, firstAtNS: 0)
        }
        let report = try Self.report(result, gates: ["ledger.failed == 0"])
        try expectGolden(TextSummary.text(report: report, color: false), "trouble.txt")
    }

    /// A flawed client with a cell per user, whose faults were made on purpose.
    @Test func summaryOfAFlawedClient() throws {
        var result = SampleResult.full
        result.scenario.planJSON =
            #"{"target":{"tiles":"http://127.0.0.1/{z}/{x}/{y}.png"},"load":{"users":40},"#
            + #""auth":{"renewal":{"url":"http://127.0.0.1/token"},"client":"naive"}}"#
        result.auth?.cells = 40
        result.auth?.renewals.initial = 40
        result.auth?.renewals.attempted = 253
        result.auth?.renewals.succeeded = 252
        result.auth?.renewals.duplicates = 171
        result.auth?.renewals.perExpiryMax = 12
        result.auth?.expiryEvents = 1_041
        result.auth?.outdatedSends = 1
        result.auth?.knownDeadSends = 30
        result.auth?.tokensFailed = 2
        result.auth?.tokensLost = 1
        result.auth?.refusals.locked = 3
        result.auth?.acceptedWhileExpired[Int(CacheClass.staleHit.rawValue)] = 2
        result.auth?.acceptedWhileExpired[Int(CacheClass.unknown.rawValue)] = 1
        result.auth?.injectionRows[1].cells = 3
        result.auth?.injectionRows[1].observed = 1
        result.auth?.fullRecoveryTimes.record(350_000_000)
        result.auth?.firstOKTimes.record(201_000_000)
        let events = try #require(result.auth?.events)
        result.auth?.events = (0..<13).map { number in
            var event = events[number % 2]
            event.cell = number
            event.renewals = number == 2 ? 12 : 1
            if number == 3 { event.cause = .proactive }
            return event
        }
        let report = try Self.report(result)
        try expectGolden(TextSummary.text(report: report, color: true), "flawed-color.txt")
    }

    @Test func tokensThatNeverExpired() throws {
        func firstSentences(_ change: (inout RunResult) -> Void) throws -> String {
            var result = SampleResult.small
            result.auth = AuthResult()
            change(&result)
            let text = TextSummary.text(report: try Self.report(result), color: false)
            return String(
                text.prefix(upTo: text.firstRange(of: "small:")?.lowerBound ?? text.endIndex))
        }
        #expect(
            try firstSentences { $0.auth?.renewals.initial = 1 }.replacing("\n", with: " ")
                == "No token expired, 1 fetched at the start; no tile waited; 0 duplicate refreshes;"
                + " 0 tiles sent with an old token. ")
        let unnoticed = try firstSentences {
            $0.auth?.asksFailed[Int(AuthFailure.authRetries.rawValue)] = 3
        }
        #expect(unnoticed.hasPrefix("No expiry was noticed; no tile waited; 0 duplicate"))
        let fixed = #"{"auth":{"static":"***"}}"#
        #expect(try firstSentences { $0.scenario.planJSON = fixed } == "")
        #expect(
            try firstSentences {
                $0.scenario.planJSON = fixed
                $0.auth?.refusals.total = 2
            } == "The token was refused 2 times, and a static one is not renewed.\n")
    }

    @Test func whyAnInjectionEndedNothing() throws {
        var result = SampleResult.full
        func text() throws -> String {
            TextSummary.text(report: try Self.report(result), color: false)
                .replacing("\n", with: " ")
        }
        #expect(try text().contains("1 of 2 injections found no token in use."))
        result.auth?.injectionRows[1].failed = 1
        let failed = "1 of 2 injections failed: the server's hook revoked nothing."
        #expect(try text().contains(failed))
        #expect(try !text().contains("no token in use"))
        // Some have no row that says why.
        result.auth?.injections = 3
        result.auth?.injectionsMissed = 2
        #expect(try text().contains("1 of 3 injections ended no token."))
    }

    /// A token that came to its told end, with nobody refused.
    @Test func anEndThatNothingFollowed() throws {
        var result = SampleResult.full
        let sentence = "1 expiry had not recovered when the run ended."
        func isSaid() throws -> Bool {
            TextSummary.text(report: try Self.report(result), color: false)
                .replacing("\n", with: " ").contains(sentence)
        }
        result.auth?.events[1].storm = 0
        result.auth?.events[1].firstRefusalNS = nil
        result.auth?.events[1].expiredNS = 9_900_000_000
        #expect(try isSaid())
        // Ahead of its end it was replaced in vain: it goes on.
        result.auth?.events[1].expiredNS = nil
        #expect(try !isSaid())
    }

    @Test func storedReportReadsAlike() throws {
        let report = try Self.full()
        let stored = try ReportJSON.read(ReportJSON.encode(report))
        #expect(stored == report)
        #expect(
            TextSummary.text(report: stored, color: false)
                == TextSummary.text(report: report, color: false))
        #expect(ReportCSV.summary(stored) == ReportCSV.summary(report))
    }

    @Test func linesFitTheTerminal() throws {
        for report in [try Self.full(), try Self.report(SampleResult.small)] {
            let text = TextSummary.text(report: report, color: false)
            for line in text.split(separator: "\n") where line.contains(" ") {
                #expect(line.count <= 80, "\(line)")
            }
        }
    }

    @Test func lineDiffNamesBothSides() {
        #expect(lineDiff("a\nb", "a\nc") == "-2: \"b\"\n+2: \"c\"")
    }
}
