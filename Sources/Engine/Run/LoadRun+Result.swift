import CCurl
import COpenSSL
import JSONText
import Metrics
import Synchronization
import Workload

extension LoadRun {
    /// After all threads have ended: the final result.
    func finish() {
        let now = MonotonicClock.nowNS()
        generatorStart.noteDone(now)
        let aborted = end.result.run.aborted
        end.result = assemble(reactors.map { $0.recorder.result }, nowNS: now)
        end.result.run.aborted = aborted
        end.result.auth?.isClosed = true
        if let number = end.signal {
            end.result.run.interrupted = true
            end.result.run.signal = SignalWatch.name(number)
        }
        fillReactorFigures()
        end.result.cache.foreignHits = foreignHits(end.result)
        if end.unmeasurable == nil { end.unmeasurable = whyNothingWasMeasured() }
    }

    /// What is known of a run that could not begin.
    func finishUnmeasured(_ problem: String) {
        end.unmeasurable = problem
        startedAtEpochNS = MonotonicClock.epochNS()
        end.result = assemble([], nowNS: MonotonicClock.nowNS())
        end.result.run.warmupNS = 0
        if let number = signals.next(withinNS: 0) {
            end.signal = number
            end.result.run.interrupted = true
            end.result.run.signal = SignalWatch.name(number)
        }
    }

    /// Books of all reactors -> one result; also in the middle of a run.
    func assemble(_ books: [RecorderResult], nowNS: UInt64) -> RunResult {
        var result = RunResult()
        result.tool = tool
        result.machine = machine
        result.scenario = scenario
        result.run.startedAt = RFC3339.text(epochNS: startedAtEpochNS)
        result.run.warmupNS = plan.load.warmupNS
        result.run.measuredNS = clock.measuredNS(nowNS)
        result.run.drainNS = clock.drainNS()
        // A run that could not begin has no T0, but its renewals happened.
        let t0NS = context?.t0NS ?? nowNS
        if let tokens {
            result.auth =
                AuthBooks(
                    tokens: tokens, t0NS: t0NS, nowNS: nowNS, injections: injector.log.current
                ).result
        }
        RecorderResult.merge(books, measuredNS: result.run.measuredNS, into: &result)
        addRenewals(to: &result, t0NS: t0NS)
        for error in injector.log.current.errors {
            result.errors.append(
                ErrorEntry(
                    cause: "injection", detail: error.text, count: error.count,
                    firstAtNS: Int64(bitPattern: error.firstNS &- t0NS)))
        }
        result.errors.sort { ($1.count, $0.cause) < ($0.count, $1.cause) }
        addWorkload(to: &result)
        checkPlanned(&result)
        generatorStart.fill(&result.generator)
        result.generator.threads = reactors.count
        if let transport = context?.transport {
            result.generator.transport = transport.kind.rawValue
            result.generator.transportReason = transport.reason
        }
        return result
    }

    /// The pacer's own count of planned asks against the recorders' (started + not started): a lost
    /// ask shows as a ledger that does not add up.
    private func checkPlanned(_ result: inout RunResult) {
        // Of viewers it counts views, of a log it does not know the end.
        guard let pacer = parts.pacer, parts.stream != nil, end.signal == nil,
            end.result.run.aborted == nil, plan.load.durationNS != nil, clock.doneNS > 0,
            end.unmeasurable == nil
        else { return }
        let byClock = pacer.count(before: result.run.measuredNS)
        let planned = min(byClock, parts.indexLimit ?? .max)
        result.ledger.planned = planned &- (result.cache.client?.answeredAlone ?? 0)
    }

    /// What recorders do not know of the workload.
    private func addWorkload(to result: inout RunResult) {
        for (number, place) in plan.workload.places.enumerated()
        where number < result.places.count {
            result.places[number].name = plan.secrets.masking(place.name)
        }
        result.replay = log?.result
    }

    /// The scenario's name, fingerprint and plan: made once, since a look may come every second.
    static func scenarioFacts(_ plan: Plan) -> ScenarioFacts {
        var facts = ScenarioFacts()
        facts.name = plan.secrets.masking(plan.name)
        facts.seed = plan.seed
        facts.planJSON = JSONWriter.encodeText(plan.json)
        facts.sha256 = Digest.sha256(JSONWriter.encode(plan.fingerprintJSON))
        return facts
    }

    private func addRenewals(to result: inout RunResult, t0NS: UInt64) {
        guard let tally = tokens?.renewal?.currentTally() else { return }
        for error in tally.errors {
            result.errors.append(
                ErrorEntry(
                    cause: "renewal", detail: error.text, count: error.count,
                    firstAtNS: Int64(bitPattern: error.firstNS &- t0NS)))
        }
        result.errors.sort { ($1.count, $0.cause) < ($0.count, $1.cause) }
        for success in tally.successesNS {
            let at = Int64(bitPattern: success &- t0NS)
            guard at >= 0 else { continue }
            let row = result.timeline.lastIndex { $0.startNS <= UInt64(at) }
            guard let row,
                UInt64(at) < result.timeline[row].startNS + result.timeline[row].intervalNS
            else { continue }
            result.timeline[row].renewals += 1
        }
    }

    private func fillReactorFigures() {
        let sent = reactors.reduce(0) { $0 + $1.marks.requests }
        let allocated = reactors.reduce(0) { $0 + $1.marks.allocatedBytes }
        if Jemalloc.version != nil, sent > 0 {
            end.result.generator.allocatedBytesPerRequest = Double(allocated) / Double(sent)
        }
        end.result.generator.busiestReactor = reactors.map { $0.marks.busyShare }.max() ?? 0
    }

    /// Exit 3: what stopped every ask from getting an answer, or every answer from being a tile.
    private func whyNothingWasMeasured() -> String? {
        let result = end.result
        guard end.signal == nil else { return nil }
        guard result.ledger.started + result.run.warmupAsks > 0 else {
            let hits = result.cache.client?.hits ?? 0
            return hits > 0 ? nil : "no tile was asked for"
        }
        let wasRefused = (result.auth?.refusals.total ?? 0) > 0
        let accepted = reactors.reduce(0) { $0 + $1.acceptedCount }
        if accepted == 0, let tokens, let auth = plan.auth {
            if auth.renewal == nil, wasRefused {
                return "the static token is refused: \(result.auth?.refusals.total ?? 0) refusals"
                    + " and no tile"
            }
            if tokens.cells.isCold, (result.auth?.renewals.attempted ?? 0) > 0 {
                let tally = tokens.renewal?.currentTally()
                return "no token could be had: \(tally?.lastFailure ?? "the renewal took too long")"
            }
            if wasRefused, let failure = tokens.renewal?.currentTally().lastFailure {
                return "no token worked: those there were are refused, and not all renewals brought"
                    + " another: \(failure)"
            }
            if wasRefused {
                return "every token was refused, new ones as well: check how auth.token sends it, "
                    + "or try `tilebench probe`"
            }
        }
        if result.requests.answered.isEmpty {
            let most = result.errors.max { $0.count < $1.count }
            let why = most.map { ": \($0.detail) (\($0.count) times)" } ?? ""
            return "no request got an answer\(why)"
        }
        return nil
    }
}

/// SHA-256 as hex, by OpenSSL.
enum Digest {
    static func sha256(_ bytes: [UInt8]) -> String {
        var digest = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_LENGTH))
        var length: UInt32 = 0
        EVP_Digest(bytes, bytes.count, &digest, &length, EVP_sha256(), nil)
        let digits = Array("0123456789abcdef".utf8)
        return String(
            decoding: digest.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] },
            as: UTF8.self)
    }
}
