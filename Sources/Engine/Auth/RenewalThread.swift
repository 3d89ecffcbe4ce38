import Glibc
import Metrics
import Synchronization
import TileModel
package import Workload

/// Runs renewal flights, one after another, on a thread and a connection of its own: a renewal
/// never waits behind tiles, and a dead connection cannot repeat it silently.
package final class RenewalThread: Sendable {
    /// Counts of the tries, "under `tally`".
    package struct Tally: Sendable {
        package var attempted: UInt64 = 0
        package var succeeded: UInt64 = 0
        package var failed: UInt64 = 0
        package var storeFailures: UInt64 = 0
        /// (what went wrong, first time in monotonic ns, count)
        package var errors: [(text: String, firstNS: UInt64, count: UInt64)] = []
        package var successesNS: [UInt64] = []
        /// Why the last flight failed.
        package var lastFailure: String?
    }

    private static let triesMax = 3
    private static let backOffMinNS: UInt64 = 50_000_000
    private static let backOffMaxNS: UInt64 = 1_000_000_000
    private static let errorsMax = 32
    private static let successesMax = 100_000

    private let plan: RenewalPlan
    private let userAgent: String
    /// What a token may take in a URL.
    private let tokenBytesMax: Int
    private let fetcher: OneShot
    private let queue: RenewalQueue
    private let tokenFile: TokenFile?
    private let secrets: Secrets
    private let tally = Mutex(Tally())

    package init(
        plan: RenewalPlan, fetcher: OneShot, queue: RenewalQueue, tokenFile: TokenFile?,
        secrets: Secrets, userAgent: String, tokenBytesMax: Int
    ) {
        self.plan = plan
        self.userAgent = userAgent
        self.tokenBytesMax = tokenBytesMax
        self.fetcher = fetcher
        self.queue = queue
        self.tokenFile = tokenFile
        self.secrets = secrets
    }

    package func currentTally() -> Tally { tally.withLock { $0 } }

    /// The thread's body: flights until the queue closes.
    package func run(store: TokenStore) {
        while let flight = queue.next() {
            fly(flight, store: store)
        }
    }

    /// One flight with its tries and its deadline of four times a try's timeout.
    private func fly(_ flight: UInt64, store: TokenStore) {
        let deadlineNS = MonotonicClock.nowNS() + 4 * plan.timeoutNS
        var tries = 0
        while !queue.isAborted(flight) {
            tries += 1
            let failure = attempt(flight, deadlineNS: deadlineNS, store: store)
            guard let failure else { return }
            note(failure)
            let now = MonotonicClock.nowNS()
            let pause = max(failure.retryAfterNS ?? 0, backOffNS(tries: tries))
            let isLast = tries >= Self.triesMax || now + pause >= deadlineNS
            if failure.isPermanent || isLast {
                store.failed(
                    flight: flight, isPermanent: failure.isPermanent,
                    retryAfterNS: failure.retryAfterNS ?? 0, nowNS: now)
                return
            }
            if queue.sleep(nanoseconds: pause, flight: flight) { return }
        }
    }

    /// One try; nil when it brought a token.
    private func attempt(
        _ flight: UInt64, deadlineNS: UInt64, store: TokenStore
    ) -> TokenFailure? {
        let now = MonotonicClock.nowNS()
        tally.withLock { $0.attempted += 1 }
        let answer = fetcher.fetch(
            OneShot.Request(
                renewal: plan, userAgent: userAgent,
                timeoutNS: min(plan.timeoutNS, deadlineNS &- now)),
            isCancelled: { [queue] in queue.isAborted(flight) })
        let parsed = TokenAnswer.parse(
            answer, tokenPath: plan.tokenPath, expiresPath: plan.expiresPath)
        switch parsed {
        case .failure(let failure):
            return failure
        case .success(let issued) where percentEncoded(issued.text).utf8.count > tokenBytesMax:
            return TokenFailure(isPermanent: false, text: "a token too long for a tile's URL")
        case .success(let issued):
            let end = MonotonicClock.nowNS()
            let delivery = store.brought(
                flight: flight, credential: Credential(issued.text), sentNS: now, lifeNS: nil,
                nowNS: end)
            switch delivery {
            case .taken: break
            case .same, .kept:
                return TokenFailure(
                    isPermanent: false, text: "the token endpoint gave the refused token again")
            case .abandoned:
                return TokenFailure(
                    isPermanent: false, text: "a token came when nobody waited for it any more")
            }
            tally.withLock {
                $0.succeeded += 1
                if $0.successesNS.count < Self.successesMax { $0.successesNS.append(end) }
            }
            save(issued)
            return nil
        }
    }

    /// Full jitter: uniform in 0...min(1 s, 50 ms * 2^(tries - 1)).
    private func backOffNS(tries: Int) -> UInt64 {
        let ceiling = min(Self.backOffMaxNS, Self.backOffMinNS << UInt64(tries - 1))
        return UInt64.random(in: 0...ceiling)
    }

    private func note(_ failure: TokenFailure) {
        let now = MonotonicClock.nowNS()
        let text = secrets.masking(failure.text)
        tally.withLock { tally in
            tally.failed += 1
            tally.lastFailure = text
            if let index = tally.errors.firstIndex(where: { $0.text == text }) {
                tally.errors[index].count += 1
            } else if tally.errors.count < Self.errorsMax {
                tally.errors.append((text, now, 1))
            }
        }
    }

    private func save(_ issued: IssuedToken) {
        guard let tokenFile else { return }
        do throws(TokenFileError) {
            try tokenFile.save(issued)
        } catch {
            let now = MonotonicClock.nowNS()
            tally.withLock { tally in
                tally.storeFailures += 1
                if tally.errors.count < Self.errorsMax, tally.storeFailures == 1 {
                    tally.errors.append((error.description, now, 1))
                }
            }
        }
    }
}
