import Synchronization
import Workload

/// What the token cells of a run share.
final class TokenHub: Sendable {
    let renewal: RenewalQueue
    let news: TokenNews
    let releaseWatch = ReleaseWatch()
    /// Asks that wait for a token now, over all cells, and the most there were. Atomic, relaxed.
    private let parked = Atomic<Int>(0)
    private let parkedMost = Atomic<Int>(0)

    init(renewal: RenewalQueue, isPerUser: Bool) {
        self.renewal = renewal
        news = TokenNews(isPerUser: isPerUser)
    }

    func noteParked(by change: Int) {
        let now = parked.wrappingAdd(change, ordering: .relaxed).newValue
        if change > 0 { parkedMost.max(now, ordering: .relaxed) }
    }

    var parkedMax: UInt64 { UInt64(parkedMost.load(ordering: .relaxed)) }
}

/// The token cells of a run: one for all users, or one for each user of a closed load. Cells never
/// wait for each other.
package final class TokenCells: Sendable {
    let stores: [TokenStore]
    let isPerUser: Bool
    let hub: TokenHub

    /// - Parameter perUser: number of users that have a token each; nil: one token for all.
    init(
        perUser users: Int?, limits: TokenCell.Limits, deviations: Deviations, seed: UInt64,
        renewal: RenewalQueue
    ) {
        isPerUser = users != nil
        let hub = TokenHub(renewal: renewal, isPerUser: isPerUser)
        self.hub = hub
        var limits = limits
        limits.keepFew(cells: users ?? 1)
        stores = (0..<(users ?? 1)).map { number in
            let cell = TokenCell(
                limits: limits, deviations: deviations,
                seed: SeededRandom.mix(seed ^ UInt64(number)))
            return TokenStore(number: number, cell: cell, hub: hub)
        }
    }

    subscript(number: Int) -> TokenStore { stores[number] }

    /// A token in use: its cell, its number there, and which of the cell's texts it is.
    struct Token: Sendable {
        var cell: Int
        var generation: UInt64
        var serial: UInt64
    }

    /// The tokens that could be ended now.
    func tokensInUse() -> [Token] { stores.compactMap(\.tokenInUse) }

    /// No cell was ever issued a token. The first that was ends the search.
    var isCold: Bool { stores.allSatisfy(\.isCold) }

    var flightsFailed: UInt64 { stores.reduce(0) { $0 + $1.flightsFailed } }

    func shutDown(nowNS: UInt64) {
        for store in stores { store.shutDown(nowNS: nowNS) }
    }
}

extension TokenCell.Limits {
    /// Rows of expiries that all cells together may keep, for the report to choose from.
    private static let rowsOfAll = 4 * ExpiryBook.rowsMax

    /// Bounds the memory of thousands of cells.
    mutating func keepFew(cells: Int) {
        guard cells > 1 else { return }
        expiryRowsMax = min(ExpiryBook.rowsMax, max(4, Self.rowsOfAll / cells))
        generationsKept = 32
    }
}
