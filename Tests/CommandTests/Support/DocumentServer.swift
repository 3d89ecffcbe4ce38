/// `Servers/documents.py`, running: documents that describe tiles, and the tiles.
final class DocumentServer: Sendable {
    /// What `/locked/` wants as `key`; percent-encoded it is another text.
    static let token = "s3cret+key/1="

    private let server: PythonServer

    var port: Int { server.port }
    var url: String { server.url }

    static func start() async throws -> DocumentServer {
        DocumentServer(try await PythonServer.start("documents.py"))
    }

    private init(_ server: PythonServer) { self.server = server }

    func stop() { server.stop() }

    /// How often each path was asked for.
    func asked() async throws -> [String: Int] {
        try await server.get([String: Int].self, "/asked")
    }
}

func withDocumentServer(
    isolation: isolated (any Actor)? = #isolation,
    _ body: (DocumentServer) async throws -> Void
) async throws {
    let server = try await DocumentServer.start()
    defer { server.stop() }
    try await body(server)
}
