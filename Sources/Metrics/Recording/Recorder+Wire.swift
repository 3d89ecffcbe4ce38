extension Recorder {
    /// A request was handed to the transport.
    public func requestSent(_ kind: RequestKind) {
        switch kind {
        case .first: tables.scalars.pointee.requestsFirst &+= 1
        case .replay: tables.scalars.pointee.requestsReplayed &+= 1
        case .retriedOnClosed: tables.scalars.pointee.requestsRetried &+= 1
        case .redirected: tables.scalars.pointee.requestsRedirected &+= 1
        }
    }

    /// A request was answered.
    public func requestAnswered(status: UInt16) {
        tables.answered[statusIndex(status)] &+= 1
    }

    /// Bytes over the wire; `body` is the part of `received` that was bodies.
    public func bytes(received: UInt64, sent: UInt64, body: UInt64) {
        tables.scalars.pointee.bytesReceived &+= received
        tables.scalars.pointee.bytesSent &+= sent
        tables.scalars.pointee.bytesBody &+= body
    }

    /// Phases of one request, nil for one that it did not have: the first three belong to new
    /// connections, the last two to answers. Only those of the measured part are kept.
    public func phases(
        isMeasured: Bool, nameLookupNS: UInt64?, connectNS: UInt64?, tlsNS: UInt64?,
        sendNS: UInt64?, firstByteNS: UInt64?, downloadNS: UInt64?
    ) {
        guard isMeasured else { return }
        record(.nameLookup, nameLookupNS)
        record(.connect, connectNS)
        record(.tls, tlsNS)
        record(.send, sendNS)
        record(.firstByte, firstByteNS)
        record(.download, downloadNS)
    }

    private func record(_ phase: Phase, _ valueNS: UInt64?) {
        guard let valueNS else { return }
        tables.phases[Int(phase.rawValue)].record(valueNS)
    }

    /// A connection to that address was opened, for a request or ahead of any. May allocate.
    public func connectionOpened(address: String) {
        tables.scalars.pointee.connectionsOpened &+= 1
        if addresses[address] == nil, addresses.count >= Self.addressesMax {
            addresses["other", default: 0] += 1
        } else {
            addresses[address, default: 0] += 1
        }
    }

    /// A request got its connection: one that was open already, or one of its own.
    public func requestConnected(isReused: Bool, speaking wire: WireProtocol) {
        if isReused { tables.scalars.pointee.connectionsReused &+= 1 }
        tables.protocols[Int(wire.rawValue)] &+= 1
    }

    /// A turn of the loop ended that much later than its own timer wanted.
    public func loopLag(_ lagNS: UInt64) {
        tables.loopLag.record(lagNS)
    }

    /// Asks on the wire and waiting for a token now; the last call of an interval stands for it.
    public func gauge(inFlight: UInt64, parked: UInt64, atNS: Int64) {
        tables.scalars.pointee.inFlight = inFlight
        tables.scalars.pointee.parked = parked
        guard atNS >= 0 else { return }
        timeline.row(atNS: atNS) { $0.setGauge(inFlight: inFlight, parked: parked) }
    }

    /// Something went wrong, `key` telling kinds of one cause apart (a status, a curl code). True
    /// on the first sight of both: the caller then says it in words with `setErrorText`.
    public func error(cause: FailureCause, key: UInt32, atNS: Int64) -> Bool {
        errors.count(cause: cause, key: key, atNS: atNS)
    }

    /// The words for an error that `error` called new. Allocates.
    public func setErrorText(cause: FailureCause, key: UInt32, text: String) {
        errors.setText(cause: cause, key: key, text: text)
    }
}
