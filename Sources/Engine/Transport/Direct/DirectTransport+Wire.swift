import CCurl
import CLinux
import COpenSSL
import Glibc
import Metrics

extension DirectTransport {
    // MARK: opening

    /// What libcurl has opened, or not.
    func takeDialled() {
        while ramped > 0, let (connection, code) = dialer.nextDone() {
            guard code == CURLE_OK else {
                fail(connection, code, osError: connection.pointee.handle?.long(CURLINFO_OS_ERRNO))
                continue
            }
            guard dialer.takeOver(connection) else {
                fail(connection, CURLE_COULDNT_CONNECT)
                continue
            }
            ramped -= 1
            connection.pointee.state = .busy
            let events =
                EPOLLIN.rawValue | EPOLLOUT.rawValue | EPOLLRDHUP.rawValue | EPOLLET.rawValue
            let isWatched = loop.control(
                EPOLL_CTL_ADD, connection.pointee.descriptor, events, key: connection.pointee.key)
            precondition(isWatched, "epoll refuses a connection: \(errno)")
            start(connection, connection.pointee.unsent.bytes, MonotonicClock.nowNS())
        }
    }

    // MARK: sending

    /// The connection is there: the request goes out, unless its token was replaced meanwhile.
    func start(
        _ connection: ConnectionPointer, _ request: UnsafeBufferPointer<UInt8>, _ nowNS: UInt64
    ) {
        guard let slot = connection.pointee.slot, let reactor else { return }
        let waitedNS = nowNS &- connection.pointee.handedNS
        guard reactor.willSend(slot, isRepeat: false, waitedNS: waitedNS, nowNS) else {
            var exchange = exchange(connection)
            exchange.isTakenBack = true
            connection.pointee.unsent.clear()
            letGo(connection)
            pool.addIdle(connection)
            return reactor.finished(slot, exchange)
        }
        connection.pointee.sentNS = nowNS
        connection.pointee.requestBytes = request.count
        let sent = write(connection, request)
        guard sent >= 0 else { return fail(connection, CURLE_SEND_ERROR, osError: Int(errno)) }
        if sent == request.count {
            connection.pointee.unsent.clear()
            connection.pointee.sendEndNS = MonotonicClock.nowNS()
        } else if connection.pointee.unsent.isEmpty {
            connection.pointee.unsent.set(UnsafeBufferPointer(rebasing: request[sent...]))
        } else {
            connection.pointee.unsent.removeFirst(sent)
        }
    }

    /// The connection takes more of the request; false: it has failed.
    func sendRest(_ connection: ConnectionPointer) -> Bool {
        let sent = write(connection, connection.pointee.unsent.bytes)
        guard sent >= 0 else {
            fail(connection, CURLE_SEND_ERROR, osError: Int(errno))
            return false
        }
        connection.pointee.unsent.removeFirst(sent)
        if connection.pointee.unsent.isEmpty {
            connection.pointee.sendEndNS = MonotonicClock.nowNS()
        }
        return true
    }

    /// Bytes that were taken, 0 when it has to wait; -1 with errno.
    private func write(
        _ connection: ConnectionPointer, _ bytes: UnsafeBufferPointer<UInt8>
    ) -> Int {
        let count =
            if let session = connection.pointee.session {
                tb_ssl_write(session, bytes.baseAddress, Int32(bytes.count))
            } else {
                Glibc.send(
                    connection.pointee.descriptor, bytes.baseAddress, bytes.count,
                    Int32(MSG_NOSIGNAL))
            }
        return count < 0 && errno == EAGAIN ? 0 : count
    }

    // MARK: receiving

    /// Reads what is there, until there is no more or the answer is whole.
    ///
    /// - Parameter hasHungUp: the other side will send no more than that. There is no second event
    ///   of it, and the connection is of no use to another ask.
    func receive(_ connection: ConnectionPointer, hasHungUp: Bool) {
        guard let room = room.baseAddress else { return }
        while connection.pointee.state == .busy {
            let waiting = connection.pointee.unread.count
            if let from = connection.pointee.unread.bytes.baseAddress {
                room.update(from: from, count: waiting)
            }
            let count = read(connection, room + waiting)
            guard count > 0 else {
                if count < 0, errno == EAGAIN { return }
                return lose(connection, osError: count < 0 ? Int(errno) : 0)
            }
            if connection.pointee.firstByteNS == 0 {
                connection.pointee.firstByteNS = MonotonicClock.nowNS()
            }
            let bytes = UnsafeBufferPointer(start: UnsafePointer(room), count: waiting + count)
            let taken = parse(connection, bytes)
            if connection.pointee.reader.defect != nil {
                return fail(connection, CURLE_WEIRD_SERVER_REPLY)
            }
            if connection.pointee.body.isDamaged {
                return fail(connection, CURLE_BAD_CONTENT_ENCODING)
            }
            if connection.pointee.reader.isDone {
                return complete(connection, isClean: taken == bytes.count && !hasHungUp)
            }
            connection.pointee.body.keep()
            connection.pointee.unread.set(UnsafeBufferPointer(rebasing: bytes[taken...]))
            // Fewer than there was room for: nothing is left, and epoll tells of more. A session
            // gives a record at a time and has to be asked until it says so.
            if connection.pointee.session == nil, !hasHungUp, count < Self.readBytes { return }
        }
    }

    /// Reads on in the answer; how many bytes belong to it.
    private func parse(
        _ connection: ConnectionPointer, _ bytes: UnsafeBufferPointer<UInt8>
    ) -> Int {
        let taken = connection.pointee.reader.read(
            bytes, facts: &connection.pointee.facts, body: &connection.pointee.body)
        guard connection.pointee.reader.beginsBody else { return taken }
        decoders?.prepare(
            &connection.pointee.body, connection.pointee.facts.contentEncoding)
        return taken
            + connection.pointee.reader.read(
                UnsafeBufferPointer(rebasing: bytes[taken...]), facts: &connection.pointee.facts,
                body: &connection.pointee.body)
    }

    private func read(
        _ connection: ConnectionPointer, _ room: UnsafeMutablePointer<UInt8>
    ) -> Int {
        guard let session = connection.pointee.session else {
            return recv(connection.pointee.descriptor, room, Self.readBytes, 0)
        }
        return tb_ssl_read(session, room, Int32(Self.readBytes))
    }

    /// The other side has closed, or the connection broke.
    private func lose(_ connection: ConnectionPointer, osError: Int) {
        if osError == 0, connection.pointee.reader.close() {
            return complete(connection, isClean: false)
        }
        if osError != 0 { return fail(connection, CURLE_RECV_ERROR, osError: osError) }
        fail(
            connection, connection.pointee.firstByteNS == 0 ? CURLE_GOT_NOTHING : CURLE_PARTIAL_FILE
        )
    }

    /// Something happened on a connection without an ask: it was closed, or is of no use any more,
    /// but for a TLS session's own records.
    func lookAtIdle(_ connection: ConnectionPointer) {
        guard let room = room.baseAddress else { return }
        if read(connection, room) < 0, errno == EAGAIN { return }
        pool.removeIdle(connection)
        close(connection)
    }
}
