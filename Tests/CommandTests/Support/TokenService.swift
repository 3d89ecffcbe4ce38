import Foundation
import Glibc

/// `Servers/token_service.py`, running: issues tokens that expire, and tells who holds a live one.
final class TokenService: Sendable {
    /// How the token endpoint answers.
    enum Mode: String, CaseIterable, Sendable {
        case ok
        /// 500; 200 with a page; 200 with nothing; no answer at all; JSON cut in the middle.
        case error = "500"
        case html, empty, hang, malformed
        /// The newest token again; a token that is refused from the start; an object without one.
        case same, dead
        case noToken = "no_token"
        /// A good answer after a delay; the connection closed without any.
        case slow, close
        /// 429 with Retry-After; 400 `invalid_grant`.
        case tooMany = "429"
        case invalidGrant = "invalid_grant"
    }

    /// Its own ledger: token requests are counted when they arrive.
    struct Counters: Decodable, Equatable, Sendable {
        let tokenRequests: Int
        let issued: Int
        let concurrentMax: Int
        let revocations: Int
        let authOK: Int
        let authRefused: Int
        /// Refresh tokens that came a second time; renewals that showed the cookie they were given;
        /// users that got a token of their own.
        var refreshReuse = 0
        var withCookie = 0
        var users = 0

        enum CodingKeys: String, CodingKey {
            case tokenRequests = "token_requests"
            case issued
            case concurrentMax = "concurrent_max"
            case revocations
            case authOK = "auth_ok"
            case authRefused = "auth_refused"
            case refreshReuse = "refresh_reuse"
            case withCookie = "with_cookie"
            case users
        }
    }

    private let server: PythonServer

    var port: Int { server.port }
    var url: String { server.url }
    var tokenURL: String { url + "/token" }
    var revokeURL: String { "http://127.0.0.1:\(port)/revoke" }

    /// - Parameters:
    ///   - ttlS: how long a token lives; nil: until it is revoked.
    ///   - advertisedS: what `expires_in` says; nil: the truth, and nothing without `ttlS`.
    ///   - delayMS: how long every answer of the token endpoint takes.
    static func start(
        ttlS: Double? = nil, advertisedS: Double? = nil, delayMS: Int = 0
    ) async throws -> TokenService {
        var arguments = ["--port", "0", "--delay-ms", "\(delayMS)"]
        if let ttlS { arguments += ["--ttl", "\(ttlS)"] }
        if let advertisedS { arguments += ["--advertise", "\(advertisedS)"] }
        return TokenService(try await PythonServer.start("token_service.py", arguments))
    }

    private init(_ server: PythonServer) { self.server = server }

    /// A token, as any client would get it.
    func token() async throws -> String {
        let answer = try await LoopbackHTTP.request(port: port, path: "/token")
        let object = try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any]
        guard let token = object?["token"] as? String else {
            throw ProcessFailure(description: "no token in \(answer.status) \(answer.text)")
        }
        return token
    }

    /// Every token issued until now is refused from now on.
    func revoke() async throws {
        try await control("/revoke")
    }

    /// - Parameter count: for so many token requests, `ok` after them; nil: for all.
    func set(_ mode: Mode, count: Int? = nil) async throws {
        try await control("/mode?name=\(mode.rawValue)" + (count.map { "&count=\($0)" } ?? ""))
    }

    func counters() async throws -> Counters {
        let answer = try await LoopbackHTTP.request(port: port, path: "/counters")
        return try JSONDecoder().decode(Counters.self, from: Data(answer.body))
    }

    func stop() { server.stop() }

    private func control(_ path: String) async throws {
        let answer = try await LoopbackHTTP.request("POST", port: port, path: path)
        guard answer.status == 200 else {
            throw ProcessFailure(description: "\(path): \(answer.status) \(answer.text)")
        }
    }
}

/// Starts a token service, and stops it whatever becomes of `body`.
func withTokenService<Result>(
    ttlS: Double? = nil, advertisedS: Double? = nil, delayMS: Int = 0,
    isolation: isolated (any Actor)? = #isolation,
    _ body: (TokenService) async throws -> Result
) async throws -> Result {
    let service = try await TokenService.start(
        ttlS: ttlS, advertisedS: advertisedS, delayMS: delayMS)
    defer { service.stop() }
    return try await body(service)
}
