/// When an answer was asked for and came.
package struct AnswerTimes {
    /// Monotonic.
    var sentNS: UInt64
    var receivedNS: UInt64
    /// Seconds since 1970, of the end of the answer.
    var receivedEpochS: Int64

    package init(sentNS: UInt64, receivedNS: UInt64, receivedEpochS: Int64) {
        self.sentNS = sentNS
        self.receivedNS = receivedNS
        self.receivedEpochS = receivedEpochS
    }
}

/// Until when a kept answer may be used. Monotonic ns.
struct Freshness: Equatable {
    /// Fresh before; `.max`: for ever.
    var freshUntilNS: UInt64 = 0
    /// It may be shown before while it is being validated, stale as it is.
    var showableUntilNS: UInt64 = 0

    static let forEver = Freshness(freshUntilNS: .max, showableUntilNS: .max)

    /// By the rules of a private cache.
    init(_ headers: CachingHeaders, status: Int, times: AnswerTimes) {
        let lifetimeNS = Self.lifetimeNS(
            headers, status: status, receivedEpochS: times.receivedEpochS)
        let ageNS = Self.ageNS(headers, times)
        if lifetimeNS > 0 { freshUntilNS = Self.end(times.receivedNS, lifetimeNS, ageNS) }
        // Neither directive lets a stale answer out; what varies with everything matches nothing.
        let never: CachingHeaders.Flags = [.noCache, .mustRevalidate, .variesAlways]
        let windowS = UInt64(headers.staleWhileRevalidateS)
        if windowS > 0, headers.effectiveFlags.isDisjoint(with: never) {
            showableUntilNS = Self.end(
                times.receivedNS, lifetimeNS + windowS * 1_000_000_000, ageNS)
        }
    }

    init(freshUntilNS: UInt64, showableUntilNS: UInt64) {
        self.freshUntilNS = freshUntilNS
        self.showableUntilNS = showableUntilNS
    }

    private static func end(
        _ receivedNS: UInt64, _ lifetimeNS: UInt64, _ ageNS: UInt64
    ) -> UInt64 {
        let end = receivedNS + lifetimeNS
        return end > ageNS ? end - ageNS : 0
    }

    /// Whether a private cache may keep the answer (RFC 9111 section 3). Of the statuses these are
    /// the ones whose meaning a cache that keeps no ranges has to know.
    static func isStorable(_ headers: CachingHeaders, status: Int) -> Bool {
        if headers.flags.contains(.noStore) { return false }
        switch status {
        case 200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501: return true
        // Not without being told to.
        case 302, 303, 307:
            return headers.maxAgeS >= 0 || headers.expiresS >= 0
                || headers.flags.contains(.isPublic)
        default: return false
        }
    }

    /// How long it is fresh from the moment it was made (section 4.2.1), or, where nothing is said,
    /// a tenth of the time that it had not changed for (section 4.2.2).
    static func lifetimeNS(
        _ headers: CachingHeaders, status: Int, receivedEpochS: Int64
    ) -> UInt64 {
        let flags = headers.effectiveFlags
        guard isStorable(headers, status: status), !flags.contains(.noCache),
            !flags.contains(.variesAlways)
        else { return 0 }
        if headers.maxAgeS >= 0 { return UInt64(headers.maxAgeS) * 1_000_000_000 }
        let madeS = headers.dateS >= 0 ? headers.dateS : receivedEpochS
        if headers.expiresS >= 0 { return ns(headers.expiresS - madeS) }
        return headers.lastModifiedS >= 0 ? ns(madeS - headers.lastModifiedS) / 10 : 0
    }

    /// How old it was when it came (section 4.2.3).
    static func ageNS(_ headers: CachingHeaders, _ times: AnswerTimes) -> UInt64 {
        let apparentNS = headers.dateS >= 0 ? ns(times.receivedEpochS - headers.dateS) : 0
        let saidNS = UInt64(max(0, headers.ageS)) * 1_000_000_000
        return max(apparentNS, saidNS + (times.receivedNS &- times.sentNS))
    }

    /// None below 0, and none that could overflow: dates reach to the year 9999.
    private static func ns(_ seconds: Int64) -> UInt64 {
        UInt64(min(max(0, seconds), Int64(CachingHeaders.secondsMax))) * 1_000_000_000
    }

    // MARK: MapLibre Native

    /// MapLibre Native's shortest time to the next request when a clock is wrong.
    private static let skewRetryS: Int64 = 30

    /// By MapLibre Native's rules: what says no end is good for ever, and what is stale is shown
    /// while it is being validated unless it says `must-revalidate`.
    ///
    /// - Parameter priorS: The end that a validated entry had, since 1970; -1: none. An end that
    ///   has passed already but is later than that tells of a wrong clock.
    init(mapLibreNative headers: CachingHeaders, times: AnswerTimes, priorS: Int64) {
        let endS = Self.mapLibreEndS(headers, receivedEpochS: times.receivedEpochS)
        guard endS >= 0 else {
            self = .forEver
            return
        }
        var aheadS = endS - times.receivedEpochS
        if aheadS <= 0, priorS >= 0, endS > priorS {
            aheadS = max(endS - priorS, Self.skewRetryS)
        }
        if aheadS > 0 { freshUntilNS = times.receivedNS + Self.ns(aheadS) }
        if !headers.flags.contains(.mustRevalidate) { showableUntilNS = .max }
    }

    /// Seconds since 1970; -1: none.
    static func mapLibreEndS(_ headers: CachingHeaders, receivedEpochS: Int64) -> Int64 {
        if headers.expiresS >= 0 { return headers.expiresS }
        return headers.maxAgeS >= 0 ? receivedEpochS + Int64(headers.maxAgeS) : -1
    }

    static func isStorableByMapLibreNative(status: Int) -> Bool { status == 200 || status == 206 }
}

extension CachingHeaders {
    /// With `Pragma` in the place of a Cache-Control that was not sent (RFC 9111 section 5.4).
    var effectiveFlags: Flags {
        let isOld = flags.contains(.pragmaNoCache) && !flags.contains(.hasCacheControl)
        return isOld ? flags.union(.noCache) : flags
    }
}
