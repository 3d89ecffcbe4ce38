import Foundation

/// `Servers/viewed_tiles.py`, running: tiles that take their time, and who stayed for them.
final class ViewedTiles: Sendable {
    struct Record: Decodable, Sendable {
        /// In the order of their arrival.
        let requests: [Request]
        /// Connections at once.
        let openMax: Int

        enum CodingKeys: String, CodingKey {
            case requests
            case openMax = "open_max"
        }
    }

    struct Request: Decodable, Sendable {
        let connection: Int
        let path: String
        /// `answered`, `left` when the client went away before that, `open`.
        let end: String

        init(from decoder: any Decoder) throws {
            var list = try decoder.unkeyedContainer()
            connection = try list.decode(Int.self)
            path = try list.decode(String.self)
            end = try list.decode(String.self)
        }
    }

    private let server: PythonServer

    var port: Int { server.port }
    var template: String { server.url + "/t/{z}/{x}/{y}" }

    /// - Parameter every: so many requests have one among them that takes `delayMS`.
    static func start(delayMS: Int = 0, every: Int = 1) async throws -> ViewedTiles {
        ViewedTiles(
            try await PythonServer.start(
                "viewed_tiles.py", ["--delay-ms", "\(delayMS)", "--every", "\(every)"]))
    }

    private init(_ server: PythonServer) { self.server = server }

    /// What it has seen, once nothing is open any more.
    func record() async throws -> Record {
        while true {
            let record = try await server.get(Record.self, "/record")
            if record.requests.allSatisfy({ $0.end != "open" }) { return record }
            try await Task.sleep(for: .milliseconds(20))
        }
    }
}
