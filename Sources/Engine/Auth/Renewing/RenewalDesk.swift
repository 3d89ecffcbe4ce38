import Metrics
import Synchronization
import TileModel
package import Workload

/// Runs the renewal flights of all cells, many at a time, on one thread: a renewal never waits
/// behind tiles, and each of its tries has a connection of its own.
package final class RenewalDesk: Sendable {
    package struct Setup: Sendable {
        package var plan: RenewalPlan
        package var rule: TokenAnswerRule
        package var connection: ConnectionPlan
        package var userAgent: String
        /// What a credential may take in a URL, and the templates it goes into.
        private let tokenBytesMax: Int
        private let templates: TileTemplateSet?
        /// Keeps the newest credential; for one cell only.
        package var tokenFile: TokenFile?
        /// The newest refresh token of an earlier run; nil: the plan's own is still unused.
        package var refreshToken: String?
        /// What the endpoint answered before the run; it takes the place of the first request.
        package var firstAnswer: OneShot.Answer?
        package var secrets: Secrets
        /// Of the jitter.
        package var seed: UInt64
        /// At most one flight of a cell runs at a time; the others wait for it.
        package var isSerial: Bool

        package init(
            plan: Plan, renewal: RenewalPlan, tokenBytesMax: Int, tokenFile: TokenFile? = nil
        ) {
            self.plan = renewal
            rule = TokenAnswerRule(renewal, of: plan)
            connection = plan.connection
            userAgent = plan.target.userAgent
            self.tokenBytesMax = tokenBytesMax
            templates = try? plan.target.templateSet()
            self.tokenFile = tokenFile
            secrets = plan.secrets
            seed = plan.seed
            isSerial = plan.auth.map { Deviations($0.client).contains(.serialFlights) } ?? false
        }

        /// The longest URL has room for it.
        func fits(_ credential: Credential) -> Bool {
            guard let templates else { return true }
            let parts = credential.parts.map { percentEncoded($0).utf8.count }
            let length = templates.lengthMax(
                tokenBytes: percentEncoded(credential.text).utf8.count, partBytes: parts,
                runBytes: 0)
            return length - templates.lengthMax <= tokenBytesMax
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
