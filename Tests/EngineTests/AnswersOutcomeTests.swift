import JSONText
import Metrics
import Testing

@testable import Engine

@Suite struct AnswersOutcomeTests {
    static let names: [String: Outcome] = [
        "tile": .tile, "empty_tile": .emptyTile, "not_modified": .notModified, "no_tile": .noTile,
        "auth_expired": .authExpired, "auth_denied": .authDenied, "blocked": .blocked,
        "soft_error": .softError, "client_error": .clientError, "rate_limited": .rateLimited,
        "overloaded": .overloaded, "server_error": .serverError,
    ]

    static func bytes(_ text: String) -> [UInt8] {
        guard text.hasPrefix("hex:") else { return Array(text.utf8) }
        let digits = Array(text.dropFirst(4))
        return stride(from: 0, to: digits.count - 1, by: 2).map {
            UInt8(String(digits[$0...$0 + 1]), radix: 16) ?? 0x2A
        }
    }

    static func outcome(
        _ status: Int, _ headers: [(String, String)], _ body: [UInt8],
        isUnpacked: Bool = false, isRefusal: Bool = false
    ) -> Outcome {
        body.prefix(2048).withUnsafeBufferPointer { prefix in
            OutcomeRule.outcome(
                status: status, facts: facts(headers, status: status), prefix: prefix,
                bodyBytes: UInt64(body.count), isUnpacked: isUnpacked, isRefusal: isRefusal)
        }
    }

    @Test func everyVectorOfTheDefaultProfile() throws {
        let all = try #require(try vectors("tile-outcome-vectors.json")["vectors"]?.array)
        let mine = all.filter { $0["profile"]?.string == "default" }
        #expect(mine.count > 20)
        for vector in mine {
            let id = try #require(vector["id"]?.string)
            let name = try #require(vector["expected"]?["outcome"]?.string)
            let expected = try #require(Self.names[name])
            let found = Self.outcome(
                try #require(vector["status"]?.int), headerList(vector["headers"]),
                Self.bytes(try #require(vector["body"]?.string)))
            #expect(found == expected, "\(id)")
        }
    }

    static let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13]
    static let layer: [UInt8] = [0x1A, 7, 0x0A, 1, 0x61, 0x28, 0x80, 0x20, 0x78]

    struct Row: CustomTestStringConvertible {
        var status = 200
        var type: String?
        var more: [(String, String)] = []
        var body: [UInt8] = []
        var outcome: Outcome
        var headers: [(String, String)] { (type.map { [("Content-Type", $0)] } ?? []) + more }
        var testDescription: String { "\(status) \(headers) \(body.prefix(12)) -> \(outcome)" }
    }

    static func text(_ text: String) -> [UInt8] { Array(text.utf8) }

    static let rows: [Row] = [
        Row(type: "image/png", body: png, outcome: .tile),
        Row(type: "text/html", body: png, outcome: .tile),
        Row(type: nil, body: png, outcome: .tile),
        Row(type: "image/png", body: [0xFF, 0xD8, 0xFF, 0xE0], outcome: .tile),
        Row(type: "image/png", body: [1, 2, 3], outcome: .softError),
        Row(type: "image/png", body: text("<html>no</html>"), outcome: .softError),
        Row(type: "image/png", body: [], outcome: .softError),
        Row(type: "image/avif", body: [0, 0, 0, 0x20, 0x66], outcome: .tile),
        Row(type: "image/svg+xml", body: text("<svg/>"), outcome: .tile),
        Row(type: nil, body: [], outcome: .emptyTile),
        Row(type: "application/x-protobuf", body: layer, outcome: .tile),
        Row(type: "application/octet-stream", body: layer, outcome: .tile),
        Row(type: "application/x-protobuf", body: [0x08, 0x01], outcome: .softError),
        Row(type: "application/x-protobuf", body: [0x1F, 0x8B, 8], outcome: .gzipUndeclared),
        Row(type: nil, body: [0x1F, 0x8B, 8], outcome: .gzipUndeclared),
        Row(
            type: "application/json", more: [("Content-Encoding", "gzip")], body: [0x1F, 0x8B, 8],
            outcome: .softError),
        Row(
            type: "application/x-protobuf", more: [("Content-Encoding", "br")], body: [3, 4, 5],
            outcome: .tile),
        Row(
            type: "text/javascript", body: text("cb({\"error\":{\"code\":498}});"),
            outcome: .authExpired),
        Row(
            type: "application/json", body: text("{\"error\":{\"code\":\"499\"}}"),
            outcome: .authExpired),
        Row(
            type: "application/json", body: text("{\"error\":{\"code\":400}}"), outcome: .softError),
        Row(type: "text/plain", body: text("Invalid Token"), outcome: .authExpired),
        Row(type: "image/png", more: [("blank-tile", "true")], body: png, outcome: .noTile),
        Row(status: 403, more: [("X-Blocked", "yes")], outcome: .blocked),
        Row(
            status: 418, body: text("See https://tiles.example.org/policies/tiles/"),
            outcome: .blocked),
        Row(status: 403, body: text("403 Access blocked"), outcome: .blocked),
        Row(status: 403, body: text("Forbidden"), outcome: .authDenied),
        Row(status: 304, outcome: .notModified),
        Row(status: 401, outcome: .authExpired),
        Row(
            status: 401, more: [("WWW-Authenticate", "Bearer error=\"insufficient_scope\"")],
            outcome: .authDenied),
        Row(
            status: 403,
            more: [
                ("WWW-Authenticate", "Basic realm=x"),
                ("www-authenticate", "Bearer error=invalid_token"),
            ],
            outcome: .authExpired),
        Row(
            status: 403, more: [("WWW-Authenticate", "Bearer error=\"insufficient_scope\"")],
            body: text("see the usage policy"), outcome: .authDenied),
        Row(status: 400, body: text("<a exceptionCode=\"tileOutOfRange\"/>"), outcome: .noTile),
        Row(status: 418, outcome: .clientError), Row(status: 420, outcome: .rateLimited),
        Row(status: 504, outcome: .overloaded), Row(status: 502, outcome: .serverError),
        Row(status: 302, more: [("Location", "/login")], outcome: .softError),
    ]

    @Test(arguments: rows) func table(_ row: Row) {
        #expect(Self.outcome(row.status, row.headers, row.body) == row.outcome)
    }

    /// Gzip that is left when what the header names is undone; before that nothing tells.
    @Test(arguments: [
        ("gzip", true, Outcome.gzipTwice), ("br", true, .gzipTwice), ("gzip", false, .tile),
        ("gzip, gzip", true, .tile), ("", true, .gzipUndeclared),
        ("identity", true, .gzipUndeclared),
    ])
    func packedTwice(_ encoding: String, _ isUnpacked: Bool, _ outcome: Outcome) {
        let headers = [
            ("Content-Type", "application/x-protobuf"), ("Content-Encoding", encoding),
        ]
        #expect(
            Self.outcome(200, headers, [0x1F, 0x8B, 8], isUnpacked: isUnpacked) == outcome)
    }

    @Test func refusalDecidesFirst() {
        #expect(Self.outcome(403, [("X-Blocked", "x")], [], isRefusal: true) == .authExpired)
        #expect(Self.outcome(200, [], Self.png, isRefusal: true) == .authExpired)
    }
}
