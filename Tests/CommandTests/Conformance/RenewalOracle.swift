import Foundation

/// `Servers/renewal_oracle.py`, running: tiles and tokens from one server with a ledger of its own.
final class RenewalOracle: Sendable {
    /// What it saw; see the script for what each count proves.
    struct Ledger: Decodable, Sendable {
        /// Requests for tiles, by when they arrived; answers by status.
        let tiles: Int
        let answered: [String: Int]
        let refused: Int
        let lateRefused: Int
        /// Requests for a token, and those that came while another was open, or without need.
        let attempted: Int
        let concurrent: Int
        let needless: Int
        let issued: Int
        let neverUsed: Int
        /// Tokens that were refused to somebody, and the most refusals of one.
        let expired: Int
        let stormMax: Int
        let revocations: Int
        let staleCertain: Int
        let knownDeadCertain: Int
        /// Refusals of tokens that were issued dead.
        let deadRefused: Int
        /// By the name that renewals said.
        let cells: [String: Cell]
    }

    struct Cell: Decodable, Sendable {
        let tiles: Int
        /// Longest time without a request that bore one of its tokens.
        let gapMaxS: Double
    }

    private let server: PythonServer

    var port: Int { server.port }
    var tiles: String { server.url + "/{z}/{x}/{y}.png" }
    var tokenURL: String { server.url + "/token" }

    static func start(_ arguments: [String]) async throws -> RenewalOracle {
        RenewalOracle(try await PythonServer.start("renewal_oracle.py", arguments))
    }

    private init(_ server: PythonServer) { self.server = server }

    func ledger() async throws -> Ledger {
        let answer = try await LoopbackHTTP.request(port: port, path: "/ledger")
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return try decoder.decode(Ledger.self, from: Data(answer.body))
    }

    func stop() { server.stop() }
}

/// Starts an oracle, and stops it whatever becomes of `body`.
func withRenewalOracle<Result>(
    _ arguments: [String], isolation: isolated (any Actor)? = #isolation,
    _ body: (RenewalOracle) async throws -> Result
) async throws -> Result {
    let oracle = try await RenewalOracle.start(arguments)
    defer { oracle.stop() }
    return try await body(oracle)
}
