import CCurl
import Metrics
import Workload

/// A libcurl handle with its buffers: what one request at a time rides on. It keeps its place in a
/// multi, and with it, mostly, its connection. Lives in raw memory at an address that never
/// changes, since libcurl's callbacks hold it. Reactor thread only.
struct Carrier {
    /// Bytes of a body that are looked at.
    static let prefixMax = BodyPrefix.bytesMax

    let handle: CurlHandle
    unowned(unsafe) let transport: CurlTransport
    /// Which of the transport's multis it belongs to.
    let shard: Int32
    let index: Int32
    /// Link of the free list; -1: end.
    var next: Int32 = -1
    /// The ask it carries now.
    var slot: SlotPointer?
    /// It has had a connection, which it will mostly find again.
    var hasConnected = false
    /// Counts among those that open a connection.
    var isRamped = false
    private var headers: HeaderSet.Lines?
    /// What the answer says about keeping it, and what makes a request conditional. Nil where
    /// client caches go by no rules.
    let notes: UnsafeMutablePointer<AnswerNotes>?
    let condition: ConditionPointer?
    /// Which list of header lines the handle has; see `HeaderSet`.
    private(set) var headersSerial: UInt64 = 0

    // The request under way.
    var handedNS: UInt64 = 0
    /// 0: nothing sent yet.
    var sentNS: UInt64 = 0
    var sendEndNS: UInt64 = 0
    var firstByteNS: UInt64 = 0
    /// Times libcurl sent this request; above 1 on a connection that had been closed.
    var sends: UInt32 = 0
    var isTakenBack = false
    /// A phase's own limit struck, as `TimeoutPhase.rawValue`; 255: none.
    var struckPhase: UInt8 = 255
    var bodyBytes: UInt64 = 0
    var prefixCount: Int32 = 0
    var facts = AnswerFacts()
    let prefix: UnsafeMutablePointer<UInt8>
    let url: UnsafeMutablePointer<UInt8>

    init(
        index: Int32, shard: Int32, handle: CurlHandle, transport: CurlTransport,
        cachePolicy: CachePolicy?
    ) {
        self.index = index
        self.shard = shard
        self.handle = handle
        self.transport = transport
        prefix = .allocate(capacity: Self.prefixMax)
        url = .allocate(capacity: Transport.urlMax)
        notes = cachePolicy.map {
            let notes = UnsafeMutablePointer<AnswerNotes>.allocate(capacity: 1)
            notes.initialize(to: AnswerNotes($0))
            return notes
        }
        condition = cachePolicy.map { _ in
            let condition = ConditionPointer.allocate(capacity: 1)
            condition.initialize(to: RequestCondition())
            return condition
        }
    }

    mutating func begin(_ slot: SlotPointer, nowNS: UInt64) {
        self.slot = slot
        handedNS = nowNS
        sentNS = 0
        sendEndNS = 0
        firstByteNS = 0
        sends = 0
        isTakenBack = false
        struckPhase = 255
        bodyBytes = 0
        prefixCount = 0
        facts.reset()
        notes?.pointee.reset()
    }

    /// Sets the header lines; those of its condition before them when it `isConditional`.
    mutating func setHeaders(_ lines: HeaderSet.Lines, isConditional: Bool) {
        if isConditional, let condition {
            handle.set(CURLOPT_HTTPHEADER, list: condition.pointee.list(before: lines.head))
            headers = lines
            // The next request sets its own again.
            headersSerial = 0
            return
        }
        guard headersSerial != lines.serial else { return }
        handle.set(CURLOPT_HTTPHEADER, list: lines.head)
        headers = lines
        headersSerial = lines.serial
    }

    /// The first bytes of the body.
    var prefixBuffer: UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: prefix, count: Int(prefixCount))
    }

    func free() {
        handle.cleanup()
        prefix.deallocate()
        url.deallocate()
        notes?.pointee.free()
        notes?.deallocate()
        condition?.pointee.free()
        condition?.deallocate()
    }

    // MARK: limits of phases

    /// The phase the request is in, if it has lasted longer than it may.
    func overduePhase(_ timeouts: LoadPlan.Timeouts, nowNS: UInt64) -> TimeoutPhase? {
        func isOver(_ limitNS: UInt64?, since startNS: UInt64) -> Bool {
            limitNS.map { nowNS &- startNS >= $0 } ?? false
        }
        if sends > 0 {
            if firstByteNS == 0 {
                return isOver(timeouts.firstByteNS, since: sentNS) ? .firstByte : nil
            }
            return isOver(timeouts.bodyNS, since: firstByteNS) ? .body : nil
        }
        if timeouts.tlsNS != nil, handle.isInHandshake {
            let connectedNS = handedNS &+ UInt64(handle.offset(CURLINFO_CONNECT_TIME_T)) &* 1000
            return isOver(timeouts.tlsNS, since: connectedNS) ? .tls : nil
        }
        return isOver(timeouts.connectNS, since: handedNS) ? .connect : nil
    }

    /// Where a timeout struck.
    var timeoutPhase: TimeoutPhase {
        if let struck = TimeoutPhase(rawValue: struckPhase) { return struck }
        if sends > 0 { return firstByteNS == 0 ? .firstByte : .body }
        return handle.isInHandshake ? .tls : .connect
    }
}

typealias CarrierPointer = UnsafeMutablePointer<Carrier>

extension LoadPlan.Timeouts {
    /// Some phase has a limit of its own.
    var hasPhases: Bool {
        connectNS != nil || tlsNS != nil || firstByteNS != nil || bodyNS != nil
    }
}
