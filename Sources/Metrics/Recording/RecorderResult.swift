/// What one recorder counted, as a value that may go to another thread.
package struct RecorderResult: Sendable {
    package var warmupAsks: UInt64 = 0
    package var ledger = Ledger()
    package var requests = RequestCounts()
    package var bytes = ByteCounts()
    package var response = LatencyTriple()
    package var service = LatencyTriple()
    package var phases = [Histogram](repeating: Histogram(), count: Phase.allCases.count)
    package var statuses: [Int: UInt64] = [:]
    package var outcomes = [UInt64](repeating: 0, count: Outcome.allCases.count)
    package var errors: [ErrorEntry] = []
    package var connections = ConnectionCounts()
    package var cache = CacheResult()
    package var zooms: [ZoomRow] = []
    package var startLag = Histogram()
    package var loopLag = Histogram()
    /// For `AuthResult`: by `AuthFailure.rawValue`, the whole process long.
    package var asksFailedByAuth = [UInt64](repeating: 0, count: AuthFailure.allCases.count)
    package var attemptsMax: UInt64 = 0
    package var parkedTime = Histogram()
    package var windowOK: UInt64 = 0
    package var windowEnded: UInt64 = 0
    var timeline = TimelinePart()

    package init() {}
}

extension RecorderResult {
    /// Puts what all reactors counted into a result, replacing the figures of that name there.
    ///
    /// `ledger.planned` becomes what was started plus what was told not to be: a caller that knows
    /// the plan's own number sets it afterwards, so that `Ledger.addsUp` can tell a lost ask.
    /// Of `auth` only what recorders know is set, and only when there is one.
    ///
    /// - Parameter measuredNS: Length of the measured time, which the timeline covers.
    package static func merge(
        _ parts: [RecorderResult], measuredNS: UInt64, into result: inout RunResult
    ) {
        var sum = RecorderResult()
        for part in parts { sum.add(part) }
        result.run.warmupAsks = sum.warmupAsks
        result.ledger = sum.ledger
        result.requests = sum.requests
        result.bytes = sum.bytes
        result.response = sum.response
        result.service = sum.service
        result.phases = sum.phases
        result.statuses = sum.statuses
        result.outcomes = sum.outcomes
        result.errors = ErrorEntry.merged(parts.map(\.errors))
        result.connections = sum.connections
        result.cache = sum.cache
        result.zooms = sum.zooms.sorted { $0.zoom < $1.zoom }
        result.timeline = TimelinePart.merged(parts.map(\.timeline), measuredNS: measuredNS)
        result.generator.startLag = sum.startLag
        result.generator.loopLag = sum.loopLag
        guard var auth = result.auth else { return }
        auth.asksFailed = sum.asksFailedByAuth
        auth.attemptsMax = sum.attemptsMax
        auth.parkedTime = sum.parkedTime
        auth.successInWindow =
            sum.windowEnded == 0 ? nil : Double(sum.windowOK) / Double(sum.windowEnded)
        let asks = sum.warmupAsks + sum.ledger.started
        auth.amplification = asks == 0 ? nil : Double(sum.requests.sent) / Double(asks)
        result.auth = auth
    }

    private mutating func add(_ other: RecorderResult) {
        warmupAsks += other.warmupAsks
        ledger.add(other.ledger)
        requests.sent += other.requests.sent
        requests.replays += other.requests.replays
        requests.retriedOnClosed += other.requests.retriedOnClosed
        requests.redirected += other.requests.redirected
        requests.answered.merge(other.requests.answered, uniquingKeysWith: +)
        bytes.received += other.bytes.received
        bytes.sent += other.bytes.sent
        bytes.body += other.bytes.body
        bytes.measuredBody += other.bytes.measuredBody
        response.add(other.response)
        service.add(other.service)
        for index in phases.indices { phases[index].add(other.phases[index]) }
        statuses.merge(other.statuses, uniquingKeysWith: +)
        outcomes.add(other.outcomes)
        connections.opened += other.connections.opened
        connections.reused += other.connections.reused
        connections.byProtocol.merge(other.connections.byProtocol, uniquingKeysWith: +)
        connections.byAddress.merge(other.connections.byAddress, uniquingKeysWith: +)
        cache.add(other.cache)
        for zoom in other.zooms { add(zoom) }
        startLag.add(other.startLag)
        loopLag.add(other.loopLag)
        asksFailedByAuth.add(other.asksFailedByAuth)
        attemptsMax = max(attemptsMax, other.attemptsMax)
        parkedTime.add(other.parkedTime)
        windowOK += other.windowOK
        windowEnded += other.windowEnded
    }

    private mutating func add(_ other: ZoomRow) {
        guard let place = zooms.firstIndex(where: { $0.zoom == other.zoom }) else {
            zooms.append(other)
            return
        }
        zooms[place].started += other.started
        zooms[place].ok += other.ok
        zooms[place].failed += other.failed
        zooms[place].cancelled += other.cancelled
        zooms[place].inFlightAtEnd += other.inFlightAtEnd
        zooms[place].bytes += other.bytes
        zooms[place].response.add(other.response)
        zooms[place].serverHits += other.serverHits
        zooms[place].serverKnown += other.serverKnown
        zooms[place].serverUnknown += other.serverUnknown
        zooms[place].serverGood += other.serverGood
    }
}

extension [UInt64] {
    fileprivate mutating func add(_ other: [UInt64]) {
        for index in indices { self[index] += other[index] }
    }
}

extension LatencyTriple {
    fileprivate mutating func add(_ other: LatencyTriple) {
        all.add(other.all)
        ok.add(other.ok)
        failed.add(other.failed)
    }
}

extension Ledger {
    fileprivate mutating func add(_ other: Ledger) {
        planned += other.planned
        notStarted += other.notStarted
        started += other.started
        ok += other.ok
        failed += other.failed
        cancelled += other.cancelled
        inFlightAtEnd += other.inFlightAtEnd
        failedBy.add(other.failedBy)
        failedByStatus.merge(other.failedByStatus, uniquingKeysWith: +)
        failedByTimeout.add(other.failedByTimeout)
        failedByDefect.add(other.failedByDefect)
        failedByAuth.add(other.failedByAuth)
    }
}

extension CacheResult {
    fileprivate mutating func add(_ other: CacheResult) {
        if let theirs = other.client {
            var ours = client ?? Client()
            ours.lookups += theirs.lookups
            ours.hits += theirs.hits
            ours.revalidated += theirs.revalidated
            ours.misses += theirs.misses
            ours.stored += theirs.stored
            ours.evicted += theirs.evicted
            ours.bytes += theirs.bytes
            client = ours
        }
        for index in server.indices {
            server[index].count += other.server[index].count
            server[index].bytes += other.server[index].bytes
            server[index].edge += other.server[index].edge
            server[index].shield += other.server[index].shield
            server[index].service.add(other.server[index].service)
        }
        serverGood.add(other.serverGood)
        evidence.merge(other.evidence, uniquingKeysWith: +)
    }
}
