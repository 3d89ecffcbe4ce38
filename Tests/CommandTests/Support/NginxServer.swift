import Foundation
import Glibc

/// A real nginx in a temporary folder, on a free port of 127.0.0.1.
final class NginxServer: Sendable {
    let port: Int
    let folder: TemporaryFolder
    private let config: NginxConfig
    private let process: ChildProcess

    /// Without a slash at its end.
    var url: String { "\(config.tls ? "https" : "http")://127.0.0.1:\(port)" }

    /// The self-signed certificate, for `connection.ca_file`; exists with `tls`.
    var certificatePath: String { folder.path("cert.pem") }

    /// Returns when it accepts connections. A port that somebody takes between choice and bind is
    /// given up for another.
    static func start(_ config: NginxConfig) async throws -> NginxServer {
        let folder = try TemporaryFolder()
        for name in ["temp", "html"] {
            try FileManager.default.createDirectory(
                atPath: folder.path(name), withIntermediateDirectories: true)
        }
        try FileManager.default.createSymbolicLink(
            atPath: folder.path("html/tiles"),
            withDestinationPath: TilePNG.sharedFolder().path)
        if config.tls { try await makeCertificate(in: folder) }
        for _ in 0..<10 {
            if let server = try await attempt(config, in: folder) { return server }
        }
        throw ProcessFailure(description: "nginx found every port taken, ten times")
    }

    private init(port: Int, folder: TemporaryFolder, config: NginxConfig, process: ChildProcess) {
        self.port = port
        self.folder = folder
        self.config = config
        self.process = process
    }

    deinit {
        process.kill()
    }

    /// Nil when the port was taken.
    private static func attempt(
        _ config: NginxConfig, in folder: TemporaryFolder
    ) async throws -> NginxServer? {
        let port = try LoopbackHTTP.freePort()
        let text = config.text(port: port, prefix: folder.path, isRoot: geteuid() == 0)
        let file = try folder.write("nginx.conf", text)
        let process = try ChildProcess(
            program(), ["-c", file, "-p", folder.path, "-e", folder.path("error.log")],
            environment: [:], workingFolder: folder.path, outputFolder: folder)
        // The pid file appears after bind: before it, whoever accepts there is somebody else.
        let pidFile = folder.path("nginx.pid")
        try await waitUntil(timeoutS: 60) {
            process.poll() != nil || log(folder).contains("Address already in use")
                || (FileManager.default.fileExists(atPath: pidFile)
                    && LoopbackHTTP.accepts(port: port))
        }
        let said = log(folder) + process.errorOutput()
        if said.contains("Address already in use") {
            process.kill()
            try? FileManager.default.removeItem(atPath: folder.path("error.log"))
            return nil
        }
        guard process.poll() == nil, LoopbackHTTP.accepts(port: port) else {
            process.kill()
            throw ProcessFailure(description: "nginx did not start:\n\(said)\n\(text)")
        }
        return NginxServer(port: port, folder: folder, config: config, process: process)
    }

    /// Stops all its processes where they are: connections are accepted by the kernel and nothing
    /// answers.
    func freeze() { process.sendToGroup(SIGSTOP) }

    func thaw() { process.sendToGroup(SIGCONT) }

    /// Finishes what is being answered and ends; the log is complete then. A worker that cannot
    /// finish is killed.
    func stop() async throws {
        thaw()
        process.send(SIGQUIT)
        if try await process.waitForEnd(timeoutS: 60) == nil { process.kill() }
    }

    /// Stops the server first, since a line is written only after the client has its answer.
    func stopAndReadLog() async throws -> AccessLog {
        try await stop()
        return try AccessLog(text: folder.read("access.log"))
    }

    /// What nginx complained about.
    func errorLog() -> String { Self.log(folder) }

    private static func log(_ folder: TemporaryFolder) -> String {
        (try? folder.read("error.log")) ?? ""
    }

    /// Debian puts it in a folder that a user's PATH does not name.
    private static func program() throws -> String {
        let candidates = ["/usr/sbin/nginx", "/usr/local/sbin/nginx", "/usr/bin/nginx"]
        guard let found = candidates.first(where: FileManager.default.isExecutableFile) else {
            throw ProcessFailure(description: "nginx is not installed: make test installs it")
        }
        return found
    }

    private static func makeCertificate(in folder: TemporaryFolder) async throws {
        let process = try ChildProcess(
            "/usr/bin/openssl",
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
                "-nodes", "-days", "2", "-subj", "/CN=localhost", "-addext",
                "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", folder.path("key.pem"),
                "-out", folder.path("cert.pem"),
            ], environment: [:], workingFolder: folder.path, outputFolder: folder)
        guard try await process.waitForEnd(timeoutS: 60) == .exited(0) else {
            throw ProcessFailure(description: "openssl: \(process.errorOutput())")
        }
    }
}

/// Starts nginx, and stops it whatever becomes of `body`.
func withNginx<Result>(
    _ config: NginxConfig, isolation: isolated (any Actor)? = #isolation,
    _ body: (NginxServer) async throws -> Result
) async throws -> Result {
    let server = try await NginxServer.start(config)
    do {
        let result = try await body(server)
        try await server.stop()
        return result
    } catch {
        try? await server.stop()
        throw error
    }
}
