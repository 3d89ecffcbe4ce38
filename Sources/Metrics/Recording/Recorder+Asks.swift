extension Recorder {
    /// An ask begins; its start lag is `startedNS - intendedNS`, both from T0.
    public func askStarted(
        zoom: UInt8, source: UInt16 = 0, place: UInt16 = 0, intendedNS: Int64, startedNS: Int64
    ) {
        guard intendedNS >= 0 else {
            tables.scalars.pointee.warmupAsks &+= 1
            return
        }
        tables.scalars.pointee.asks.started &+= 1
        tables.zoomCounters[Int(zoom & 31)].started &+= 1
        if Int(source) < tables.sources { tables.sourceCounters[Int(source)].started &+= 1 }
        places.started(place)
        tables.startLag.record(UInt64(max(0, startedNS &- intendedNS)))
        timeline.row(atNS: intendedNS) { $0.asks.started &+= 1 }
    }

    /// An ask that was due before the end of the run and never began.
    public func askNotStarted(intendedNS: Int64) {
        guard intendedNS >= 0 else { return }
        tables.scalars.pointee.notStarted &+= 1
        timeline.row(atNS: intendedNS) { $0.notStarted &+= 1 }
    }

    /// An ask that was started has ended. In the warm-up only the figures of the whole process
    /// are kept.
    public func askEnded(_ end: borrowing AskEnd) {
        let scalars = tables.scalars
        if UInt64(end.requests) > scalars.pointee.attemptsMax {
            scalars.pointee.attemptsMax = UInt64(end.requests)
        }
        if end.cls == .failed, end.cause == .unauthorized {
            tables.allFailedByAuth[index(AuthFailure.self, end)] &+= 1
        }
        guard end.intendedNS >= 0 else { return }
        scalars.pointee.asks.count(end)
        tables.zoomCounters[Int(end.zoom & 31)].count(end)
        if Int(end.source) < tables.sources { countSource(end) }
        countLatency(end)
        places.count(end)
        switch end.cls {
        case .ok:
            countAnswer(end)
            countSize(end)
        case .failed:
            countAnswer(end)
            countFailure(end)
            // Sizes that the checks find wrong are sizes; a page in place of a tile has none.
            if end.cause == .invalidTile, end.causeDetail != UInt16(TileDefect.format.rawValue) {
                countSize(end)
            }
        case .cancelled, .inFlightAtEnd: break
        }
        timeline.count(end)
    }

    /// `all` is what is not cancelled, and is put together from its three parts at the end.
    private func countLatency(_ end: borrowing AskEnd) {
        let response: RawHistogram
        let service: RawHistogram
        switch end.cls {
        case .ok: (response, service) = (tables.responseOK, tables.serviceOK)
        case .failed: (response, service) = (tables.responseFailed, tables.serviceFailed)
        case .inFlightAtEnd: (response, service) = (tables.responseOpen, tables.serviceOpen)
        case .cancelled: return
        }
        response.record(end.responseNS)
        tables.zoomResponse[Int(end.zoom & 31)].record(end.responseNS)
        if let window = end.window {
            tables.windowResponse[Int(window.rawValue)].record(end.responseNS)
            if end.cls == .ok { tables.windowOK[Int(window.rawValue)] &+= 1 }
        }
        if end.serviceNS > 0 { service.record(end.serviceNS) }
    }

    private func countSource(_ end: borrowing AskEnd) {
        tables.sourceCounters[Int(end.source)].count(end)
        let part =
            switch end.cls {
            case .ok: 0
            case .failed: 1
            case .inFlightAtEnd: 2
            case .cancelled: -1
            }
        guard part >= 0 else { return }
        let place = Int(end.source) * RecorderTables.sourceParts + part
        tables.sourceResponse[place].record(end.responseNS)
        if end.serviceNS > 0 { tables.sourceService[place].record(end.serviceNS) }
    }

    /// What a tile with a body of its own weighs; a 304 has none.
    private func countSize(_ end: borrowing AskEnd) {
        guard end.status >= 200, end.status < 300 else { return }
        tables.zoomSizes[Int(end.zoom & 31)].record(end.bodyBytes)
        if Int(end.source) < tables.sources {
            tables.sourceSizes[Int(end.source)].record(end.bodyBytes)
        }
    }

    private func countAnswer(_ end: borrowing AskEnd) {
        tables.lastStatus[statusIndex(end.status)] &+= 1
        if let outcome = end.outcome { tables.outcomes[Int(outcome.rawValue)] &+= 1 }
    }

    private func countFailure(_ end: borrowing AskEnd) {
        tables.failedBy[Int(end.cause.rawValue)] &+= 1
        switch end.cause {
        case .status:
            tables.failedByStatus[statusIndex(end.causeDetail)] &+= 1
        case .timeout:
            tables.failedByTimeout[index(TimeoutPhase.self, end)] &+= 1
        case .invalidTile:
            tables.failedByDefect[index(TileDefect.self, end)] &+= 1
        case .unauthorized:
            tables.failedByAuth[index(AuthFailure.self, end)] &+= 1
        case .connect, .tls, .name, .reset, .truncated, .protocol, .generator:
            break
        }
    }

    /// Index of a failure's detail in the table of its kind.
    private func index<Detail: RawRepresentable<UInt8>>(
        _: Detail.Type, _ end: borrowing AskEnd
    ) -> Int {
        guard let detail = Detail(rawValue: UInt8(truncatingIfNeeded: end.causeDetail)) else {
            preconditionFailure("the detail of another cause")
        }
        return Int(detail.rawValue)
    }

    /// A status line has three digits, so the limit only guards the memory behind the table.
    func statusIndex(_ status: UInt16) -> Int {
        min(Int(status), RecorderTables.statuses - 1)
    }

    /// An ask left the queue of those that wait for a token.
    public func parkEnded(waitedNS: UInt64) {
        tables.parkedTime.record(waitedNS)
    }

    /// A refusal was read; `serviceNS` is the time of its request alone.
    public func refusal(atNS: Int64, serviceNS: UInt64) {
        tables.scalars.pointee.refusals &+= 1
        tables.refusedService.record(serviceNS)
        guard atNS >= 0 else { return }
        timeline.row(atNS: atNS) { $0.refusals &+= 1 }
    }
}
