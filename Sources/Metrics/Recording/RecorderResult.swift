/// What one recorder counted, as a value that may go to another thread.
package struct RecorderResult: Sendable {
    /// What recorders know of a run; the rest is as in an empty result. Of `auth` these are the
    /// windows, `asksFailed`, `attemptsMax`, `parkedTime` and `refusedService`, whether or not the
    /// run has tokens.
    package var counts = RunResult()
    var timeline = TimelinePart()

    package init() {}
}

extension RecorderResult {
    /// Adds what all reactors counted to a result that has none of these figures yet.
    ///
    /// `ledger.planned` becomes what was started plus what was told not to be: a caller that knows
    /// the plan's own number sets it afterwards, so that `Ledger.addsUp` can tell a lost ask.
    /// Of `auth` only what recorders know is set, and only when there is one.
    ///
    /// - Parameter measuredNS: Length of the measured time, which the timeline covers.
    package static func merge(
        _ parts: [RecorderResult], measuredNS: UInt64, into result: inout RunResult
    ) {
        for part in parts { result.add(part.counts) }
        result.errors = ErrorEntry.merged(parts.map(\.counts.errors))
        result.zooms.sort { $0.zoom < $1.zoom }
        result.timeline = TimelinePart.merged(parts.map(\.timeline), measuredNS: measuredNS)
        let asks = result.run.warmupAsks + result.ledger.started
        result.auth?.amplification =
            asks == 0 ? nil : Double(result.requests.sent) / Double(asks)
        result.auth?.setHitRates(from: result.timeline, measuredNS: measuredNS)
    }
}

extension RunResult {
    /// Adds what a recorder counts, but for errors and timeline, which are merged as a whole.
    fileprivate mutating func add(_ other: RunResult) {
        run.warmupAsks += other.run.warmupAsks
        ledger.add(other.ledger)
        requests.add(other.requests)
        bytes.add(other.bytes)
        response.add(other.response)
        service.add(other.service)
        for index in phases.indices { phases[index].add(other.phases[index]) }
        statuses.merge(other.statuses, uniquingKeysWith: +)
        outcomes.add(other.outcomes)
        connections.add(other.connections)
        cache.add(other.cache)
        for zoom in other.zooms { add(zoom) }
        for source in other.sources { add(source) }
        if let theirs = other.views {
            views = views ?? ViewsResult()
            views?.add(theirs)
        }
        if places.isEmpty {
            places = other.places
        } else {
            for number in places.indices { places[number].add(other.places[number]) }
        }
        generator.startLag.add(other.generator.startLag)
        generator.loopLag.add(other.generator.loopLag)
        if let theirs = other.auth { auth?.add(theirs) }
    }

    private mutating func add(_ other: SourceRow) {
        guard let place = sources.firstIndex(where: { $0.name == other.name }) else {
            sources.append(other)
            return
        }
        sources[place].asks.add(other.asks)
        sources[place].sizes.add(other.sizes)
        sources[place].response.add(other.response)
        sources[place].service.add(other.service)
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
        zooms[place].sizes.add(other.sizes)
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
            ours.staleHits += theirs.staleHits
            ours.refreshes += theirs.refreshes
            ours.hitBytes += theirs.hitBytes
            ours.revalidatedBytes += theirs.revalidatedBytes
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
        ServerPlace.merge(other.edges, into: &edges)
        ServerPlace.merge(other.addresses, into: &addresses)
        edgesBeyond += other.edgesBeyond
        addressesBeyond += other.addressesBeyond
        evidence.merge(other.evidence, uniquingKeysWith: +)
    }
}

extension RequestCounts {
    fileprivate mutating func add(_ other: RequestCounts) {
        sent += other.sent
        replays += other.replays
        retriedOnClosed += other.retriedOnClosed
        redirected += other.redirected
        answered.merge(other.answered, uniquingKeysWith: +)
    }
}

extension ByteCounts {
    fileprivate mutating func add(_ other: ByteCounts) {
        received += other.received
        sent += other.sent
        body += other.body
        measuredBody += other.measuredBody
    }
}

extension ConnectionCounts {
    fileprivate mutating func add(_ other: ConnectionCounts) {
        opened += other.opened
        reused += other.reused
        byProtocol.merge(other.byProtocol, uniquingKeysWith: +)
        byAddress.merge(other.byAddress, uniquingKeysWith: +)
    }
}

extension AuthResult {
    fileprivate mutating func add(_ other: AuthResult) {
        asksFailed.add(other.asksFailed)
        attemptsMax = max(attemptsMax, other.attemptsMax)
        parkedTime.add(other.parkedTime)
        refusedService.add(other.refusedService)
        insideWindows.add(other.insideWindows)
        outsideWindows.add(other.outsideWindows)
    }
}

extension AuthResult.Window {
    fileprivate mutating func add(_ other: AuthResult.Window) {
        asks += other.asks
        ok += other.ok
        response.add(other.response)
    }
}
