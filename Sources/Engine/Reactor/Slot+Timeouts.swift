import CCurl
import Metrics
import Workload

extension LoadPlan.Timeouts {
    /// Some phase has a limit of its own.
    var hasPhases: Bool {
        connectNS != nil || tlsNS != nil || firstByteNS != nil || bodyNS != nil
    }
}

extension CURLcode {
    /// What a transfer ends with that was cut off by a phase's own limit.
    static var timedOut: CURLcode { CURLE_OPERATION_TIMEDOUT }
}

extension Slot {
    /// Connected, but the TLS session is not there yet.
    var isInHandshake: Bool {
        handle.offset(CURLINFO_CONNECT_TIME_T) > 0 && handle.offset(CURLINFO_APPCONNECT_TIME_T) == 0
            && handle.text(CURLINFO_SCHEME).lowercasedASCII == "https"
    }

    /// The phase the request is in, if it has lasted longer than it may.
    func overduePhase(_ timeouts: LoadPlan.Timeouts, nowNS: UInt64) -> TimeoutPhase? {
        func isOver(_ limitNS: UInt64?, since startNS: UInt64) -> Bool {
            limitNS.map { nowNS &- startNS >= $0 } ?? false
        }
        switch state {
        case .connecting:
            if timeouts.tlsNS != nil, isInHandshake {
                let connectedNS = handedNS &+ UInt64(handle.offset(CURLINFO_CONNECT_TIME_T)) &* 1000
                return isOver(timeouts.tlsNS, since: connectedNS) ? .tls : nil
            }
            return isOver(timeouts.connectNS, since: handedNS) ? .connect : nil
        case .onWire where firstByteNS == 0:
            return isOver(timeouts.firstByteNS, since: sentNS) ? .firstByte : nil
        case .onWire:
            return isOver(timeouts.bodyNS, since: firstByteNS) ? .body : nil
        case .free, .queued, .parked, .releasing:
            return nil
        }
    }
}
