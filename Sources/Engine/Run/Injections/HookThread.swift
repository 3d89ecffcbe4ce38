import CLinux
import Glibc
import Synchronization
import Workload

/// Asks a server's own hook to revoke tokens, on a thread of its own: the control loop never waits
/// for a server. One request after another, in the order they were ordered.
final class HookThread: Sendable {
    /// One request and the tokens that are dead once it is answered.
    struct Call: Sendable {
        var request: OneShot.Request
        var tokens: [TokenCells.Token]
    }

    struct Job: Sendable {
        /// Of the injection.
        var number: Int
        var calls: [Call]
    }

    private struct Box {
        var jobs: [Job] = []
        var isClosed = false
    }

    private let box = Mutex(Box())
    private let descriptor: Int32
    private let fetcher: OneShot
    private let cells: TokenCells
    private let log: InjectionLog
    private let secrets: Secrets

    init(connection: ConnectionPlan, secrets: Secrets, cells: TokenCells, log: InjectionLog) {
        fetcher = OneShot(connection: connection)
        self.secrets = secrets
        self.cells = cells
        self.log = log
        descriptor = eventfd(0, Int32(EFD_CLOEXEC))
        precondition(descriptor >= 0, "no eventfd for the injections")
    }

    deinit { Glibc.close(descriptor) }

    func order(_ job: Job) {
        box.withLock { $0.jobs.append(job) }
        wake()
    }

    /// Ends the thread; a request that is out is cut off.
    func close() {
        box.withLock { $0.isClosed = true }
        wake()
    }

    private func wake() {
        var one: UInt64 = 1
        write(descriptor, &one, 8)
    }

    private var isClosed: Bool { box.withLock { $0.isClosed } }

    /// The thread's body.
    func run() {
        while true {
            let jobs = box.withLock { box in
                let jobs = box.jobs
                box.jobs = []
                return jobs
            }
            for job in jobs { carryOut(job) }
            if isClosed { return }
            var count: UInt64 = 0
            read(descriptor, &count, 8)
        }
    }

    private func carryOut(_ job: Job) {
        var ended = 0
        var failed = 0
        // The last good answer: from then on the tokens are dead.
        var doneNS: UInt64?
        for call in job.calls {
            let failure = failure(of: call.request)
            if let failure {
                failed += 1
                log.fail(secrets.masking(failure), atNS: MonotonicClock.nowNS())
            } else {
                let nowNS = MonotonicClock.nowNS()
                for token in call.tokens {
                    cells[token.cell].revoked(token, injection: job.number, nowNS: nowNS)
                }
                ended += call.tokens.count
                doneNS = nowNS
            }
        }
        log.done(
            job.number, cells: ended, failed: failed, atNS: doneNS ?? MonotonicClock.nowNS())
        if ended == 0 { log.miss() }
    }

    /// What keeps the request from having revoked anything; nil: it is done.
    private func failure(of request: OneShot.Request) -> String? {
        if isClosed { return "the run ended before the tokens could be revoked" }
        let answer = fetcher.fetch(request, isCancelled: { [self] in isClosed })
        if let failure = answer.failure {
            if isClosed { return "the run ended before the tokens could be revoked" }
            return answer.isTimeout
                ? "the request that revokes was not answered in time"
                : "no answer to the request that revokes: \(failure)"
        }
        return (200..<300).contains(answer.status)
            ? nil : "the request that revokes was answered \(answer.status)"
    }
}

extension OneShot.Request {
    /// The server's hook, for the token of that cell where it says `{user}`.
    init(hook: HookPlan, user: Int, userAgent: String) {
        let state = RenewalState(user: user)
        self.init(url: state.filling(hook.url), timeoutNS: hook.timeoutNS)
        method = hook.method
        headers = hook.headers.map {
            HeaderPlan(name: $0.name, value: state.filling($0.value))
        }
        body = hook.body.map { state.filling($0.text) }
        if let content = hook.body { add("Content-Type", content.contentType) }
        add("User-Agent", userAgent)
    }
}
