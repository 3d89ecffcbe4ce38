import Testing
import Workload

@testable import Engine

@Suite struct AnswersRefusalTests {
    static func isRefusal(
        _ status: Int, _ type: String, _ body: String, plan: RejectionPlan = RejectionPlan()
    ) -> Bool {
        withBytes(body) {
            RefusalRule(plan).isRefusal(
                status: status, facts: facts([("Content-Type", type)], status: status), prefix: $0)
        }
    }

    static let error498 = "{\"error\":{\"code\":498,\"message\":\"Invalid token.\"}}"

    @Test(arguments: [
        (200, "application/json", error498, true),
        (200, "text/plain;charset=utf-8", " \r\n\t" + error498, true),
        (200, "text/javascript", "callback(" + error498 + ");", true),
        (200, "text/javascript", "/**/ns.cb[0] ( " + error498 + " ) ;", true),
        (200, "application/json", "\u{FEFF}" + error498, true),
        (200, "application/json", "{\"error\":{\"code\" : \"499\"}}", true),
        (200, "application/json", "{\"error\":{\"code\":498.0}}", true),
        (200, "image/png", error498, true),
        (400, "application/json", error498, true),
        (200, "application/json", "{\"error\":{\"code\":400}}", false),
        (200, "application/json", "{\"error\":498}", false),
        (200, "application/json", "{\"code\":498}", false),
        (200, "application/json", "{\"error\":{\"code\":[498]}}", false),
        (200, "application/json", "{\"error\":{\"code\":null}}", false),
        (200, "text/plain", "498", false), (200, "text/plain", "error(498)", false),
        (200, "text/plain", "(", false), (200, "text/plain", "{", false),
        (200, "text/plain", "", false), (200, "image/png", "", false),
        (401, "", "", true), (498, "", "", true), (499, "", "", true), (403, "", "", false),
        (0, "", "", false), (-1, "", "", false), (1023, "", "", false), (5000, "", "", false),
    ])
    func defaults(_ status: Int, _ type: String, _ body: String, _ expected: Bool) {
        #expect(Self.isRefusal(status, type, body) == expected)
    }

    /// Only the first bytes are kept: what they hold counts.
    @Test func bodyCutInTheMiddle() {
        let long = "{\"error\":{\"code\":498,\"message\":\"" + String(repeating: "x", count: 4000)
        #expect(Self.isRefusal(200, "application/json", String(long.prefix(2048))))
    }

    @Test func otherPlans() {
        var plan = RejectionPlan()
        plan.statuses = [403, 410]
        plan.jsonPath = ["error", "errors", "0", "reason"]
        plan.jsonValues = ["expired", "true"]
        let google = "{\"error\":{\"errors\":[{\"reason\":\"expired\"}]}}"
        #expect(Self.isRefusal(400, "application/json", google, plan: plan))
        #expect(Self.isRefusal(403, "", "", plan: plan))
        #expect(!Self.isRefusal(401, "", "", plan: plan))
        #expect(RefusalRule(plan).needsBody)
        plan.jsonPath = ["expired"]
        #expect(Self.isRefusal(200, "application/json", "{\"expired\":true}", plan: plan))
        plan.jsonValues = []
        #expect(!Self.isRefusal(200, "application/json", "{\"expired\":true}", plan: plan))
        #expect(!RefusalRule(plan).needsBody)
    }
}
