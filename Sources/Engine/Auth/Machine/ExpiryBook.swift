package import Metrics

/// One entry for each expiry that the cell saw: the end of a generation, from its first refusal to
/// the last of its refused asks. Rows are kept up to a limit, counts go on.
package struct ExpiryBook: Sendable {
    /// Rows of a report.
    package static let rowsMax = 1000

    package private(set) var count: UInt64 = 0
    /// Expiries that led to a renewal, their renewals, and the most of one.
    package private(set) var withRenewal: UInt64 = 0
    package private(set) var renewals: UInt64 = 0
    package private(set) var renewalsMax: UInt64 = 0
    /// Refusals counted with an expiry, and the number of the last one's. A late refusal's ask goes
    /// on at once and may itself begin the next expiry.
    package private(set) var refusals: UInt64 = 0
    package private(set) var lastRefused: Int32 = -1
    /// Times as monotonic ns; the report shifts them to T0.
    package private(set) var rows: [AuthResult.Event] = []
    /// Most refusals of one expiry.
    package private(set) var stormMax: UInt64 = 0
    /// Of every expiry, with a row or not: see `AuthResult`.
    package private(set) var firstOKTimes = PackedHistogram()
    private var fullTimesOfOlder = PackedHistogram()
    /// The newest expiry, whether or not it has a row.
    private var current: AuthResult.Event?
    /// Refusals and waits of an expiry whose asks have not ended yet, by its number.
    private var unrecovered: [Int32: Int] = [:]
    /// Expiries older than `current` that have asks to end or no good answer yet: when they began,
    /// by number.
    private var unrecoveredBegins: [Int32: Int64] = [:]
    private var unconfirmedBegins: [Int32: Int64] = [:]
    /// Those of the latter whose asks had all ended before there was a new token.
    private var deserted: Set<Int32> = []
    private let rowsMax: Int

    /// - Parameter rowsMax: rows kept.
    package init(rowsMax: Int = ExpiryBook.rowsMax) { self.rowsMax = rowsMax }

    /// As `firstOKTimes`.
    package var fullRecoveryTimes: PackedHistogram {
        var times = fullTimesOfOlder
        if let time = current?.fullRecoveryAfterNS { times.record(time) }
        return times
    }

    /// Of the newest expiry; -1: there was none yet.
    package var number: Int32 { Int32(truncatingIfNeeded: count) - 1 }

    /// True between a first refusal and its full recovery.
    package var isWindowOpen: Bool { !unrecovered.isEmpty }

    /// That generation ends; what is learnt of one that is ending already only explains it.
    package mutating func begin(generation: UInt64, cause: AuthResult.Event.Cause) {
        if current?.generation == generation {
            explain(generation: generation, cause: cause)
            return
        }
        makeOlder()
        count += 1
        let event = AuthResult.Event(generation: generation, cause: cause)
        current = event
        if rows.count < rowsMax { rows.append(event) }
    }

    /// A newer expiry begins: late refusals count to that one, so this one's times can be told.
    private mutating func makeOlder() {
        guard let current, let beganNS = current.beganNS else { return }
        if unrecovered[number] != nil { unrecoveredBegins[number] = beganNS }
        if current.firstOKNS == nil {
            unconfirmedBegins[number] = beganNS
            if isDeserted { deserted.insert(number) }
        }
        if let time = current.fullRecoveryAfterNS { fullTimesOfOlder.record(time) }
    }

    private mutating func change(_ body: (inout AuthResult.Event) -> Void) {
        guard var event = current else { return }
        body(&event)
        current = event
        if rows.count == Int(count) { rows[rows.count - 1] = event }
    }

    /// Why that generation ended, where this is learnt later.
    package mutating func explain(generation: UInt64, cause: AuthResult.Event.Cause) {
        guard current?.generation == generation else { return }
        change { $0.cause = cause }
    }

    /// Asks have to wait from now on, since the told end of the token has come.
    package mutating func expired(atNS: UInt64) {
        change { $0.expiredNS = $0.expiredNS ?? Int64(atNS) }
    }

    package mutating func firstRefusal(atNS: UInt64) {
        change { $0.firstRefusalNS = $0.firstRefusalNS ?? Int64(atNS) }
    }

    package mutating func refusal(generation: UInt64) {
        guard current?.generation == generation else { return }
        lateRefusal()
    }

    /// A refusal of an older generation belongs to the storm of the newest expiry.
    package mutating func lateRefusal() {
        guard current != nil else { return }
        refusals += 1
        lastRefused = number
        change {
            $0.storm += 1
            $0.fullRecoveryNS = nil
        }
        stormMax = max(stormMax, current?.storm ?? 0)
        unrecovered[number, default: 0] += 1
    }

    /// An ask has to wait, since the told end of the token has come: the expiry has recovered when
    /// that one has ended, too. Its number; -1: it waits for another reason.
    package mutating func awaited() -> Int32 {
        guard let current, current.expiredNS != nil, current.renewalEndNS == nil else { return -1 }
        change { $0.fullRecoveryNS = nil }
        unrecovered[number, default: 0] += 1
        return number
    }

    package mutating func parked() { change { $0.parked += 1 } }

    package mutating func renewalStarted(generation: UInt64, atNS: UInt64) {
        guard current?.generation == generation else { return }
        change { $0.renewalStartNS = $0.renewalStartNS ?? Int64(atNS) }
    }

    /// A renewal that no expiry asked for counts with the newest one: that is what makes two of
    /// one.
    package mutating func renewed(atNS: UInt64) {
        guard let current else { return }
        change {
            $0.renewalEndNS = Int64(atNS)
            $0.renewals += 1
        }
        renewals += 1
        if current.renewals == 0 { withRenewal += 1 }
        renewalsMax = max(renewalsMax, current.renewals + 1)
    }

    /// The newest expiry met asks, and all of them have ended, but none after a renewal.
    private var isDeserted: Bool {
        guard let current, current.beganNS != nil else { return false }
        return current.fullRecoveryNS == nil && unrecovered[number] == nil
    }

    /// The first accepted answer of a newer generation ends the wait of every expiry so far, and
    /// those that nobody is left of have recovered with it.
    package mutating func confirmed(generation: UInt64, atNS: UInt64) {
        guard let current, current.generation < generation, current.firstOKNS == nil else { return }
        let recovers = isDeserted
        change {
            $0.firstOKNS = Int64(atNS)
            if recovers { $0.fullRecoveryNS = Int64(atNS) }
        }
        if let time = self.current?.firstOKAfterNS { firstOKTimes.record(time) }
        for (number, beganNS) in unconfirmedBegins {
            let time = UInt64(max(0, Int64(atNS) - beganNS))
            let recovers = deserted.contains(number)
            firstOKTimes.record(time)
            if recovers { fullTimesOfOlder.record(time) }
            guard rows.indices.contains(Int(number)) else { continue }
            rows[Int(number)].firstOKNS = Int64(atNS)
            if recovers { rows[Int(number)].fullRecoveryNS = Int64(atNS) }
        }
        unconfirmedBegins = [:]
        deserted = []
    }

    /// An ask that had been refused or had waited in that expiry has ended.
    package mutating func recovered(_ number: Int32, atNS: UInt64) {
        guard let left = unrecovered[number] else { return }
        guard left <= 1 else {
            unrecovered[number] = left - 1
            return
        }
        unrecovered[number] = nil
        guard number < self.number else {
            // Without a new token nothing has recovered. Another reactor may have looked at the
            // clock a little later, and told of its first tile a little earlier.
            if current?.renewals ?? 0 > 0 {
                change { $0.fullRecoveryNS = max(Int64(atNS), $0.firstOKNS ?? 0) }
            }
            return
        }
        // A newer token has expired since, so this one was replaced.
        guard let beganNS = unrecoveredBegins.removeValue(forKey: number) else { return }
        fullTimesOfOlder.record(UInt64(max(0, Int64(atNS) - beganNS)))
        if rows.indices.contains(Int(number)) { rows[Int(number)].fullRecoveryNS = Int64(atNS) }
    }
}
