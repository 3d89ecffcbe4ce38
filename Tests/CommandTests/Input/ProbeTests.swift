import CZlib
import Foundation
import Testing

/// `tilebench probe` shows one exchange, and says what looks wrong.
@Suite(.serialized)
struct ProbeTests {
    @Test func aTileIsShownInFull() async throws {
        try await withNginx(NginxConfig(.tiles)) { server in
            let result = try await probe(["\(server.url)/tiles/{z}/{x}/{y}.png", "--tile", "3/4/2"])
            #expect(result.exitCode == 0, "\(result.errorOutput)")
            for text in [
                "3/4/2", "> GET /tiles/3/4/2.png HTTP/1.1", "127.0.0.1:\(server.port)", "no TLS",
                "HTTP/1.1 200", "< Content-Type: image/png", "first byte", "89 50 4e 47",
                "tile: ", "unknown",
            ] {
                #expect(result.output.contains(text), "\(text) in \(result.output)")
            }
            #expect(!result.output.contains("hint"))
            #expect(!result.output.contains("\u{1b}"))
            let log = try await server.stopAndReadLog()
            #expect(log.entries.map(\.uri) == ["/tiles/3/4/2.png"])
        }
    }

    @Test func theCacheClassIsNamed() async throws {
        try await withNginx(NginxConfig(.cached(at: "/c/"))) { server in
            let words = ["\(server.url)/c/{z}/{x}/{y}.png", "--tile", "2/1/1"]
            for expected in ["miss", "hit"] {
                let output = try await probe(words).output
                #expect(output.contains("\(expected) at the nearest cache"))
            }
        }
    }

    struct Hint: CustomTestStringConvertible, Sendable {
        var name: String
        /// The one tile that exists.
        var there: String
        var says: String
        var saysNot: String

        var testDescription: String { name }
    }

    @Test(arguments: [
        Hint(name: "swapped", there: "3/2/4", says: "swapped", saysNot: "target.scheme"),
        Hint(name: "tms", there: "3/4/5", says: "target.scheme", saysNot: "swapped"),
    ])
    func aMissingTileIsLookedForElsewhere(_ hint: Hint) async throws {
        let part = NginxConfig.Part(
            server: """
                location = /o/\(hint.there).png { return 200 "tile"; }
                location /o/ { return 404; }
                """)
        try await withNginx(NginxConfig(part)) { server in
            let result = try await probe(["\(server.url)/o/{z}/{x}/{y}.png", "--tile", "3/4/2"])
            #expect(result.exitCode == 0)
            #expect(result.output.contains("HTTP/1.1 404"))
            #expect(result.output.contains(hint.says), "\(result.output)")
            #expect(result.output.contains(hint.there))
            #expect(!result.output.contains(hint.saysNot))
            #expect(try await server.stopAndReadLog().entries.count <= 3)
        }
    }

    @Test func a404ThatIsOneIsSaidToBe() async throws {
        try await withNginx(NginxConfig(.status(404, at: "/"))) { server in
            let result = try await probe(["\(server.url)/{z}/{x}/{y}.png", "--tile", "3/4/2"])
            #expect(result.exitCode == 0)
            #expect(result.output.contains("no_tile"))
            #expect(!result.output.contains("look swapped"))
            #expect(result.output.contains("neither with x and y swapped"))
            let world = try await probe(["\(server.url)/{z}/{x}/{y}.png", "--tile", "0/0/0"])
            #expect(world.exitCode == 0)
            #expect(!world.output.contains("swapped"))
        }
    }

    @Test func aRedirectIsNoSuccess() async throws {
        let part = NginxConfig.Part(server: "location / { return 302 /elsewhere; }")
        try await withNginx(NginxConfig(part)) { server in
            let result = try await probe(["\(server.url)/{z}/{x}/{y}.png", "--tile", "3/4/2"])
            #expect(result.exitCode == 0)
            #expect(result.output.contains("a redirect that is not followed"), "\(result.output)")
            #expect(!result.output.contains("success by its status"))
            #expect(result.output.contains("connection.redirects"))
        }
    }

    @Test func a403MayMeanAnExpiredToken() async throws {
        try await withTokenService { service in
            try await withNginx(NginxConfig(.status(403, at: "/"))) { server in
                let result = try await probe([
                    "\(server.url)/{z}/{x}/{y}.png", "--tile", "3/4/2",
                    "--set", "auth.renewal.url=\(service.tokenURL)",
                ])
                #expect(result.exitCode == 0, "\(result.errorOutput)")
                #expect(result.output.contains("rejected_when"), "\(result.output)")
                #expect(result.output.contains("403"))
            }
        }
    }

    struct Service: CustomTestStringConvertible, Sendable {
        var name: String
        /// The template behind the server's address, and how nginx answers there.
        var path: String
        var answer: String
        var settings: [String] = []
        var says: [String]
        var saysNot = "no such words"
        var testDescription: String { name }
    }

    static let services = [
        Service(
            name: "cloudfront without auth",
            path: "/{z}/{x}/{y}.png?Policy=abcdefgh&Signature=ijklmnop&Key-Pair-Id=qrstuvwx",
            answer: "return 403 '<Error><Code>AccessDenied</Code></Error>';",
            says: [
                "profile    cloudfront fits, by Key-Pair-Id in its URL; there this 403 means an "
                    + "expired token", "see auth (with \"profile\": \"cloudfront\")",
            ], saysNot: "abcdefgh"),
        Service(
            name: "cloudfront by its cache", path: "/{z}/{x}/{y}.png",
            answer: "add_header X-Cache 'Error from cloudfront' always; return 403 'no';",
            settings: ["auth.static=abcdefgh"],
            says: [
                "cloudfront fits, by the cache that answers",
                "403 is taken as the tile's own here; with \"profile\": \"cloudfront\" in auth",
            ]),
        Service(
            name: "nginx secure_link", path: "/{z}/{x}/{y}.png?md5=abcdefgh&expires=1700000000",
            answer: "return 410 'Gone';",
            says: [
                "signed-url-410 fits, by md5 and expires in its URL; there this 410 means an expired",
                "see auth (with \"profile\": \"signed-url-410\")",
            ], saysNot: "x and y swapped"),
        Service(
            name: "google", path: "/v1/2dtiles/{z}/{x}/{y}?session=abcdefgh&key=ijklmnop",
            answer: "default_type application/json; return 400 "
                + #"'{"error":{"errors":[{"reason":"expired"}]}}';"#,
            says: ["google fits, by session and key in its URL; there this 400 means an expired"]),
        Service(
            name: "google that denies",
            path: "/v1/2dtiles/{z}/{x}/{y}?session=abcdefgh&key=ijklmnop",
            answer: "default_type application/json; return 403 "
                + #"'{"error":{"code":403,"errors":[{"reason":"forbidden"}]}}';"#,
            says: ["google fits, by session and key in its URL; there this 403 is no expired token"]
        ),
        Service(
            name: "arcgis", path: "/arcgis/rest/services/a/MapServer/tile/{z}/{y}/{x}",
            answer: "default_type text/html; return 200 '<html>Invalid Token</html>';",
            settings: ["auth.static=abcdefgh"],
            says: [
                "arcgis fits, by its path; there this 200 means an expired token", "auth_expired",
                "the token is refused, and nothing renews it",
            ]),
        Service(
            name: "a profile that is set", path: "/{z}/{x}/{y}.png?Key-Pair-Id=abcdefgh",
            answer: "return 403 'no';",
            settings: [
                "auth.profile=cloudfront", "auth.token.in=template", "auth.static=abcdefgh",
                #"target.headers={"X-T": "{token}"}"#,
            ], says: ["auth_expired", "the token is refused"], saysNot: "cloudfront fits"),
        Service(
            name: "insufficient scope", path: "/{z}/{x}/{y}.png",
            answer: "add_header WWW-Authenticate 'Bearer error=\"insufficient_scope\"' always; "
                + "return 403 'no';",
            settings: ["auth.static=abcdefgh", "auth.rejected_when.status=[401,403]"],
            says: ["auth_denied", "the token is good, and not for this tile"],
            saysNot: "rejected_when"),
        Service(
            name: "a login", path: "/{z}/{x}/{y}.png", answer: "return 302 /login;",
            settings: ["auth.static=abcdefgh", "auth.rejected_when.redirect=true"],
            says: ["auth_expired", "the token is refused"], saysNot: "connection.redirects"),
    ]

    @Test(arguments: services) func theProfileThatFits(_ service: Service) async throws {
        let part = NginxConfig.Part(server: "location / { \(service.answer) }")
        try await withNginx(NginxConfig(part)) { server in
            var words = [server.url + service.path, "--tile", "3/4/2"]
            for setting in service.settings { words += ["--set", setting] }
            let result = try await probe(words)
            #expect(result.exitCode == 0, "\(result.errorOutput)")
            for text in service.says {
                #expect(result.output.contains(text), "\(text) in \(result.output)")
            }
            #expect(!result.output.contains(service.saysNot), "\(result.output)")
        }
    }

    @Test func gzipThatIsNotDeclared() async throws {
        let part = NginxConfig.Part(server: "location /gz/ { alias @PREFIX@/gz/; }")
        try await withNginx(NginxConfig(part)) { server in
            try server.folder.write("gz/3/4/2.mvt", Self.gzip(Array("not really a tile".utf8)))
            let result = try await probe(["\(server.url)/gz/{z}/{x}/{y}.mvt", "--tile", "3/4/2"])
            #expect(result.exitCode == 0)
            #expect(result.output.contains("gzip_undeclared"), "\(result.output)")
            #expect(result.output.contains("Content-Encoding"))
        }
    }

    @Test func aTokenIsRenewedShownAndMasked() async throws {
        try await withTokenService(ttlS: 600) { service in
            try await withNginx(NginxConfig(.protected(by: service))) { server in
                for (place, shown) in [
                    (#"{"in": "query", "name": "token"}"#, "token=***"),
                    (#"{"in": "header", "name": "Authorization", "prefix": "Bearer "}"#, "***"),
                ] {
                    let result = try await probe([
                        "\(server.url)/secure/{z}/{x}/{y}.png", "--tile", "3/4/2",
                        "--set", "auth.renewal.url=\(service.tokenURL)",
                        "--set", "auth.token=\(place)",
                    ])
                    #expect(result.exitCode == 0, "\(result.errorOutput)")
                    #expect(result.output.contains("Token refresh"))
                    #expect(result.output.contains("expires_in"))
                    #expect(result.output.contains("HTTP/1.1 200"))
                    #expect(result.output.contains(shown))
                }
                let log = try await server.stopAndReadLog()
                #expect(log.statuses() == ["200": 2])
                let uri = try #require(log.entries.first?.uri)
                let token = try #require(uri.split(separator: "token=").last)
                let again = try await probe([
                    "\(server.url)/secure/{z}/{x}/{y}.png", "--set",
                    "auth.renewal.url=\(service.tokenURL)",
                ])
                // nginx is gone: what is said of that names no secret either.
                #expect(again.exitCode == 3)
                #expect(!(again.output + again.errorOutput).contains(token.prefix(2) + "-"))
            }
        }
    }

    @Test func aTokenEndpointThatFailsIsExplained() async throws {
        try await withTokenService { service in
            try await service.set(.html)
            let result = try await probe([
                "http://127.0.0.1:1/{z}/{x}/{y}.png", "--set",
                "auth.renewal.url=\(service.tokenURL)",
            ])
            #expect(result.exitCode == 3)
            #expect(result.output.contains("Token refresh"))
            #expect(result.errorOutput.contains("HTML"))
        }
    }

    @Test func nobodyThere() async throws {
        let port = try LoopbackHTTP.freePort()
        let result = try await probe(["http://127.0.0.1:\(port)/{z}/{x}/{y}.png"])
        #expect(result.exitCode == 3)
        #expect(result.errorOutput.contains("Connection refused"))
    }

    private func probe(_ words: [String]) async throws -> CommandResult {
        try await TilebenchBinary.run(["probe"] + words, in: try TemporaryFolder())
    }

    /// RFC 1952, with one stored block.
    private static func gzip(_ bytes: [UInt8]) -> [UInt8] {
        let size = UInt16(bytes.count)
        let sum = UInt32(crc32(0, bytes, UInt32(bytes.count)))
        func little<Value: FixedWidthInteger>(_ value: Value) -> [UInt8] {
            (0..<Value.bitWidth / 8).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
        }
        return [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 1] + little(size) + little(~size) + bytes
            + little(sum) + little(UInt32(size))
    }
}
