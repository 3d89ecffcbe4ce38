import Metrics

@testable import Reporting

/// Synthetic results whose figures add up as those of a real run do.
enum SampleResult {
    /// A run with everything: an open load with two expiries, failures of each kind, both caches.
    static let full: RunResult = {
        var result = RunResult()
        result.tool = tool()
        result.machine = machine()
        result.scenario = scenario()
        result.run = run()
        fillAsks(&result)
        fillTimes(&result)
        result.errors = [
            ErrorEntry(
                cause: "status", detail: "503", count: 12, firstAtNS: 1_250_000_000),
            ErrorEntry(
                cause: "timeout", detail: "first byte, \"slow\"\u{1B}[2J", count: 5,
                firstAtNS: 2_000_000_001),
            ErrorEntry(
                cause: "renewal", detail: "the token endpoint answered 500", count: 1,
                firstAtNS: -200_000_000),
        ]
        result.connections.opened = 64
        result.connections.reused = 9_900
        result.connections.byProtocol = ["http/1.1": 9_964]
        result.connections.byAddress = ["127.0.0.1:8080": 40, "[::1]:8080": 24]
        fillCaches(&result)
        result.auth = auth()
        fillWindows(&result)
        fillRows(&result)
        fillSources(&result)
        fillWorkload(&result)
        result.run.pass = "warm"
        var cold = PassRow(name: "cold", result)
        cold.serverHitRate = 0.01
        result.passes = [cold, PassRow(name: "warm", result)]
        result.generator = generator()
        return result
    }()

    /// Viewers at two places, and a log: no run has both, but the names are there.
    private static func fillWorkload(_ result: inout RunResult) {
        var views = ViewsResult()
        views.sessions = 120
        views.requested = 1_000
        views.full = 900
        views.incomplete = 20
        views.abandoned = 70
        views.openAtEnd = 10
        views.tiles = 24_500
        views.tilesHeld = 6_100
        views.tilesFailed = 35
        views.tilesMissing = 410
        for number in 0..<1_000 as Range<UInt64> {
            let time = 20_000_000 + number * 310_000
            if number < 900 { views.fullTimes.record(time) }
            views.allTimes.record(time)
        }
        result.views = views
        for (name, share) in [("alps", 3), ("north sea", 1)] as [(String, UInt64)] {
            var row = PlaceRow()
            row.name = name
            row.started = 2_500 * share
            row.ok = 2_490 * share
            row.failed = 5 * share
            row.cancelled = 4 * share
            row.inFlightAtEnd = share
            row.bytes = 41_000_000 * share
            for number in 0..<100 as Range<UInt64> {
                row.response.record(1_000_000 + number * 50_000 * share)
            }
            row.views = views
            result.places.append(row)
        }
        var replay = ReplayResult()
        replay.format = "combined"
        replay.lines = 10_100
        replay.passes = 1
        replay.tiles = 10_000
        replay.skipped = [10, 80, 1, 2, 3, 4, 0]
        replay.reordered = 12
        replay.late = 1
        result.replay = replay
    }

    /// A closed run of a few tiles that all went well, without tokens and caches.
    static let small: RunResult = {
        var result = RunResult()
        result.tool = tool()
        result.machine = machine()
        result.scenario.name = "small"
        result.scenario.sha256 = String(repeating: "0", count: 64)
        result.scenario.planJSON =
            #"{"target":{"tiles":"http://127.0.0.1:8080/{z}/{x}/{y}.png"},"load":{"users":1}}"#
        result.run.startedAt = "2026-03-14T10:15:30.250Z"
        result.run.measuredNS = 2_000_000_000
        result.ledger.planned = 1
        result.ledger.started = 1
        result.ledger.ok = 1
        result.requests.sent = 1
        result.requests.answered = [200: 1]
        result.statuses = [200: 1]
        result.outcomes[Int(Outcome.tile.rawValue)] = 1
        result.response.all.record(1_500_000)
        result.response.ok.record(1_500_000)
        result.service.all.record(1_400_000)
        result.service.ok.record(1_400_000)
        result.connections.opened = 1
        result.connections.byProtocol = ["h2": 1]
        result.generator.threads = 1
        result.generator.transport = "direct"
        return result
    }()

    /// Ended before the first tile was asked for.
    static let empty: RunResult = {
        var result = RunResult()
        result.tool = tool()
        result.scenario.name = "empty"
        result.run.startedAt = "2026-03-14T10:15:30.250Z"
        result.run.interrupted = true
        result.run.signal = "SIGTERM"
        return result
    }()

    private static func tool() -> ToolFacts {
        var tool = ToolFacts()
        tool.version = "0.1.0"
        tool.commit = "0123abc"
        tool.build = "release"
        tool.swift = "6.3.1"
        tool.libcurl = "7.88.1"
        tool.jemalloc = "5.3.0"
        return tool
    }

    private static func machine() -> MachineFacts {
        var machine = MachineFacts()
        machine.cpu = "Example CPU, 2.0 GHz"
        machine.cores = 2
        machine.kernel = "6.1.0"
        machine.memoryBytes = 8_000_000_000
        return machine
    }

    private static func scenario() -> ScenarioFacts {
        var scenario = ScenarioFacts()
        scenario.name = "full \"quoted\""
        scenario.sha256 = String(repeating: "ab", count: 32)
        scenario.seed = 7
        scenario.planJSON = """
            {"target":{"tiles":["https://tiles.example.org/{z}/{x}/{y}.png?access_token=***"]},\
            "connection":{"verify":false},"load":{"rate":"1000/s","for":"10s"},\
            "auth":{"renewal":{"kind":"url"},"rejected_when":{"status":[401,498,499]}}}
            """
        return scenario
    }

    private static func run() -> RunFacts {
        var run = RunFacts()
        run.startedAt = "2026-03-14T10:15:30.250Z"
        run.warmupNS = 1_000_000_000
        run.warmupAsks = 100
        run.measuredNS = 10_000_000_000
        run.drainNS = 123_456_789
        run.validity = .valid
        return run
    }

    private static func fillAsks(_ result: inout RunResult) {
        result.ledger.planned = 10_000
        result.ledger.notStarted = 10
        result.ledger.started = 9_990
        result.ledger.ok = 9_950
        result.ledger.failed = 30
        result.ledger.cancelled = 4
        result.ledger.inFlightAtEnd = 6
        result.ledger.failedBy[Int(FailureCause.status.rawValue)] = 18
        result.ledger.failedByStatus = [503: 12, 404: 6]
        result.ledger.failedBy[Int(FailureCause.timeout.rawValue)] = 5
        result.ledger.failedByTimeout[Int(TimeoutPhase.firstByte.rawValue)] = 5
        result.ledger.failedBy[Int(FailureCause.invalidTile.rawValue)] = 3
        result.ledger.failedByDefect[Int(TileDefect.tooSmall.rawValue)] = 3
        result.ledger.failedBy[Int(FailureCause.unauthorized.rawValue)] = 4
        result.ledger.failedByAuth[Int(AuthFailure.parkTimeout.rawValue)] = 4
        result.requests.sent = 10_305
        result.requests.replays = 208
        result.requests.retriedOnClosed = 2
        result.requests.redirected = 5
        result.requests.answered = [200: 9_956, 204: 97, 401: 211, 404: 6, 503: 12]
        result.statuses = [200: 9_853, 204: 97, 404: 6, 503: 12, 401: 4]
        result.bytes.received = 120_000_000
        result.bytes.sent = 2_400_000
        result.bytes.body = 117_000_000
        result.bytes.measuredBody = 115_000_000
        let outcomes: [(Outcome, UInt64)] = [
            (.tile, 9_847), (.emptyTile, 97), (.noTile, 6), (.softError, 6), (.overloaded, 12),
            (.authExpired, 4),
        ]
        for (outcome, count) in outcomes { result.outcomes[Int(outcome.rawValue)] = count }
    }

    /// Of the 812 asks that waited for a token; the other four failed.
    private static let waitedOK: UInt64 = 808

    private static func fillTimes(_ result: inout RunResult) {
        for index in 0..<9_950 as Range<UInt64> {
            // The first of them waited for a token.
            let time =
                index < waitedOK
                ? 121_000_000 + index * 50_000
                : 400_000 + index * 997 % 9_000_000 / (1 + index % 7)
            record(time, to: \.ok, of: &result)
        }
        for index in 0..<30 as Range<UInt64> {
            record(20_000_000 + index * 1_000_001, to: \.failed, of: &result)
        }
        for index in 0..<6 as Range<UInt64> {
            result.response.all.record(160_000_000 + index)
            result.service.all.record(150_000_000 + index)
        }
        for phase in Phase.allCases where phase != .tls {
            for index in 0..<64 as Range<UInt64> {
                result.phases[Int(phase.rawValue)].record(
                    10_000 * (1 + UInt64(phase.rawValue)) + index * 100)
            }
        }
    }

    private static func record(
        _ timeNS: UInt64, to part: WritableKeyPath<LatencyTriple, Histogram>,
        of result: inout RunResult
    ) {
        for part in [part, \LatencyTriple.all] {
            result.response[keyPath: part].record(timeNS)
            result.service[keyPath: part].record(timeNS - 50_000)
        }
    }

    private static func fillCaches(_ result: inout RunResult) {
        var client = CacheResult.Client()
        client.lookups = 12_500
        client.hits = 2_500
        client.misses = 10_000
        client.stored = 9_800
        client.evicted = 12
        client.bytes = 64_000_000
        client.staleHits = 40
        client.refreshes = 31
        client.hitBytes = 28_750_000
        result.cache.client = client
        for (name, count) in [("FRA", UInt64(9_000)), ("LHR", 930)] {
            var place = ServerPlace(name: name)
            place.count = count
            place.bytes = count * 11_500
            place.good = count
            place.known = count
            place.hits = name == "FRA" ? count : 30
            for index in 0..<count { place.service.record(300_000 + index * 100) }
            result.cache.edges.append(place)
        }
        var address = ServerPlace(name: "192.0.2.7")
        address.count = 9_962
        address.bytes = 114_563_000
        address.good = 9_950
        address.known = 9_930
        address.unknown = 20
        address.hits = 9_030
        address.service.record(400_000)
        result.cache.addresses = [address]
        result.cache.foreignHits = 2
        let classes: [(CacheClass, UInt64)] = [
            (.hit, 9_000), (.staleHit, 30), (.miss, 900), (.unknown, 20), (.error, 12),
        ]
        for (cacheClass, count) in classes {
            let place = Int(cacheClass.rawValue)
            result.cache.server[place].count = count
            result.cache.server[place].bytes = count * 11_500
            result.cache.server[place].edge = cacheClass == .unknown ? 0 : count
            for index in 0..<count {
                result.cache.server[place].service.record(300_000 + index * 100)
            }
            if cacheClass != .error { result.cache.serverGood[place] = count }
        }
        result.cache.evidence = ["X-Cache": 9_930, "Age": 12]
    }

    private static func auth() -> AuthResult {
        var auth = AuthResult()
        auth.expiryEvents = 2
        auth.injections = 2
        auth.injectionsMissed = 1
        auth.renewals.attempted = 4
        auth.renewals.succeeded = 3
        auth.renewals.failed = 1
        auth.renewals.flights = 3
        auth.renewals.flightsOK = 3
        auth.renewals.coalesced = 780
        auth.renewals.perExpiryMean = 1
        auth.renewals.perExpiryMax = 1
        auth.refusals.total = 211
        auth.refusals.triggering = 2
        auth.refusals.coalesced = 205
        auth.refusals.late = 4
        auth.renewals.initial = 1
        auth.renewals.same = 1
        auth.renewals.proactive = 1
        auth.renewals.converted = 1
        auth.generationsAtEnd = 3
        auth.isClosed = true
        auth.stormMax = 200
        auth.parkedCount = 812
        auth.parkedLeft = 812
        auth.parkedMax = 600
        for index in 0..<812 as Range<UInt64> {
            auth.parkedTime.record(120_000_000 + index * 50_000)
        }
        auth.releasePeakPer10ms = 80
        auth.amplification = 10_305.0 / 10_090
        auth.attemptsMax = 2
        auth.acceptedWhileExpired[Int(CacheClass.hit.rawValue)] = 3
        auth.asksFailed[Int(AuthFailure.parkTimeout.rawValue)] = 4
        auth.timeInState.freshNS = 10_700_000_000
        auth.timeInState.renewingNS = 300_000_000
        var first = AuthResult.Event(generation: 1, cause: .poisoned)
        first.firstRefusalNS = 3_000_000_000
        first.expiredNS = 3_000_050_000
        first.renewalStartNS = 3_000_100_000
        first.renewalEndNS = 3_150_000_000
        first.firstOKNS = 3_152_000_000
        first.fullRecoveryNS = 3_205_000_000
        first.storm = 200
        first.parked = 700
        first.renewals = 1
        var second = AuthResult.Event(generation: 2, cause: .refused)
        second.firstRefusalNS = 9_900_000_000
        second.renewalStartNS = 9_900_000_000
        second.storm = 11
        second.parked = 112
        second.renewals = 1
        first.serverHitRateBefore = 0.91
        first.serverHitRateAfter = 0.9
        first.clientHitRateBefore = 0.2
        first.clientHitRateAfter = 0.2
        auth.events = [first, second]
        auth.firstOKTimes.record(152_000_000)
        auth.fullRecoveryTimes.record(205_000_000)
        auth.injectionRows = [
            AuthResult.Injection(
                kind: "poison", with: "garbage", atNS: 2_990_000_000, doneNS: 2_990_000_000,
                cells: 1, observed: 1),
            AuthResult.Injection(
                kind: "origin", atNS: 9_890_000_000, doneNS: 9_891_500_000, cells: 0, observed: 0),
        ]
        return auth
    }

    /// The asks that waited are inside, all others outside.
    private static func fillWindows(_ result: inout RunResult) {
        var inside = AuthResult.Window()
        inside.asks = waitedOK + 4
        inside.ok = waitedOK
        for index in 0..<waitedOK { inside.response.record(121_000_000 + index * 50_000) }
        for index in 26..<30 as Range<UInt64> {
            inside.response.record(20_000_000 + index * 1_000_001)
        }
        var outside = AuthResult.Window()
        outside.asks = result.response.all.count - inside.asks
        outside.ok = result.ledger.ok - inside.ok
        for index in waitedOK..<9_950 {
            outside.response.record(400_000 + index * 997 % 9_000_000 / (1 + index % 7))
        }
        for index in 0..<26 as Range<UInt64> {
            outside.response.record(20_000_000 + index * 1_000_001)
        }
        for index in 0..<6 as Range<UInt64> { outside.response.record(160_000_000 + index) }
        for index in 0..<211 as Range<UInt64> {
            result.auth?.refusedService.record(300_000 + index * 1_000)
        }
        result.auth?.insideWindows = inside
        result.auth?.outsideWindows = outside
    }

    private static func fillRows(_ result: inout RunResult) {
        for (zoom, started) in [(8, 1_000), (12, 8_990)] as [(Int, UInt64)] {
            var row = ZoomRow(zoom: zoom)
            row.started = started
            row.ok = zoom == 8 ? 1_000 : 8_950
            row.failed = zoom == 8 ? 0 : 30
            row.cancelled = zoom == 8 ? 0 : 4
            row.inFlightAtEnd = zoom == 8 ? 0 : 6
            row.bytes = started * 11_500
            for index in 0..<(started - row.cancelled) {
                row.response.record(500_000 + index * 1_000)
            }
            for index in 0..<row.ok { row.sizes.record(index % 100 * 230) }
            row.serverHits = started / 10 * 9
            row.serverKnown = started / 100 * 99
            row.serverGood = started
            result.zooms.append(row)
        }
        for second in 0..<10 as Range<UInt64> {
            var row = TimelineRow(
                startNS: second * 1_000_000_000, intervalNS: 1_000_000_000)
            // The last second lost its asks to a stall.
            row.planned = 1_000
            if second < 9 {
                row.started = second == 8 ? 1_990 : 1_000
                row.ok = row.started - 4
                row.failed = 3
                row.bytes = 11_500_000
                row.serverHits = 900
                row.serverKnown = 990
                row.serverGood = 1_000
                row.clientHits = 250
                row.clientLookups = 1_250
                for index in 0..<row.started { row.response.record(600_000 + index * 900) }
            }
            row.inFlight = second
            row.parked = second == 3 ? 600 : 0
            row.refusals = second == 3 ? 200 : second == 9 ? 11 : 0
            row.renewals = second == 3 ? 1 : 0
            result.timeline.append(row)
        }
    }

    private static func generator() -> GeneratorFacts {
        var generator = GeneratorFacts()
        generator.threads = 2
        generator.transport = "libcurl"
        generator.transportReason = "redirects are followed"
        generator.cpuNS = 1_234_567_890
        generator.coresUsed = 0.1122334455
        generator.coresAvailable = 2
        generator.peakRSSBytes = 45_200_000
        generator.jemallocAllocatedBytes = 12_000_000
        generator.jemallocResidentBytes = 20_000_000
        generator.allocatedBytesPerRequest = 0
        generator.descriptorsUsed = 80
        generator.descriptorsLimit = 1_048_576
        generator.portsUsed = 64
        generator.portsLimit = 28_232
        generator.busiestReactor = 0.2
        for index in 0..<10_090 as Range<UInt64> {
            generator.startLag.record(20_000 + index % 100 * 400)
            generator.loopLag.record(1_000 + index % 10)
        }
        return generator
    }
}
