import Metrics
import Testing

@Suite struct RecorderCacheTests {
    private func answer(
        _ recorder: Recorder, _ cls: CacheClass, isShield: Bool? = false, evidence: UInt8 = 9,
        isGood: Bool = true, at intendedNS: Int64 = 0
    ) {
        recorder.serverCache(
            cls, isShield: isShield, evidence: evidence, isGood: isGood, bytes: 10, serviceNS: 500,
            zoom: 4, intendedNS: intendedNS)
    }

    @Test func serverClassesAreCountedInTheMeasuredPart() {
        let recorder = Recorder(serverHeader: "x-my-cache")
        recorder.askStarted(zoom: 4, intendedNS: 0, startedNS: 0)
        for cls in CacheClass.allCases { answer(recorder, cls) }
        answer(recorder, .hit, isShield: true, evidence: CacheEvidence.configured)
        answer(recorder, .hit, isShield: nil, evidence: CacheEvidence.none)
        answer(recorder, .hit, isGood: false)
        answer(recorder, .hit, at: -1)
        let result = merged([recorder], measuredNS: UInt64(second))
        let hit = result.cache.server[Int(CacheClass.hit.rawValue)]
        #expect(hit.count == 4)
        #expect(hit.bytes == 40)
        #expect(hit.edge == 2)
        #expect(hit.shield == 1)
        #expect(hit.service.count == 4)
        #expect(result.cache.serverGood == [3, 1, 1, 1, 1, 1, 1, 1, 1])
        #expect(result.cache.evidence == ["X-Cache": 10, "x-my-cache": 1])
        // One of eleven good answers without evidence: more than 5 %.
        #expect(result.cache.serverHitRate == nil)
        for _ in 0..<10 { answer(recorder, .miss) }
        let later = merged([recorder], measuredNS: UInt64(second))
        #expect(later.cache.serverHitRate == 4.0 / 16)
        #expect(later.zooms.map(\.serverHitRate) == [4.0 / 16])
        #expect(later.timeline.map(\.serverHitRate) == [4.0 / 16])
    }

    /// Of tiles, also of those that the checks find too large, by zoom level and source.
    @Test func sizes() {
        let recorders = [Recorder(sourceNames: ["a", "b"]), Recorder(sourceNames: ["a", "b"])]
        func end(
            _ bytes: UInt64, source: UInt16 = 0, _ cls: AskClass = .ok,
            cause: FailureCause = .status, detail: TileDefect = .format, status: UInt16 = 200,
            at intendedNS: Int64 = 0
        ) {
            for recorder in recorders {
                recorder.askStarted(
                    zoom: 3, source: source, intendedNS: intendedNS, startedNS: intendedNS)
                var end = AskEnd.sample(
                    at: intendedNS, cls, cause: cause, detail: UInt16(detail.rawValue),
                    status: status, bytes: bytes)
                end.source = source
                recorder.askEnded(end)
            }
        }
        end(100)
        end(3_000, source: 1)
        end(0, status: 204)
        end(9_000, .failed, cause: .invalidTile, detail: .tooLarge)
        end(500, .failed, cause: .invalidTile, detail: .format)
        end(600, .failed, cause: .truncated)
        end(70, status: 304)
        end(80, .cancelled)
        end(90, at: -1)
        let result = merged(recorders, measuredNS: UInt64(second))
        #expect(result.zooms.map(\.sizes.count) == [8])
        #expect(result.zooms.map { UInt64($0.sizes.sumNS) } == [2 * (100 + 3_000 + 9_000)])
        #expect(result.zooms.first?.sizes.minNS == 0)
        #expect(result.sources.map(\.sizes.count) == [6, 2])
        #expect(result.sources.map(\.sizes.maxNS) == [9_000, 3_000])
    }

    @Test func lookupsOfTheClientCacheAddUp() throws {
        let recorder = Recorder(hasClientCache: true)
        for answer in [ClientCacheAnswer.hit, .staleHit, .revalidated, .miss] {
            recorder.clientCache(answer, savedBytes: 10, intendedNS: second)
        }
        recorder.clientCache(.hit, savedBytes: 10, intendedNS: -1)
        recorder.clientRefresh(intendedNS: -1)
        recorder.clientRefresh(intendedNS: 0)
        recorder.clientStored(evicted: 5, intendedNS: -1)
        recorder.clientStored(evicted: 0, intendedNS: 0)
        recorder.clientStored(evicted: 3, intendedNS: 0)
        recorder.clientHolds(bytes: 70)
        recorder.clientHolds(bytes: 50)
        let result = merged([recorder], measuredNS: UInt64(2 * second))
        let client = try #require(result.cache.client)
        #expect(client.lookups == 4)
        #expect(client.hits == 2)
        #expect(client.revalidated == 1)
        #expect(client.misses == 1)
        #expect(client.staleHits == 1)
        #expect(client.refreshes == 1)
        #expect(client.answeredAlone == 1)
        #expect(client.hitBytes == 20)
        #expect(client.revalidatedBytes == 10)
        #expect(client.stored == 2)
        #expect(client.evicted == 3)
        #expect(client.bytes == 50)
        #expect(client.hitRate == 0.5)
        #expect(result.timeline.map(\.clientLookups) == [0, 4])
        #expect(result.timeline.map(\.clientHitRate) == [nil, 0.5])
        #expect(merged([Recorder()], measuredNS: 0).cache.client == nil)
    }
}

@Suite struct RecorderAuthTests {
    @Test func whatRecordersKnowOfRenewal() throws {
        let recorder = Recorder()
        recorder.askStarted(zoom: 1, intendedNS: -5, startedNS: 0)
        recorder.askStarted(zoom: 1, intendedNS: 5, startedNS: 6)
        for at: Int64 in [-5, 5] {
            var end = AskEnd.sample(
                at: at, .failed, cause: .unauthorized, detail: UInt16(AuthFailure.cooling.rawValue),
                status: 401)
            end.requests = 3
            recorder.askEnded(end)
        }
        for _ in 0..<6 { recorder.requestSent(.first) }
        recorder.parkEnded(waitedNS: 70)
        recorder.refusal(atNS: -1, serviceNS: 40)
        recorder.refusal(atNS: second, serviceNS: 40)
        var result = RunResult()
        result.auth = AuthResult()
        RecorderResult.merge([recorder.result], measuredNS: UInt64(2 * second), into: &result)
        let auth = try #require(result.auth)
        #expect(auth.asksFailed[Int(AuthFailure.cooling.rawValue)] == 2)
        #expect(result.ledger.failedByAuth[Int(AuthFailure.cooling.rawValue)] == 1)
        #expect(auth.attemptsMax == 3)
        #expect(auth.amplification == 3)
        #expect(auth.parkedTime.maxNS == 70)
        #expect(auth.refusedService.count == 2 && auth.refusedService.maxNS == 40)
        #expect(result.timeline.map(\.refusals) == [0, 1])
    }
}

@Suite struct RecorderWindowTests {
    /// Random ends over two reactors, counted the slow way.
    @Test(arguments: UInt64(1)...4)
    func insideAndOutside(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let recorders = [Recorder(), Recorder()]
        var times: [AskWindow: [UInt64]] = [:]
        var ok: [AskWindow: UInt64] = [:]
        let classes: [AskClass] = [.ok, .ok, .ok, .failed, .cancelled, .inFlightAtEnd]
        for _ in 0..<2000 {
            let at = Int64.random(in: -second..<9 * second, using: &random)
            let cls = classes.randomElement(using: &random) ?? .ok
            let window = AskWindow.allCases.randomElement(using: &random) ?? .inside
            var end = AskEnd.sample(at: at, cls, detail: 503, responseNS: random.duration())
            end.window = window
            recorders.randomElement(using: &random)?.askEnded(end)
            guard at >= 0, cls != .cancelled else { continue }
            times[window, default: []].append(end.responseNS)
            if cls == .ok { ok[window, default: 0] += 1 }
        }
        var result = RunResult()
        result.auth = AuthResult()
        RecorderResult.merge(
            recorders.map(\.result), measuredNS: UInt64(9 * second), into: &result)
        let auth = try #require(result.auth)
        for (window, found) in [
            (AskWindow.inside, auth.insideWindows), (.outside, auth.outsideWindows),
        ] {
            let sorted = times[window, default: []].sorted()
            #expect(found.asks == UInt64(sorted.count), "seed \(seed)")
            #expect(found.ok == ok[window], "seed \(seed)")
            #expect(found.success == Double(found.ok) / Double(found.asks), "seed \(seed)")
            #expect(
                isWithinResolution(
                    found.response.percentileNS(0.99), exactPercentile(sorted, 99, per: 100)),
                "seed \(seed)")
            #expect(found.response.minNS == sorted.first, "seed \(seed)")
        }
        #expect(auth.successInWindow == auth.insideWindows.success)
        #expect(
            auth.insideWindows.asks + auth.outsideWindows.asks == result.response.all.count,
            "seed \(seed)")
    }

    @Test func withoutTokensThereAreNone() {
        let recorder = Recorder()
        recorder.askEnded(.sample(at: 5))
        var result = RunResult()
        result.auth = AuthResult()
        RecorderResult.merge([recorder.result], measuredNS: 1, into: &result)
        #expect(result.auth?.insideWindows.asks == 0)
        #expect(result.auth?.outsideWindows.asks == 0)
        #expect(result.auth?.successInWindow == nil)
    }
}

@Suite struct ErrorTableTests {
    @Test func kindsAreToldApartByCauseAndKey() {
        let recorder = Recorder()
        #expect(recorder.error(cause: .status, key: 503, atNS: 30))
        recorder.setErrorText(cause: .status, key: 503, text: "503 Service Unavailable")
        #expect(!recorder.error(cause: .status, key: 503, atNS: 40))
        #expect(recorder.error(cause: .connect, key: 503, atNS: 50))
        let other = Recorder()
        #expect(other.error(cause: .status, key: 503, atNS: 20))
        other.setErrorText(cause: .status, key: 503, text: "503 Service Unavailable")
        #expect(
            merged([recorder, other], measuredNS: 0).errors == [
                ErrorEntry(
                    cause: "status", detail: "503 Service Unavailable", count: 3, firstAtNS: 20),
                ErrorEntry(cause: "connect", detail: "503", count: 1, firstAtNS: 50),
            ])
    }

    @Test func beyondTheLimitTheCauseRemains() {
        let recorders = [Recorder(), Recorder()]
        for (reactor, recorder) in recorders.enumerated() {
            for key in UInt32(0)..<100 {
                _ = recorder.error(
                    cause: .protocol, key: key + UInt32(1000 * reactor), atNS: Int64(key))
            }
        }
        let errors = merged(recorders, measuredNS: 0).errors
        #expect(errors.count == 65)
        #expect(errors.map(\.count).reduce(0, +) == 200)
        #expect(errors.last?.cause == "protocol")
        #expect(errors.last?.detail == ErrorEntry.otherDetail)
        #expect(errors.last?.count == 136)
    }
}
