import Foundation

/// `Servers/documents.py`, running: documents that describe tiles, and the tiles.
final class DocumentServer: Sendable {
    /// What `/locked/` wants as `key`; percent-encoded it is another text.
    static let token = "s3cret+key/1="

    let port: Int
    private let folder: TemporaryFolder
    private let process: ChildProcess

    var url: String { "http://127.0.0.1:\(port)" }

    private init(port: Int, folder: TemporaryFolder, process: ChildProcess) {
        (self.port, self.folder, self.process) = (port, folder, process)
    }

    static func start() async throws -> DocumentServer {
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Servers/documents.py").path
        let folder = try TemporaryFolder()
        let process = try ChildProcess(
            "/usr/bin/python3", [script], environment: ["PYTHONDONTWRITEBYTECODE": "1"],
            workingFolder: folder.path, outputFolder: folder, keepsInputOpen: true)
        try await waitUntil(timeoutS: 20) {
            process.output().hasSuffix("\n") || process.poll() != nil
        }
        let said = process.output().split(separator: " ")
        guard said.count == 2, let port = Int(said[1].trimmingCharacters(in: .newlines)) else {
            process.kill()
            throw ProcessFailure(description: "documents.py: \(process.errorOutput())")
        }
        return DocumentServer(port: port, folder: folder, process: process)
    }

    func stop() { process.kill() }

    /// How often each path was asked for.
    func asked() async throws -> [String: Int] {
        let answer = try await LoopbackHTTP.request(port: port, path: "/asked")
        return try JSONDecoder().decode([String: Int].self, from: Data(answer.body))
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
