import CCurl
import Metrics
import Synchronization
import TileModel
import Workload

extension Reactor {
    /// The request is about to leave; false takes it back, because its token was replaced.
    func willSend(_ slot: SlotPointer) -> Bool {
        let now = MonotonicClock.nowNS()
        if slot.pointee.isRamped {
            slot.pointee.isRamped = false
            connecting -= 1
        }
        slot.pointee.hasConnected = true
        if let tokens = context.tokens,
            tokens.epoch.load(ordering: .acquiring) != tokenView.epoch
        {
            let view = tokens.view()
            if !view.isFresh || view.generation != slot.pointee.generation {
                slot.pointee.isTakenBack = true
                return false
            }
        }
        if slot.pointee.sends == 0 {
            slot.pointee.connectionWaitNS &+= now &- slot.pointee.handedNS
            let kind: RequestKind =
                slot.pointee.attempts == 0
                ? .first : (slot.pointee.redirects > 0 ? .redirected : .replay)
            recorder.requestSent(kind)
            slot.pointee.attempts &+= 1
        } else {
            recorder.requestSent(.retriedOnClosed)
            slot.pointee.facts.reset()
            slot.pointee.sendEndNS = 0
        }
        slot.pointee.sends &+= 1
        slot.pointee.state = .onWire
        slot.pointee.sentNS = now
        release.noteStart(nowNS: now)
        if justSentCount < context.slotsPerReactor {
            justSent[justSentCount] = slot.pointee.index
            justSentCount += 1
        }
        return true
    }

    /// A transfer ended, well or not.
    func finished(_ slot: SlotPointer, _ code: CURLcode) {
        let now = MonotonicClock.nowNS()
        onWire -= 1
        if slot.pointee.isRamped {
            slot.pointee.isRamped = false
            connecting -= 1
        }
        if slot.pointee.isTakenBack {
            slot.pointee.connectionWaitNS &+= now &- slot.pointee.handedNS
            enqueue(slot, now)
            return
        }
        let handle = slot.pointee.handle
        let status = slot.pointee.sends > 0 ? handle.long(CURLINFO_RESPONSE_CODE) : 0
        slot.pointee.lastStatus = UInt16(clamping: status)
        if slot.pointee.sends > 0 {
            slot.pointee.serviceLastNS = now &- slot.pointee.sentNS
            slot.pointee.serviceSumNS &+= slot.pointee.serviceLastNS
            recordWire(slot, status: status, nowNS: now)
        } else {
            slot.pointee.serviceLastNS = 0
            slot.pointee.connectionWaitNS &+= now &- slot.pointee.handedNS
        }
        if code == CURLE_OK, status > 0 {
            answered(slot, status, now)
        } else {
            failed(slot, code, now)
        }
    }

    // MARK: books of one request

    private func recordWire(_ slot: SlotPointer, status: Int, nowNS: UInt64) {
        let handle = slot.pointee.handle
        let body = UInt64(max(0, handle.offset(CURLINFO_SIZE_DOWNLOAD_T)))
        slot.pointee.bodyBytes = body
        let head = UInt64(max(0, handle.long(CURLINFO_HEADER_SIZE)))
        recorder.bytes(
            received: head &+ body, sent: UInt64(max(0, handle.long(CURLINFO_REQUEST_SIZE))),
            body: body)
        if status > 0 { recorder.requestAnswered(status: UInt16(clamping: status)) }
        let isNew = handle.long(CURLINFO_NUM_CONNECTS) > 0
        if isNew { recorder.connectionOpened(address: handle.remoteAddress) }
        let wire = wireProtocol(handle)
        recorder.requestConnected(isReused: !isNew, speaking: wire)
        if wire == .http2, isNew { shareStreams() }
        recordPhases(slot, isNew: isNew, hasAnswer: status > 0, nowNS: nowNS)
    }

    /// `connection.max` bounds connections, which is requests until HTTP/2 lets them be shared.
    private func shareStreams() {
        guard let connectionsMax else { return }
        let all = max(1, context.plan.load.inFlightMax / context.reactors)
        onWireMax = min(all, connectionsMax &* context.plan.connection.streams)
    }

    private func wireProtocol(_ handle: CurlHandle) -> WireProtocol {
        switch handle.long(CURLINFO_HTTP_VERSION) {
        case Int(CURL_HTTP_VERSION_2_0): .http2
        case Int(CURL_HTTP_VERSION_1_0): .http10
        default: .http11
        }
    }

    private func recordPhases(
        _ slot: SlotPointer, isNew: Bool, hasAnswer: Bool, nowNS: UInt64
    ) {
        let handle = slot.pointee.handle
        var nameLookup: UInt64?
        var connect: UInt64?
        var tls: UInt64?
        if isNew {
            let named = handle.offset(CURLINFO_NAMELOOKUP_TIME_T)
            let connected = handle.offset(CURLINFO_CONNECT_TIME_T)
            let secured = handle.offset(CURLINFO_APPCONNECT_TIME_T)
            nameLookup = UInt64(max(0, named)) &* 1000
            connect = UInt64(max(0, connected - named)) &* 1000
            if secured > 0 { tls = UInt64(max(0, secured - connected)) &* 1000 }
        }
        let sendEnd = slot.pointee.sendEndNS == 0 ? nowNS : slot.pointee.sendEndNS
        let first = slot.pointee.firstByteNS
        recorder.phases(
            isMeasured: slot.pointee.intendedNS >= 0, nameLookupNS: nameLookup,
            connectNS: connect, tlsNS: tls, sendNS: sendEnd &- slot.pointee.sentNS,
            firstByteNS: hasAnswer && first > 0
                ? UInt64(max(0, Int64(bitPattern: first &- sendEnd))) : nil,
            downloadNS: hasAnswer && first > 0 ? nowNS &- first : nil)
    }

    // MARK: answers

    private func answered(_ slot: SlotPointer, _ status: Int, _ nowNS: UInt64) {
        let prefix = slot.pointee.prefixBuffer
        let isRefusal =
            context.refusalRule?.isRefusal(
                status: status, facts: slot.pointee.facts, prefix: prefix) ?? false
        slot.pointee.lastOutcome = OutcomeRule.outcome(
            status: status, facts: slot.pointee.facts, prefix: prefix,
            bodyBytes: slot.pointee.bodyBytes, isRefusal: isRefusal)
        let cache = slot.pointee.facts.cache.verdict(status: status)
        recorder.serverCache(
            cache.cls, isShield: cache.isShield, evidence: cache.evidence,
            isGood: status < 300 || status == 304, bytes: slot.pointee.bodyBytes,
            serviceNS: slot.pointee.serviceLastNS, zoom: slot.pointee.tile.z,
            intendedNS: slot.pointee.intendedNS)
        if let tokens = context.tokens {
            if isRefusal {
                if refused(slot, tokens, nowNS) { return }
            } else {
                accepted(slot, tokens, status, cache.cls, nowNS)
            }
        }
        if (300..<400).contains(status), status != 304, follow(redirectOf: slot, nowNS) { return }
        judge(slot, status, nowNS)
    }

    private func accepted(
        _ slot: SlotPointer, _ tokens: TokenStore, _ status: Int, _ cls: CacheClass,
        _ nowNS: UInt64
    ) {
        let generation = slot.pointee.generation
        acceptedCount &+= 1
        if generation > confirmedGeneration {
            confirmedGeneration = generation
            tokens.accepted(generation: generation, nowNS: nowNS)
        }
        if tokens.epoch.load(ordering: .relaxed) != tokenView.epoch
            || generation != tokenView.generation
            || generation == tokens.killedGeneration.load(ordering: .relaxed)
        {
            tokens.audit(
                generation: generation, sentNS: slot.pointee.sentNS,
                isAccepted: (200..<300).contains(status), cacheClass: cls)
        }
    }

    /// E2; true when the machine took the ask over, false when the refusal is its final answer.
    private func refused(
        _ slot: SlotPointer, _ tokens: TokenStore, _ nowNS: UInt64
    ) -> Bool {
        recorder.refusal(atNS: context.fromT0(nowNS))
        guard context.plan.auth?.renewal != nil else {
            // A static token cannot be renewed: the refusal is the tile's answer.
            tokens.refusedForGood()
            return false
        }
        let generation = slot.pointee.generation
        tokens.audit(
            generation: generation, sentNS: slot.pointee.sentNS, isAccepted: false,
            cacheClass: .unknown)
        slot.pointee.refusals &+= 1
        let (admission, event) = tokens.refused(
            generation: generation, refusals: Int(slot.pointee.refusals), nowNS: nowNS)
        slot.pointee.note(event: event)
        slot.pointee.hasJoined = true
        if follow(admission, slot, nowNS) { enqueue(slot, nowNS) }
        return true
    }

    /// Follows a redirect within the budget and the fence; false: it is the ask's answer.
    private func follow(redirectOf slot: SlotPointer, _ nowNS: UInt64) -> Bool {
        guard Int(slot.pointee.redirects) < context.plan.connection.redirectsMax else {
            return false
        }
        let target = slot.pointee.handle.text(CURLINFO_REDIRECT_URL)
        guard !target.isEmpty, target.utf8.count < Slot.urlMax,
            context.plan.target.allows(url: target)
        else { return false }
        slot.pointee.redirects &+= 1
        var length = 0
        for byte in target.utf8 {
            slot.pointee.url[length] = byte
            length += 1
        }
        slot.pointee.url[length] = 0
        enqueue(slot, nowNS)
        return true
    }

    /// ok or failed is decided by the checks alone.
    private func judge(_ slot: SlotPointer, _ status: Int, _ nowNS: UInt64) {
        let checks = context.plan.checks
        let isGood = checks.statuses.contains(status) || (checks.acceptsNotFound && status == 404)
        guard isGood else {
            noteError(.status, key: UInt32(status), nowNS) { "status \(status)" }
            end(slot, .failed, cause: .status, detail: UInt16(clamping: status), nowNS: nowNS)
            return
        }
        if status != 404,
            let defect = context.tileCheck.defect(
                status: status, facts: slot.pointee.facts, prefix: slot.pointee.prefixBuffer,
                bodyBytes: slot.pointee.bodyBytes)
        {
            noteError(.invalidTile, key: UInt32(defect.rawValue), nowNS) {
                "\(defect): the answer is no tile of the wanted kind"
            }
            end(slot, .failed, cause: .invalidTile, detail: UInt16(defect.rawValue), nowNS: nowNS)
            return
        }
        store(slot, status)
        end(slot, .ok, cause: .status, detail: 0, nowNS: nowNS)
    }

    private func store(_ slot: SlotPointer, _ status: Int) {
        guard status == 200, cache != nil || context.sharedCache != nil else { return }
        let bytes = slot.pointee.bodyBytes
        let user = slot.pointee.user
        let key = slot.pointee.tile.packed
        let evicted =
            cache?.store(user: user, tile: key, bytes: bytes)
            ?? context.sharedCache?.store(tile: key, bytes: bytes) ?? 0
        recorder.clientStored(evicted: evicted, intendedNS: slot.pointee.intendedNS)
    }

    // MARK: failures

    private func failed(_ slot: SlotPointer, _ code: CURLcode, _ nowNS: UInt64) {
        let osError = slot.pointee.handle.long(CURLINFO_OS_ERRNO)
        let hasSent = slot.pointee.sends > 0
        var cause = CurlFailure.cause(
            code, osError: Int32(truncatingIfNeeded: osError), hasSent: hasSent,
            hasAnswer: slot.pointee.firstByteNS > 0)
        var detail: UInt16 = 0
        if cause == .timeout {
            detail = UInt16(timeoutPhase(slot).rawValue)
        } else if code == CURLE_OK {
            cause = .protocol
        }
        let key = UInt32(bitPattern: Int32(code.rawValue)) << 16 | UInt32(detail) << 12
        noteError(cause, key: key | UInt32(truncatingIfNeeded: osError & 0xFFF), nowNS) {
            CurlFailure.text(code, osError: osError)
        }
        end(slot, .failed, cause: cause, detail: detail, nowNS: nowNS)
    }

    private func timeoutPhase(_ slot: SlotPointer) -> TimeoutPhase {
        if let struck = TimeoutPhase(rawValue: slot.pointee.struckPhase) { return struck }
        if slot.pointee.sends > 0 { return slot.pointee.firstByteNS == 0 ? .firstByte : .body }
        return slot.pointee.isInHandshake ? .tls : .connect
    }

    private func noteError(
        _ cause: FailureCause, key: UInt32, _ nowNS: UInt64, text: () -> String
    ) {
        if recorder.error(cause: cause, key: key, atNS: context.fromT0(nowNS)) {
            recorder.setErrorText(cause: cause, key: key, text: text())
        }
    }
}
