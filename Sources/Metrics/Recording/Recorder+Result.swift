extension Recorder {
    /// What was counted so far, copied out. Allocates: for the end of a run and for checkpoints.
    package var result: RecorderResult {
        var result = RecorderResult()
        result.counts = counts
        result.timeline = timeline.part
        return result
    }

    private var counts: RunResult {
        let scalars = tables.scalars.pointee
        var counts = RunResult()
        counts.run.warmupAsks = scalars.warmupAsks
        counts.ledger = ledger
        counts.requests = requests
        counts.bytes.received = scalars.bytesReceived
        counts.bytes.sent = scalars.bytesSent
        counts.bytes.body = scalars.bytesBody
        counts.bytes.measuredBody = scalars.asks.bytes
        counts.response = triple(
            tables.responseOK, tables.responseFailed, tables.responseOpen)
        counts.service = triple(tables.serviceOK, tables.serviceFailed, tables.serviceOpen)
        counts.phases = Phase.allCases.map { tables.phases[Int($0.rawValue)].snapshot() }
        counts.statuses = byStatus(tables.lastStatus)
        counts.outcomes = copy(tables.outcomes, Outcome.allCases.count)
        counts.errors = errors.entries
        counts.connections = connections
        counts.cache = cache
        counts.views = views?.result
        counts.places = places.rows
        counts.zooms = zooms
        counts.sources = sources
        counts.generator.startLag = tables.startLag.snapshot()
        counts.generator.loopLag = tables.loopLag.snapshot()
        var auth = AuthResult()
        auth.asksFailed = copy(tables.allFailedByAuth, AuthFailure.allCases.count)
        auth.attemptsMax = scalars.attemptsMax
        auth.parkedTime = tables.parkedTime.snapshot()
        auth.refusedService = tables.refusedService.snapshot()
        auth.insideWindows = window(.inside)
        auth.outsideWindows = window(.outside)
        counts.auth = auth
        return counts
    }

    private func window(_ window: AskWindow) -> AuthResult.Window {
        var counts = AuthResult.Window()
        counts.response = tables.windowResponse[Int(window.rawValue)].snapshot()
        counts.asks = counts.response.count
        counts.ok = tables.windowOK[Int(window.rawValue)]
        return counts
    }

    private var requests: RequestCounts {
        let scalars = tables.scalars.pointee
        var requests = RequestCounts()
        requests.sent =
            scalars.requestsFirst + scalars.requestsReplayed + scalars.requestsRetried
            + scalars.requestsRedirected
        requests.replays = scalars.requestsReplayed
        requests.retriedOnClosed = scalars.requestsRetried
        requests.redirected = scalars.requestsRedirected
        requests.answered = byStatus(tables.answered)
        return requests
    }

    private var ledger: Ledger {
        let scalars = tables.scalars.pointee
        var ledger = Ledger()
        ledger.planned = scalars.asks.started + scalars.notStarted
        ledger.notStarted = scalars.notStarted
        ledger.started = scalars.asks.started
        ledger.ok = scalars.asks.ok
        ledger.failed = scalars.asks.failed
        ledger.cancelled = scalars.asks.cancelled
        ledger.inFlightAtEnd = scalars.asks.inFlightAtEnd
        ledger.failedBy = copy(tables.failedBy, FailureCause.allCases.count)
        ledger.failedByStatus = byStatus(tables.failedByStatus)
        ledger.failedByTimeout = copy(tables.failedByTimeout, TimeoutPhase.allCases.count)
        ledger.failedByDefect = copy(tables.failedByDefect, TileDefect.allCases.count)
        ledger.failedByAuth = copy(tables.failedByAuth, AuthFailure.allCases.count)
        return ledger
    }

    private var connections: ConnectionCounts {
        var connections = ConnectionCounts()
        connections.opened = tables.scalars.pointee.connectionsOpened
        connections.reused = tables.scalars.pointee.connectionsReused
        for wire in WireProtocol.allCases where tables.protocols[Int(wire.rawValue)] > 0 {
            connections.byProtocol[wire.key] = tables.protocols[Int(wire.rawValue)]
        }
        connections.byAddress = addresses
        return connections
    }

    private var cache: CacheResult {
        let scalars = tables.scalars.pointee
        var cache = CacheResult()
        if hasClientCache {
            var client = CacheResult.Client()
            client.hits = scalars.clientHits
            client.revalidated = scalars.clientRevalidated
            client.misses = scalars.clientMisses
            client.lookups = client.hits + client.revalidated + client.misses
            client.stored = scalars.clientStored
            client.evicted = scalars.clientEvicted
            client.bytes = scalars.clientBytes
            client.staleHits = scalars.clientStaleHits
            client.refreshes = scalars.clientRefreshes
            client.hitBytes = scalars.clientHitBytes
            client.revalidatedBytes = scalars.clientRevalidatedBytes
            cache.client = client
        }
        for index in cache.server.indices {
            let counters = tables.server[index]
            cache.server[index].count = counters.count
            cache.server[index].bytes = counters.bytes
            cache.server[index].edge = counters.edge
            cache.server[index].shield = counters.shield
            cache.server[index].service = tables.serverService[index].snapshot()
            cache.serverGood[index] = counters.good
        }
        cache.edges = tables.places.pointee.edges.places
        cache.addresses = tables.places.pointee.addresses.places
        cache.edgesBeyond = tables.places.pointee.edges.beyond
        cache.addressesBeyond = tables.places.pointee.addresses.beyond
        let names = CacheEvidence.names + [serverHeader ?? "configured"]
        for (name, count) in zip(names, copy(tables.evidence, CacheEvidence.places))
        where count > 0 {
            cache.evidence[name, default: 0] += count
        }
        return cache
    }

    private var zooms: [ZoomRow] {
        (0..<RecorderTables.zooms).compactMap { zoom in
            let counters = tables.zoomCounters[zoom]
            guard counters.started > 0 else { return nil }
            var row = ZoomRow(zoom: zoom)
            row.started = counters.started
            row.ok = counters.ok
            row.failed = counters.failed
            row.cancelled = counters.cancelled
            row.inFlightAtEnd = counters.inFlightAtEnd
            row.bytes = counters.bytes
            row.response = tables.zoomResponse[zoom].snapshot()
            row.sizes = tables.zoomSizes[zoom].snapshot()
            row.serverHits = counters.serverHits
            row.serverKnown = counters.serverKnown
            row.serverUnknown = counters.serverUnknown
            row.serverGood = counters.serverGood
            return row
        }
    }

    private var sources: [SourceRow] {
        sourceNames.enumerated().map { number, name in
            var row = SourceRow(name: name)
            row.asks = tables.sourceCounters[number]
            row.sizes = tables.sourceSizes[number].snapshot()
            let first = number * RecorderTables.sourceParts
            let (response, service) = (tables.sourceResponse, tables.sourceService)
            row.response = triple(response[first], response[first + 1], response[first + 2])
            row.service = triple(service[first], service[first + 1], service[first + 2])
            return row
        }
    }

    private func triple(
        _ ok: RawHistogram, _ failed: RawHistogram, _ open: RawHistogram
    ) -> LatencyTriple {
        var triple = LatencyTriple()
        triple.ok = ok.snapshot()
        triple.failed = failed.snapshot()
        triple.all = triple.ok
        triple.all.add(failed)
        triple.all.add(open)
        return triple
    }

    private func copy(_ table: UnsafeMutablePointer<UInt64>, _ count: Int) -> [UInt64] {
        Array(UnsafeBufferPointer(start: table, count: count))
    }

    private func byStatus(_ table: UnsafeMutablePointer<UInt64>) -> [Int: UInt64] {
        var counts: [Int: UInt64] = [:]
        for status in 0..<RecorderTables.statuses where table[status] > 0 {
            counts[status] = table[status]
        }
        return counts
    }
}
