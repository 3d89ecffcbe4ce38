import CCurl
import Metrics

extension CurlTransport {
    /// What libcurl tells of a request that has ended, in no transport's own words.
    func exchange(_ carrier: CarrierPointer, _ code: CURLcode) -> Exchange {
        let handle = carrier.pointee.handle
        var exchange = Exchange()
        exchange.handedNS = carrier.pointee.handedNS
        exchange.isTakenBack = carrier.pointee.isTakenBack
        exchange.facts = carrier.pointee.facts
        exchange.prefix = carrier.pointee.prefixBuffer
        exchange.notes = carrier.pointee.notes.map { UnsafePointer($0) }
        exchange.bodyBytes = carrier.pointee.bodyBytes
        if carrier.pointee.sends > 0 {
            exchange.status = handle.long(CURLINFO_RESPONSE_CODE)
            exchange.sentNS = carrier.pointee.sentNS
            exchange.sendEndNS = carrier.pointee.sendEndNS
            exchange.firstByteNS = carrier.pointee.firstByteNS
            exchange.headBytes = UInt64(max(0, handle.long(CURLINFO_HEADER_SIZE)))
            exchange.sentBytes = UInt64(max(0, handle.long(CURLINFO_REQUEST_SIZE)))
            exchange.wireBodyBytes = UInt64(max(0, handle.offset(CURLINFO_SIZE_DOWNLOAD_T)))
            exchange.wire = Self.wire(handle)
        }
        noteConnection(handle, &exchange)
        if (300..<400).contains(exchange.status), exchange.status != 304 {
            let target = handle.text(CURLINFO_REDIRECT_URL)
            if !target.isEmpty { exchange.redirectURL = target }
        }
        if code != CURLE_OK || exchange.status == 0 {
            exchange.failure = failure(carrier, code)
        }
        return exchange
    }

    private static func wire(_ handle: CurlHandle) -> WireProtocol {
        switch handle.long(CURLINFO_HTTP_VERSION) {
        case Int(CURL_HTTP_VERSION_2_0): .http2
        case Int(CURL_HTTP_VERSION_1_0): .http10
        default: .http11
        }
    }

    /// A connection counts from the moment TCP has it, whatever became of it.
    private func noteConnection(_ handle: CurlHandle, _ exchange: inout Exchange) {
        guard handle.long(CURLINFO_NUM_CONNECTS) > 0 else { return }
        let named = handle.offset(CURLINFO_NAMELOOKUP_TIME_T)
        let connected = handle.offset(CURLINFO_CONNECT_TIME_T)
        guard connected > 0 else { return }
        let secured = handle.offset(CURLINFO_APPCONNECT_TIME_T)
        exchange.isNewConnection = true
        exchange.address = handle.remoteAddress
        exchange.nameLookupNS = UInt64(max(0, named)) &* 1000
        exchange.connectNS = UInt64(max(0, connected - named)) &* 1000
        if secured > 0 { exchange.tlsNS = UInt64(max(0, secured - connected)) &* 1000 }
    }

    private func failure(_ carrier: CarrierPointer, _ code: CURLcode) -> Exchange.Failure {
        let osError = carrier.pointee.handle.long(CURLINFO_OS_ERRNO)
        var cause = CurlFailure.cause(
            code, osError: Int32(truncatingIfNeeded: osError), hasSent: carrier.pointee.sends > 0,
            hasAnswer: carrier.pointee.firstByteNS > 0)
        // An end without a status line is no HTTP.
        if code == CURLE_OK { cause = .protocol }
        let phase = cause == .timeout ? carrier.pointee.timeoutPhase : nil
        let key =
            UInt32(code.rawValue) << 16 | UInt32(phase?.rawValue ?? 0) << 12
            | UInt32(truncatingIfNeeded: osError & 0xFFF)
        return Exchange.Failure(
            cause: cause, phase: phase, key: key, code: UInt32(code.rawValue), osError: osError)
    }

    /// A failure in words.
    static func text(_ failure: Exchange.Failure) -> String {
        CurlFailure.text(CURLcode(failure.code), osError: failure.osError)
    }
}
