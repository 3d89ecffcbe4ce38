import Testing
import Workload

@testable import Engine

/// A plan and what is known of a cell make a request: of every kind, field by field.
@Suite struct RenewalRequestTests {
    struct Case: CustomTestStringConvertible, Sendable {
        var name: String
        var kind: RenewalPlan.Kind
        var state = RenewalState()
        var method = "POST"
        var body: String?
        var authorization: String?
        var change: @Sendable (inout RenewalPlan) -> Void

        var testDescription: String { name }

        init(
            _ name: String, _ kind: RenewalPlan.Kind, state: RenewalState = RenewalState(),
            method: String = "POST", body: String? = nil, authorization: String? = nil,
            _ change: @escaping @Sendable (inout RenewalPlan) -> Void = { _ in }
        ) {
            self.name = name
            self.kind = kind
            self.state = state
            self.method = method
            self.body = body
            self.authorization = authorization
            self.change = change
        }
    }

    /// "s6BhdRkqt3:7Fjfp0ZBr1KtDRbnfVdmIw" is RFC 6749's own example.
    private static let client: @Sendable (inout RenewalPlan) -> Void = { plan in
        plan.credentials.clientID = "s6BhdRkqt3"
        plan.credentials.clientSecret = "7Fjfp0ZBr1KtDRbnfVdmIw"
    }
    private static let basic = "Basic czZCaGRSa3F0Mzo3RmpmcDBaQnIxS3REUmJuZlZkbUl3"

    static let grants = [
        Case(
            "client credentials", .clientCredentials, body: "grant_type=client_credentials",
            authorization: basic, client),
        Case(
            "client credentials with scope, in the form", .clientCredentials,
            body: "grant_type=client_credentials&scope=tiles%20read&client_id=s6BhdRkqt3"
                + "&client_secret=7Fjfp0ZBr1KtDRbnfVdmIw"
        ) { plan in
            client(&plan)
            plan.credentials.usesBasic = false
            plan.credentials.scope = "tiles read"
        },
        Case(
            "a secret that needs encoding, twice over", .clientCredentials,
            body: "grant_type=client_credentials",
            // a%3Ab:%2B%20%C3%A4
            authorization: "Basic YSUzQWI6JTJCJTIwJUMzJUE0"
        ) { plan in
            plan.credentials.clientID = "a:b"
            plan.credentials.clientSecret = "+ ä"
        },
        Case(
            "a user's own client, in a header", .clientCredentials, state: RenewalState(user: 7),
            body: "grant_type=client_credentials",
            // a7:s%3A7
            authorization: "Basic YTc6cyUzQTc="
        ) { plan in
            plan.credentials.clientID = "a{user}"
            plan.credentials.clientSecret = "s:{user}"
        },
        Case(
            "a user's own client, in the form", .clientCredentials, state: RenewalState(user: 7),
            body: "grant_type=client_credentials&client_id=a7&client_secret=s7"
        ) { plan in
            plan.credentials.clientID = "a{user}"
            plan.credentials.clientSecret = "s{user}"
            plan.credentials.usesBasic = false
        },
        Case(
            "further fields, one of them in the place of ours", .clientCredentials,
            body: "grant_type=client_credentials&audience=https%3A%2F%2Ft&scope=b",
            authorization: basic
        ) { plan in
            client(&plan)
            plan.credentials.scope = "a"
            plan.body = RenewalPlan.Body(
                contentType: "x", text: "audience=https%3A%2F%2Ft&scope=b", kind: .form)
        },
        Case(
            "password of a client without a secret", .password,
            body: "grant_type=password&username=j%26d&password=A3%3Dd&client_id=app"
        ) { plan in
            plan.credentials.username = "j&d"
            plan.credentials.password = "A3=d"
            plan.credentials.clientID = "app"
        },
        Case(
            "password of a client with a secret", .password,
            body: "grant_type=password&username=u&password=p", authorization: basic
        ) { plan in
            client(&plan)
            plan.credentials.username = "u"
            plan.credentials.password = "p"
        },
        Case(
            "the first refresh token", .refreshToken,
            body: "grant_type=refresh_token&refresh_token=tGzv3JOkF0XG5Qx2TlKWIA",
            authorization: basic
        ) { plan in
            client(&plan)
            plan.credentials.refreshToken = "tGzv3JOkF0XG5Qx2TlKWIA"
        },
        Case(
            "the newest refresh token, as it came", .refreshToken,
            state: RenewalState(user: 7, refreshToken: "n{user}&"),
            body: "grant_type=refresh_token&refresh_token=n%7Buser%7D%26"
        ) { $0.credentials.refreshToken = "first" },
        Case(
            "a user's own name and refresh token", .refreshToken, state: RenewalState(user: 7),
            body: "grant_type=refresh_token&refresh_token=r-7"
        ) { $0.credentials.refreshToken = "r-{user}" },
    ]

    static let others = [
        Case("url", .url, method: "GET"),
        Case("url with a body", .url, method: "PUT", body: "{\"u\":12}", authorization: "k 12") {
            $0.method = "PUT"
            $0.body = RenewalPlan.Body(contentType: "application/json", text: "{\"u\":{user}}")
            $0.headers = [HeaderPlan(name: "authorization", value: "k {user}")]
        },
        Case("document", .document, method: "GET"),
        Case("basic, as RFC 7617 has it", .basic, method: "GET", authorization: "Basic \(aladdin)")
        {
            $0.credentials.username = "Aladdin"
            $0.credentials.password = "open sesame"
        },
        Case(
            "basic with a body", .basic, method: "POST", body: "x", authorization: "Basic dTEyOnA="
        ) {
            $0.method = "POST"
            $0.credentials.username = "u{user}"
            $0.credentials.password = "p"
            $0.body = RenewalPlan.Body(contentType: "text/plain", text: "x")
        },
        Case(
            "ArcGIS, bound to an address", .arcgis,
            body: "username=u&password=p%25&client=requestip&f=json"
        ) {
            $0.credentials.username = "u"
            $0.credentials.password = "p%"
        },
        Case(
            "ArcGIS, bound to a referer", .arcgis,
            body: "username=u&password=p&client=referer&referer=https%3A%2F%2Fmaps.example%2F12"
                + "&expiration=60&f=json"
        ) {
            $0.credentials.username = "u"
            $0.credentials.password = "p"
            $0.credentials.referer = "https://maps.example/{user}"
            $0.credentials.expirationMinutes = 60
        },
    ]
    private static let aladdin = "QWxhZGRpbjpvcGVuIHNlc2FtZQ=="

    @Test(arguments: grants + others)
    func requests(_ test: Case) {
        var plan = RenewalPlan(url: "http://t.example/{user}/token?u={user}", timeoutNS: 1)
        plan.kind = test.kind
        test.change(&plan)
        var state = test.state
        if state.user == 0 { state.user = 12 }
        let request = OneShot.Request(
            renewal: plan, state: state, userAgent: "agent", timeoutNS: 5)
        #expect(request.url == "http://t.example/\(state.user)/token?u=\(state.user)")
        #expect(request.method == test.method)
        #expect(request.body == test.body)
        #expect(request.timeoutNS == 5)
        func header(_ name: String) -> [String] {
            request.headers.filter { $0.name.lowercased() == name }.map(\.value)
        }
        #expect(header("authorization") == [test.authorization].compactMap { $0 })
        #expect(header("user-agent") == ["agent"])
        #expect(header("cache-control") == ["no-cache"])
        let isForm = ![.url, .basic, .document].contains(test.kind)
        if isForm {
            #expect(header("content-type") == ["application/x-www-form-urlencoded"])
            #expect(header("accept") == ["application/json"])
        } else {
            #expect(header("content-type") == [plan.body?.contentType].compactMap { $0 })
        }
    }

    @Test func aWrittenHeaderWins() {
        var plan = RenewalPlan(url: "http://t/", timeoutNS: 1)
        plan.kind = .basic
        plan.headers = [
            HeaderPlan(name: "USER-AGENT", value: "own"),
            HeaderPlan(name: "Authorization", value: "mine"),
        ]
        let request = OneShot.Request(
            renewal: plan, state: RenewalState(), userAgent: "agent", timeoutNS: 1)
        #expect(request.headers.map(\.value) == ["own", "mine", "no-cache"])
    }
}
