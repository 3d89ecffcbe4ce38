import JSONText
import Testing

@testable import Workload

@Suite("Secrets are masked")
struct SecretsTests {
    @Test(
        "Known values in every spelling",
        arguments: [
            ("plain t0p/secret+x end", "plain *** end"), ("t0p%2Fsecret%2Bx", "***"),
            ("t0p%2fsecret%2bx", "***"), ("t0p/secret+xt0p/secret+x", "******"),
            ("\"a\\\"b\"", "\"***\""), ("nothing here", "nothing here"), ("t0p/secret", "***"),
            ("longer t0p/secret!", "longer ***!"), ("ab stays", "ab stays"),
        ])
    func values(text: String, masked: String) {
        var secrets = Secrets()
        for value in ["t0p/secret", "t0p/secret+x", "a\"b", "ab"] { secrets.add(value) }
        #expect(secrets.masking(text) == masked)
        #expect(secrets.masking(secrets.masking(text)) == masked)
    }

    @Test(
        "By the names of parameters, headers and users",
        arguments: [
            (
                "GET /1/2/3?a=1&access_token=xyz&b=2 HTTP/1.1",
                "GET /1/2/3?a=1&access_token=***&b=2 HTTP/1.1"
            ),
            ("https://h/?KEY=abc#f", "https://h/?KEY=***#f"), ("monkey=abc", "monkey=abc"),
            ("?access_token={token}&x=1", "?access_token={token}&x=1"), ("?token=", "?token="),
            ("Authorization: Bearer abc.def\r\nHost: x", "Authorization: ***\r\nHost: x"),
            ("authorization:Basic abc", "authorization:***"),
            (
                "{\"Authorization\": \"Bearer abc\", \"a\": 1}",
                "{\"Authorization\": \"***\", \"a\": 1}"
            ),
            ("Cookie: a=b; c=d", "Cookie: ***"), ("X-Api-Key: abc\nB: c", "X-Api-Key: ***\nB: c"),
            ("My-Token: abc", "My-Token: ***"), ("Content-Type: a", "Content-Type: a"),
            ("X-T: {token}", "X-T: {token}"),
            ("Authorization: Bearer {token}", "Authorization: Bearer {token}"),
            ("/target/headers/Cookie: expected text", "/target/headers/Cookie: expected text"),
            ("sent Bearer eyJhbGciOi9.x-y", "sent Bearer ***"),
            ("a bearer of good news", "a bearer of good news"),
            ("http://me:pw@host/x and http://host/a@b", "http://***@host/x and http://host/a@b"),
        ])
    func names(text: String, masked: String) {
        let secrets = Secrets()
        #expect(secrets.masking(text) == masked)
        #expect(secrets.masking(masked) == masked)
    }

    @Test("No secret of a scenario is in its plan, its problems or its notes")
    func nowhere() throws {
        let environment = ["K1": "env-secret-1", "K2": "env secret/2"]
        let text = """
            {"target": {"tiles": ["https://me:user-secret@127.0.0.1/{z}?key=query-secret&v=${K1}"],
               "headers": {"Authorization": "Basic header-secret", "X-Api-Key": "apikey-secret",
                 "Cookie": "sid=cookie-secret", "X-Other": "${K2}"}},
             "auth": {"token": {"in": "header", "name": "X-Tok"},
               "renewal": {"url": "http://127.0.0.1/t?token=renew-secret", "method": "POST",
                 "headers": {"X-Any": "any-secret"}, "body": {"form": {"password": "body-secret"}}}}}
            """
        let plan = try plan(text, environment: environment)
        let shown =
            JSONWriter.encodeText(plan.json) + JSONWriter.encodeText(plan.fingerprintJSON)
            + plan.notes.joined()
        for secret in [
            "env-secret-1", "env secret/2", "user-secret", "query-secret", "header-secret",
            "apikey-secret", "cookie-secret", "renew-secret", "any-secret", "body-secret",
        ] {
            #expect(!shown.contains(secret), "\(secret)")
            #expect(plan.secrets.masking("<\(secret)>") == "<***>", "\(secret)")
        }
    }

    @Test("Short numbers and words of URLs are not hunted for")
    func shortValues() throws {
        let plan = try plan(
            "{\"target\": {\"tiles\": \"http://127.0.0.1/{z}?expires=300&key=demo&sig=ok\"}}")
        #expect(plan.secrets.masking("300 tiles, demo ok") == "300 tiles, demo ok")
        #expect(plan.secrets.masking("?expires=300") == "?expires=***")
    }
}
