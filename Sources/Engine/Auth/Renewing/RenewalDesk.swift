import Glibc
import Metrics
import Synchronization
import TileModel
package import Workload

/// Runs the renewal flights of all cells, many at a time, on one thread: a renewal never waits
/// behind tiles, and each of its tries has a connection of its own.
package final class RenewalDesk: Sendable {
    package struct Setup: Sendable {
        package var plan: RenewalPlan
        package var connection: ConnectionPlan
        package var userAgent: String
        /// What a token may take in a URL.
        package var tokenBytesMax: Int
        package var tokenFile: TokenFile?
        package var secrets: Secrets
        /// Of the jitter.
        package var seed: UInt64
        /// At most one flight of a cell runs at a time; the others wait for it.
        package var isSerial = false

        package init(
            plan: RenewalPlan, connection: ConnectionPlan, userAgent: String, tokenBytesMax: Int,
            tokenFile: TokenFile?, secrets: Secrets, seed: UInt64
        ) {
            self.plan = plan
            self.connection = connection
            self.userAgent = userAgent
            self.tokenBytesMax = tokenBytesMax
            self.tokenFile = tokenFile
            self.secrets = secrets
            self.seed = seed
        }
    }

    let setup: Setup
    let queue: RenewalQueue
    let tally = Mutex(RenewalTally())

    package init(_ setup: Setup, queue: RenewalQueue) {
        self.setup = setup
        self.queue = queue
    }

    package func currentTally() -> RenewalTally { tally.withLock { $0 } }

    /// The thread's body: flights until the queue closes.
    package func run(store: @escaping (Int) -> TokenStore) {
        RenewalLoop(self, store: store).run()
    }
}
