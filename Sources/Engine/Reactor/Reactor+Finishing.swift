import Metrics
import Synchronization
import TileModel
import Workload

extension Reactor {
    /// The request is about to leave; false takes it back, because its token was replaced. On a
    /// repetition, after a kept-alive connection was closed, `waitedNS` is what the first try cost.
    func willSend(
        _ slot: SlotPointer, isRepeat: Bool, waitedNS: UInt64, _ nowNS: UInt64
    ) -> Bool {
        slot.pointee.connectionWaitNS &+= waitedNS
        if !isCurrent(slot) { return false }
        if isRepeat {
            recorder.requestSent(.retriedOnClosed)
        } else {
            recorder.requestSent(slot.pointee.nextKind)
            if slot.pointee.nextKind != .retriedOnClosed { slot.pointee.attempts &+= 1 }
        }
        context.tokens?.hub.releaseWatch.noteStart(nowNS: nowNS)
        return true
    }

    /// A request ended, well or not.
    func finished(_ slot: SlotPointer, _ exchange: Exchange) {
        let now = MonotonicClock.nowNS()
        recordWire(slot, exchange, now)
        // A refusal whose body was cut off has said all that it had to.
        let failure = isCutRefusal(exchange) ? nil : exchange.failure
        // Without an answer somebody else has to try the new token.
        if exchange.isTakenBack || failure != nil { loseCanary(slot) }
        if exchange.isTakenBack {
            slot.pointee.state = .queued
            enqueue(slot, now)
            return
        }
        slot.pointee.lastStatus = UInt16(clamping: exchange.status)
        slot.pointee.bodyBytes = exchange.wireBodyBytes
        if exchange.hasSent {
            slot.pointee.serviceLastNS = now &- exchange.sentNS
            slot.pointee.serviceSumNS &+= slot.pointee.serviceLastNS
        } else {
            slot.pointee.serviceLastNS = 0
            slot.pointee.connectionWaitNS &+= now &- exchange.handedNS
        }
        if let failure {
            if retries(slot, failure, exchange) {
                enqueue(slot, now)
                return
            }
            failed(slot, failure, now)
        } else {
            answered(slot, exchange, now)
        }
    }

    private func isCutRefusal(_ exchange: Exchange) -> Bool {
        guard exchange.failure?.cause == .truncated, let rule = context.refusalRule else {
            return false
        }
        return rule.isRefusal(
            status: exchange.status, facts: exchange.facts, prefix: exchange.prefix)
    }

    /// The books of one request.
    func recordWire(_ slot: SlotPointer, _ exchange: Exchange, _ nowNS: UInt64) {
        if let opening = exchange.opening { recorder.connectionOpened(address: opening.address) }
        guard exchange.hasSent else { return }
        recorder.bytes(
            received: exchange.headBytes &+ exchange.wireBodyBytes, sent: exchange.sentBytes,
            body: exchange.wireBodyBytes)
        let hasAnswer = exchange.status > 0
        if hasAnswer { recorder.requestAnswered(status: UInt16(clamping: exchange.status)) }
        recorder.requestConnected(
            isReused: !exchange.isNewConnection, speaking: exchange.wire)
        let sendEndNS = exchange.sendEndNS == 0 ? nowNS : exchange.sendEndNS
        let firstNS = exchange.firstByteNS
        let isAnswered = hasAnswer && firstNS > 0
        recorder.phases(
            isMeasured: slot.pointee.intendedNS >= 0, nameLookupNS: exchange.opening?.nameLookupNS,
            connectNS: exchange.opening?.connectNS, tlsNS: exchange.opening?.tlsNS,
            sendNS: sendEndNS &- exchange.sentNS,
            firstByteNS: isAnswered ? UInt64(max(0, Int64(bitPattern: firstNS &- sendEndNS))) : nil,
            downloadNS: isAnswered ? nowNS &- firstNS : nil)
    }

    // MARK: answers

    private func answered(_ slot: SlotPointer, _ exchange: Exchange, _ nowNS: UInt64) {
        let status = exchange.status
        let isRefusal =
            context.refusalRule?.isRefusal(
                status: status, facts: exchange.facts, prefix: exchange.prefix) ?? false
        slot.pointee.lastOutcome = OutcomeRule.outcome(
            status: status, facts: exchange.facts, prefix: exchange.prefix,
            bodyBytes: exchange.bodyBytes, isUnpacked: context.unpacksBodies, isRefusal: isRefusal)
        let cache = exchange.facts.cache.verdict(status: status)
        recorder.serverCache(
            cache.cls, isShield: cache.isShield, evidence: cache.evidence,
            isGood: status < 300 || status == 304, bytes: exchange.wireBodyBytes,
            serviceNS: slot.pointee.serviceLastNS, zoom: slot.pointee.tile.z,
            source: slot.pointee.source, intendedNS: slot.pointee.intendedNS)
        notePlace(slot, exchange, cache.cls)
        if hasTokens {
            if isRefusal {
                if refused(slot, exchange, nowNS) { return }
            } else {
                accepted(slot, exchange, cache.cls, nowNS)
            }
        }
        if let target = exchange.redirectURL, follow(redirectTo: target, slot, nowNS) { return }
        judge(slot, exchange, nowNS)
    }

    /// Where the answer came from.
    private func notePlace(_ slot: SlotPointer, _ exchange: Exchange, _ cls: CacheClass) {
        exchange.facts.edge.use { edge in
            recorder.serverPlace(
                edge: edge, address: exchange.peer, cls,
                isGood: exchange.status < 300 || exchange.status == 304,
                bytes: exchange.wireBodyBytes, serviceNS: slot.pointee.serviceLastNS,
                intendedNS: slot.pointee.intendedNS)
        }
    }

    /// Follows a redirect within the budget and the fence; false: it is the ask's answer.
    private func follow(redirectTo target: String, _ slot: SlotPointer, _ nowNS: UInt64) -> Bool {
        guard Int(slot.pointee.redirects) < context.plan.connection.redirectsMax,
            target.utf8.count < Transport.urlMax, context.plan.target.allows(url: target)
        else { return false }
        slot.pointee.redirects &+= 1
        slot.pointee.redirectURL = target
        slot.pointee.nextKind = .redirected
        enqueue(slot, nowNS)
        return true
    }

    /// ok or failed is decided by the checks alone.
    private func judge(_ slot: SlotPointer, _ exchange: Exchange, _ nowNS: UInt64) {
        let status = exchange.status
        if status == 304, slot.pointee.isConditional {
            freshen(slot, exchange, nowNS)
            end(slot, .ok, cause: .status, detail: 0, nowNS: nowNS)
            return
        }
        guard context.goodStatuses.contains(status) else {
            noteError(.status, key: UInt32(status), nowNS) { "status \(status)" }
            end(slot, .failed, cause: .status, detail: UInt16(clamping: status), nowNS: nowNS)
            return
        }
        if status != 404,
            let defect = context.tileCheck.defect(
                status: status, facts: exchange.facts, prefix: exchange.prefix,
                bodyBytes: exchange.bodyBytes, wireBytes: exchange.wireBodyBytes)
        {
            noteError(.invalidTile, key: UInt32(defect.rawValue), nowNS) {
                "\(defect.key): the answer is no tile as the checks want it"
            }
            end(slot, .failed, cause: .invalidTile, detail: UInt16(defect.rawValue), nowNS: nowNS)
            return
        }
        store(slot, exchange, nowNS)
        end(slot, .ok, cause: .status, detail: 0, nowNS: nowNS)
    }

    // MARK: failures

    private func failed(_ slot: SlotPointer, _ failure: Exchange.Failure, _ nowNS: UInt64) {
        noteError(failure.cause, key: failure.key, nowNS) { failure.text }
        end(
            slot, .failed, cause: failure.cause, detail: UInt16(failure.phase?.rawValue ?? 0),
            nowNS: nowNS)
    }

    /// A kept-alive connection that the server closed before any byte of the answer gives one
    /// repetition. libcurl does most of these by itself; what it misses is a close that reaches us
    /// as a reset.
    private func retries(
        _ slot: SlotPointer, _ failure: Exchange.Failure, _ exchange: Exchange
    ) -> Bool {
        guard failure.cause == .reset, exchange.hasSent, !exchange.isNewConnection,
            exchange.firstByteNS == 0, !slot.pointee.hasRetried
        else { return false }
        slot.pointee.hasRetried = true
        slot.pointee.nextKind = .retriedOnClosed
        return true
    }

    private func noteError(
        _ cause: FailureCause, key: UInt32, _ nowNS: UInt64, text: () -> String
    ) {
        if recorder.error(cause: cause, key: key, atNS: context.fromT0(nowNS)) {
            recorder.setErrorText(cause: cause, key: key, text: text())
        }
    }
}
