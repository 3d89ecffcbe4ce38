import CCurl
import COpenSSL
import Glibc
import Metrics
import Workload

extension DirectTransport {
    /// The answer is whole.
    ///
    /// - Parameter isClean: nothing came behind it.
    func complete(_ connection: ConnectionPointer, isClean: Bool) {
        guard let slot = connection.pointee.slot, let reactor else { return }
        let exchange = exchange(connection)
        letGo(connection)
        let isKept =
            isClean && plan.reuses && connection.pointee.reader.keepsAlive
            && connection.pointee.unsent.isEmpty
        // The connection is free before the ask goes on; its buffers stay as they are until then.
        if isKept { pool.addIdle(connection) } else { close(connection) }
        reactor.finished(slot, exchange)
    }

    /// The ask failed, and its connection with it.
    func fail(_ connection: ConnectionPointer, _ code: CURLcode, osError: Int? = nil) {
        guard let slot = connection.pointee.slot, let reactor else { return }
        let exchange = exchange(
            connection, failure: failure(connection, code, osError: osError ?? 0))
        letGo(connection)
        close(connection)
        reactor.finished(slot, exchange)
    }

    func failure(
        _ connection: ConnectionPointer, _ code: CURLcode, osError: Int = 0
    ) -> Exchange.Failure {
        Exchange.Failure(
            code, osError: osError, phase: connection.pointee.timeoutPhase,
            hasSent: connection.pointee.sentNS > 0,
            hasAnswer: connection.pointee.firstByteNS > 0)
    }

    /// What is known of the request by now.
    func exchange(
        _ connection: ConnectionPointer, failure: Exchange.Failure? = nil
    ) -> Exchange {
        var exchange = Exchange()
        exchange.failure = failure
        exchange.handedNS = connection.pointee.handedNS
        exchange.facts = connection.pointee.facts
        exchange.prefix = connection.pointee.body.bytes
        exchange.bodyBytes = connection.pointee.body.plainBytes
        if connection.pointee.sentNS > 0 {
            exchange.status = connection.pointee.reader.status
            exchange.sentNS = connection.pointee.sentNS
            exchange.sendEndNS = connection.pointee.sendEndNS
            exchange.firstByteNS = connection.pointee.firstByteNS
            exchange.headBytes = UInt64(connection.pointee.reader.headBytes)
            exchange.sentBytes = UInt64(
                connection.pointee.requestBytes - connection.pointee.unsent.count)
            exchange.wireBodyBytes = connection.pointee.reader.bodyBytes
            if connection.pointee.reader.isHTTP10 { exchange.wire = .http10 }
            exchange.peer = Connection.peer(connection)
        }
        if connection.pointee.isNew {
            exchange.opening = connection.pointee.opening
        } else if connection.pointee.state == .dialing, let handle = connection.pointee.handle {
            exchange.opening = ConnectionOpening(handle)
        }
        return exchange
    }

    /// The ask is off the connection.
    func letGo(_ connection: ConnectionPointer) {
        asks.remove(connection, in: pool)
        decoders?.release(&connection.pointee.body)
        if connection.pointee.isNew {
            connection.pointee.opening = nil
            connection.pointee.isNew = false
        }
        connection.pointee.slot?.pointee.carrier = nil
        connection.pointee.slot = nil
        inUse -= 1
    }

    /// Closes it, or gives up opening it. It is in no list.
    func close(_ connection: ConnectionPointer) {
        if connection.pointee.state == .dialing { ramped -= 1 }
        dialer.hangUp(connection)
        connection.pointee.watch.session = nil
        if connection.pointee.descriptor >= 0 {
            Glibc.close(connection.pointee.descriptor)
            connection.pointee.descriptor = -1
        }
        connection.pointee.unsent.clear()
        pool.giveBack(connection)
    }

    /// The phase the request is in, if it has lasted longer than it may.
    func overduePhase(_ connection: ConnectionPointer, _ nowNS: UInt64) -> TimeoutPhase? {
        func isOver(_ limitNS: UInt64?, since startNS: UInt64) -> Bool {
            limitNS.map { nowNS &- startNS >= $0 } ?? false
        }
        if connection.pointee.sentNS > 0 {
            if connection.pointee.firstByteNS == 0 {
                return isOver(timeouts.firstByteNS, since: connection.pointee.sentNS)
                    ? .firstByte : nil
            }
            return isOver(timeouts.bodyNS, since: connection.pointee.firstByteNS) ? .body : nil
        }
        let handedNS = connection.pointee.handedNS
        if timeouts.tlsNS != nil, let handle = connection.pointee.handle, handle.isInHandshake {
            let connectedNS = handedNS &+ UInt64(handle.offset(CURLINFO_CONNECT_TIME_T)) &* 1000
            return isOver(timeouts.tlsNS, since: connectedNS) ? .tls : nil
        }
        return isOver(timeouts.connectNS, since: handedNS) ? .connect : nil
    }
}
