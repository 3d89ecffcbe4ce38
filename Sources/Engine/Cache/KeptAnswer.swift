/// What is known of a kept answer besides its key and its size. Plain memory.
struct KeptAnswer {
    var headers = CachingHeaders()
    var freshness = Freshness.forEver
    /// When MapLibre Native's rules are honoured: the end that was told, since 1970; -1: none.
    var endS: Int64 = -1
    /// Bytes of the body.
    var bodyBytes: UInt64 = 0
    /// The token it was asked for with, where `Vary` makes that matter.
    var tokenMark: UInt64 = 0
    /// Where the validators are; -1: it has none.
    var text: Int32 = -1
    var tagCount: UInt16 = 0
    var dateCount: UInt16 = 0
    var status: UInt16 = 0
    /// It is being validated while it is shown.
    var isRefreshing = false

    var hasValidator: Bool { tagCount > 0 || dateCount > 0 }

    /// What `Vary` says of a request with that token (RFC 9111 section 4.1).
    func matches(tokenMark mark: UInt64) -> Bool {
        if headers.flags.contains(.variesAlways) { return false }
        return !headers.flags.contains(.variesWithToken) || tokenMark == mark
    }
}

/// What a look into a client cache found.
package struct CacheFinding: Equatable {
    package enum State: UInt8 {
        /// Ask for it.
        case miss
        case hit
        /// Show it and have it validated meanwhile.
        case refresh
        /// Have it validated, then show it.
        case revalidate
    }

    package var state = State.miss
    /// A hit that is no longer fresh.
    var isStale = false
    /// Of the kept body.
    var bodyBytes: UInt64 = 0
}
