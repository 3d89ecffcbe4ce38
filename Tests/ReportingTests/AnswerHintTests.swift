import JSONText
import Testing

@testable import Reporting

/// What the summary says of answers that look better than they are.
@Suite struct AnswerHintTests {
    struct Case: CustomTestStringConvertible, Sendable {
        var name: String
        var status: [(Int, Int)]
        var outcomes: [(String, Int)]
        var unauthorized = 0
        var hasAuth = true
        /// The start of what is said; nil: nothing is.
        var says: String?
        var testDescription: String { name }
    }

    static let cases = [
        Case(
            name: "a page in a 200", status: [(200, 9)], outcomes: [("soft_error", 3)],
            says: "3 answers with a status of success are no tiles"),
        Case(
            name: "redirects to a login", status: [(200, 9), (302, 3)],
            outcomes: [("soft_error", 3)], says: "3 answers are redirects"),
        Case(
            name: "redirects, without tokens", status: [(302, 3)], outcomes: [("soft_error", 0)],
            hasAuth: false),
        Case(name: "nothing changed is no redirect", status: [(304, 3)], outcomes: []),
        Case(
            name: "expired in a 200, not heard", status: [(200, 9)],
            outcomes: [("auth_expired", 4)], says: "4 answers say in words"),
        Case(
            name: "expired in a 200, heard and given up", status: [(200, 9)],
            outcomes: [("auth_expired", 4)], unauthorized: 4),
        Case(
            name: "expired by its status", status: [(200, 9), (401, 4)],
            outcomes: [("auth_expired", 4)]),
    ]

    @Test(arguments: cases)
    func hints(_ case: Case) throws {
        func counts(_ counts: [(String, Int)]) -> JSONNode {
            .object(counts.map { ($0.0, .int($0.1)) })
        }
        let plan: [(String, JSONNode)] = `case`.hasAuth ? [("auth", .object([]))] : []
        let report = ReportLookup(
            .object([
                ("scenario", .object([("plan", .object(plan))])),
                ("status", counts(`case`.status.map { ("\($0.0)", $0.1) })),
                ("outcomes", counts(`case`.outcomes)),
                (
                    "ledger",
                    .object([("failed_by", counts([("unauthorized", `case`.unauthorized)]))])
                ),
            ]))
        var page = TextPage(color: false)
        TextSummary.addAnswers(report, to: &page)
        let hints = page.text.split(separator: "\n").filter { !$0.contains(" = ") && !$0.isEmpty }
        #expect(hints.first.map(String.init)?.hasPrefix(`case`.says ?? "?") ?? (`case`.says == nil))
    }
}
