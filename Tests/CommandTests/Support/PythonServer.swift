import Foundation

/// A script of `Servers`, running: it binds port 0 itself, says which it got, and ends with us.
final class PythonServer: Sendable {
    let port: Int
    private let folder: TemporaryFolder
    private let process: ChildProcess

    var url: String { "http://127.0.0.1:\(port)" }

    static func start(_ name: String, _ arguments: [String] = []) async throws -> PythonServer {
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Servers/\(name)").path
        let folder = try TemporaryFolder()
        let process = try ChildProcess(
            "/usr/bin/python3", [script] + arguments,
            environment: ["PYTHONDONTWRITEBYTECODE": "1"], workingFolder: folder.path,
            outputFolder: folder, keepsInputOpen: true)
        try await waitUntil(timeoutS: 60) {
            process.output().hasSuffix("\n") || process.poll() != nil
        }
        let said = process.output().split(separator: " ")
        guard said.count == 2, let port = Int(said[1].trimmingCharacters(in: .newlines)) else {
            process.kill()
            throw ProcessFailure(description: "\(name): \(process.errorOutput())")
        }
        return PythonServer(port: port, folder: folder, process: process)
    }

    private init(port: Int, folder: TemporaryFolder, process: ChildProcess) {
        self.port = port
        self.folder = folder
        self.process = process
    }

    deinit { process.kill() }

    func stop() { process.kill() }

    func get<Value: Decodable>(_ type: Value.Type, _ path: String) async throws -> Value {
        let answer = try await LoopbackHTTP.request(port: port, path: path)
        return try JSONDecoder().decode(type, from: Data(answer.body))
    }
}
