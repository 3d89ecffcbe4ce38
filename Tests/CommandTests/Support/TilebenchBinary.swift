import Foundation
import Glibc

/// What a finished command left behind.
struct CommandResult: Sendable {
    let end: ProcessEnd
    let output: String
    let errorOutput: String
    let seconds: Double

    /// -1 when a signal ended it.
    var exitCode: Int32 {
        if case .exited(let code) = end { return code }
        return -1
    }
}

/// The built `tilebench`, run as a person would run it.
enum TilebenchBinary {
    /// `TILEBENCH_BINARY`, else the one that was built next to these tests.
    static func path() throws -> String {
        if let path = ProcessInfo.processInfo.environment["TILEBENCH_BINARY"] { return path }
        let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let path = (tests as NSString).deletingLastPathComponent + "/tilebench"
        guard FileManager.default.isExecutableFile(atPath: path) else {
            throw ProcessFailure(description: "no binary at \(path): swift build --build-tests")
        }
        return path
    }

    /// Runs it to its end.
    ///
    /// - Parameters:
    ///   - environment: all it gets besides PATH and HOME, so that no proxy variable or token of
    ///     the machine decides a test.
    ///   - timeoutS: after this it is killed and an error is thrown.
    ///   - whileRunning: called once it is started, to send signals or freeze a server.
    static func run(
        _ arguments: [String], environment: [String: String] = [:], in folder: TemporaryFolder,
        input: String = "", timeoutS: Double = 120,
        isolation: isolated (any Actor)? = #isolation,
        whileRunning: (ChildProcess) async throws -> Void = { _ in }
    ) async throws -> CommandResult {
        let outputs = try TemporaryFolder()
        let inherited = ProcessInfo.processInfo.environment.filter {
            ["PATH", "HOME"].contains($0.key)
        }
        let start = ContinuousClock.now
        let process = try ChildProcess(
            path(), arguments, environment: inherited.merging(environment) { $1 },
            workingFolder: folder.path, outputFolder: outputs, input: input)
        defer { process.kill() }
        try await whileRunning(process)
        guard let end = try await process.waitForEnd(timeoutS: timeoutS) else {
            process.kill()
            throw ProcessFailure(
                description: "tilebench \(arguments.joined(separator: " ")): not done after "
                    + "\(timeoutS) s; standard error:\n\(process.errorOutput())")
        }
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        return CommandResult(
            end: end, output: process.output(), errorOutput: process.errorOutput(),
            seconds: seconds)
    }
}
