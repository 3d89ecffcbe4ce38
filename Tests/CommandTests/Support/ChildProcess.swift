import Foundation
import Glibc
import Synchronization

/// How a process ended.
enum ProcessEnd: Equatable, Sendable {
    case exited(Int32)
    case signalled(Int32)
}

struct ProcessFailure: Error, CustomStringConvertible {
    let description: String
}

/// A process of our own, with its output in files: nothing to drain, so no pipe can fill up and
/// stall it, and no thread of the test pool waits.
///
/// Spawned by `posix_spawn` rather than `Foundation.Process`, for a process group of its own (a
/// server's workers can be frozen with it), default signals and an empty mask. It goes through
/// `env -C`, which then becomes the program, because Swift does not see glibc's `addchdir_np`.
final class ChildProcess: Sendable {
    let pid: pid_t
    private let outputPath: String
    private let errorPath: String
    /// Kept, so that the files live as long as the process does.
    private let outputFolder: TemporaryFolder
    /// The write end of the process's standard input; -1 when it has none or it was closed.
    private let input: Mutex<Int32>
    private let end = Mutex<ProcessEnd?>(nil)

    /// - Parameters:
    ///   - arguments: without the program's own name.
    ///   - keepsInputOpen: standard input is a pipe that `closeInput` ends; else it is `input`.
    init(
        _ program: String, _ arguments: [String], environment: [String: String],
        workingFolder: String, outputFolder: TemporaryFolder, input: String = "",
        keepsInputOpen: Bool = false
    ) throws {
        let name = (program as NSString).lastPathComponent
        let stem = outputFolder.path("\(name)-\(UUID().uuidString)")
        self.outputFolder = outputFolder
        outputPath = stem + ".out"
        errorPath = stem + ".err"
        let inputPath = stem + ".in"
        try Data(input.utf8).write(to: URL(fileURLWithPath: inputPath))

        var pipeEnds: [Int32] = [-1, -1]
        if keepsInputOpen {
            try check(pipe(&pipeEnds) == 0 ? 0 : errno, "pipe")
            for descriptor in pipeEnds { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        if keepsInputOpen {
            posix_spawn_file_actions_adddup2(&actions, pipeEnds[0], 0)
        } else {
            posix_spawn_file_actions_addopen(&actions, 0, inputPath, O_RDONLY, 0)
        }
        let writing = O_WRONLY | O_CREAT | O_TRUNC
        posix_spawn_file_actions_addopen(&actions, 1, outputPath, writing, 0o644)
        posix_spawn_file_actions_addopen(&actions, 2, errorPath, writing, 0o644)

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        let flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
        posix_spawnattr_setflags(&attributes, Int16(flags))
        posix_spawnattr_setpgroup(&attributes, 0)
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)

        let words = ["/usr/bin/env", "-C", workingFolder, program] + arguments
        let argv = words.map { strdup($0) } + [nil]
        let envp = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { (argv + envp).forEach { free($0) } }
        var pid: pid_t = 0
        let code = posix_spawn(&pid, words[0], &actions, &attributes, argv, envp)
        if keepsInputOpen { close(pipeEnds[0]) }
        self.pid = pid
        self.input = Mutex(pipeEnds[1])
        try check(code, "cannot start \(program)")
    }

    deinit {
        kill()
        closeInput()
    }

    /// Nil while it runs.
    func poll() -> ProcessEnd? {
        end.withLock { end in
            if end == nil {
                var status: Int32 = 0
                if waitpid(pid, &status, WNOHANG) == pid {
                    let signal = status & 0x7f
                    end = signal == 0 ? .exited((status >> 8) & 0xff) : .signalled(signal)
                }
            }
            return end
        }
    }

    /// Nil when it still runs after `timeoutS` seconds.
    func waitForEnd(timeoutS: Double) async throws -> ProcessEnd? {
        try await waitUntil(timeoutS: timeoutS) { poll() != nil }
        return poll()
    }

    /// Sends to the process alone; nothing once it has ended, since its number may be another's.
    func send(_ signal: Int32) {
        end.withLock { if $0 == nil { _ = Glibc.kill(pid, signal) } }
    }

    /// Sends to the process and all it has started.
    func sendToGroup(_ signal: Int32) {
        end.withLock { if $0 == nil { _ = Glibc.kill(-pid, signal) } }
    }

    /// Ends it and all it has started at once, and collects it.
    func kill() {
        sendToGroup(SIGKILL)
        end.withLock { end in
            guard end == nil else { return }
            var status: Int32 = 0
            waitpid(pid, &status, 0)
            end = .signalled(SIGKILL)
        }
    }

    func closeInput() {
        input.withLock { descriptor in
            if descriptor >= 0 { close(descriptor) }
            descriptor = -1
        }
    }

    /// What it has written to standard output until now.
    func output() -> String { text(outputPath) }

    /// What it has written to standard error until now.
    func errorOutput() -> String { text(errorPath) }

    private func text(_ path: String) -> String {
        String(decoding: FileManager.default.contents(atPath: path) ?? Data(), as: UTF8.self)
    }
}

private func check(_ code: Int32, _ what: String) throws {
    if code != 0 {
        throw ProcessFailure(description: "\(what): \(String(cString: strerror(code)))")
    }
}

/// Asks every few milliseconds, without holding a thread. False when the time is over first.
@discardableResult
func waitUntil(
    timeoutS: Double, isolation: isolated (any Actor)? = #isolation,
    _ condition: () async throws -> Bool
) async throws -> Bool {
    let deadline = ContinuousClock.now + .seconds(timeoutS)
    while try await !condition() {
        if ContinuousClock.now >= deadline { return false }
        try await Task.sleep(for: .milliseconds(5))
    }
    return true
}
