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
            exchange.peer = handle.bytes(CURLINFO_PRIMARY_IP)
        }
        exchange.opening = ConnectionOpening(handle)
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

    private func failure(_ carrier: CarrierPointer, _ code: CURLcode) -> Exchange.Failure {
        Exchange.Failure(
            code, osError: carrier.pointee.handle.long(CURLINFO_OS_ERRNO),
            phase: carrier.pointee.timeoutPhase, hasSent: carrier.pointee.sends > 0,
            hasAnswer: carrier.pointee.firstByteNS > 0)
    }
}
