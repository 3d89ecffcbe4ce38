import Workload

/// What the passes of one run have in common: the value of `{run}`, and what the client caches
/// hold, so that the users of a second pass come back to what they saw in the first.
package final class RunMemory: @unchecked Sendable {
    // Sendable: the control thread alone touches it; reactors are given their caches before they
    // start, and one pass has ended when the next begins.
    static let runTextMax = 16
    /// Value of `{run}`, sixteen hexadecimal digits at most.
    let runText: [UInt8]
    private var shared: SharedClientCache?
    private var own: [ClientCaches] = []
    /// Passes that have begun.
    var passes = 0

    package init(seed: UInt64) {
        let mixed = MonotonicClock.nowNS() ^ (seed &* 0x9E37_79B9_7F4A_7C15)
        runText = Array(String(mixed, radix: 16).utf8)
    }

    /// The client caches that one reactor uses; nil: the run has none.
    func caches(forReactor number: Int, _ client: CachePlan.Client?) -> ClientCaches? {
        guard let client else { return nil }
        guard client.isPerUser else {
            let cache =
                shared ?? SharedClientCache(sizeBytes: client.sizeBytes, rules: client.rules)
            shared = cache
            return .shared(cache)
        }
        while own.count <= number {
            own.append(
                .own(
                    ClientCache(
                        sizeBytes: client.sizeBytes, isPerUser: true, rules: client.rules)))
        }
        return own[number]
    }
}
