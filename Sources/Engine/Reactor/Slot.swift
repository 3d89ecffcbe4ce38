import CCurl
import Metrics
import TileModel

/// A reusable place for one ask: its history, its request and the libcurl handle that carries it.
/// Lives in raw memory at an address that never changes, since libcurl's callbacks hold it.
/// Touched by its reactor's thread only.
struct Slot {
    enum State: UInt8 {
        case free
        /// Wants to be sent; in the run queue.
        case queued
        /// Handed to the transport, nothing sent yet.
        case connecting
        case onWire
        /// Waits for a token.
        case parked
        /// Told to go on, its turn in the paced release is to come.
        case releasing
    }

    var state = State.free
    /// Place in the reactor's pool, and the intrusive link of the list the slot is in; -1: end.
    var index: Int32 = 0
    var next: Int32 = -1
    /// The closed load's user; -1 in an open load.
    var user: Int32 = -1
    var handle: CurlHandle
    unowned(unsafe) let reactor: Reactor
    /// Which of the reactor's multi handles it belongs to.
    var shard: Int32 = 0
    /// libcurl's callbacks point here.
    var isAttached = false

    // The ask.
    var tile = TileID(z: 0, x: 0, y: 0)
    var streamIndex: UInt64 = 0
    /// From T0; negative in the warm-up.
    var intendedNS: Int64 = 0
    /// Monotonic: when the ask found its slot.
    var startedNS: UInt64 = 0
    var tokenWaitNS: UInt64 = 0
    var connectionWaitNS: UInt64 = 0
    var serviceSumNS: UInt64 = 0
    var serviceLastNS: UInt64 = 0
    var attempts: UInt32 = 0
    var redirects: UInt8 = 0
    var refusals: UInt8 = 0
    /// Expiry events the ask was refused in; -1: none.
    var events: (Int32, Int32, Int32) = (-1, -1, -1)
    var parkedNS: UInt64 = 0
    var flight: UInt64 = 0
    /// Its refusal was counted as coalesced, so that waiting is not counted again.
    var hasJoined = false

    // The request on the wire.
    var generation: UInt64 = 0
    var queuedNS: UInt64 = 0
    var handedNS: UInt64 = 0
    /// 0: nothing sent yet.
    var sentNS: UInt64 = 0
    var sendEndNS: UInt64 = 0
    var firstByteNS: UInt64 = 0
    /// Times libcurl sent this request; above 1 on a connection that had been closed.
    var sends: UInt32 = 0
    /// The token was replaced before the request was sent: it was taken back.
    var isTakenBack = false
    /// It has had a connection, which it will mostly find again.
    var hasConnected = false
    /// Counts among the reactor's `connecting`.
    var isRamped = false
    /// A phase timeout struck, as `TimeoutPhase.rawValue`; 255: none.
    var struckPhase: UInt8 = 255
    var bodyBytes: UInt64 = 0
    var prefixCount: Int32 = 0
    /// Of the last answer of the ask; 0: none came.
    var lastStatus: UInt16 = 0
    var lastOutcome: Outcome?
    var facts = AnswerFacts()
    let prefix: UnsafeMutablePointer<UInt8>
    let url: UnsafeMutablePointer<UInt8>
    private var headers: HeaderSet.Lines?
    /// Which list of header lines the handle has; see `HeaderSet`.
    private(set) var headersEpoch: UInt64 = .max

    /// Bytes of a body that are looked at.
    static let prefixMax = 2048
    static let urlMax = 16_384

    init(index: Int32, reactor: Reactor, handle: CurlHandle, shard: Int32) {
        self.index = index
        self.reactor = reactor
        self.handle = handle
        self.shard = shard
        prefix = .allocate(capacity: Self.prefixMax)
        url = .allocate(capacity: Self.urlMax)
    }

    /// The first bytes of the body.
    var prefixBuffer: UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: prefix, count: Int(prefixCount))
    }

    /// A new ask in this place.
    mutating func begin(
        tile: TileID, streamIndex: UInt64, intendedNS: Int64, user: Int32, nowNS: UInt64
    ) {
        self.tile = tile
        self.streamIndex = streamIndex
        self.intendedNS = intendedNS
        self.user = user
        startedNS = nowNS
        tokenWaitNS = 0
        connectionWaitNS = 0
        serviceSumNS = 0
        serviceLastNS = 0
        attempts = 0
        redirects = 0
        refusals = 0
        events = (-1, -1, -1)
        hasJoined = false
        lastStatus = 0
        lastOutcome = nil
        bodyBytes = 0
    }

    mutating func setHeaders(_ lines: HeaderSet.Lines) {
        handle.set(CURLOPT_HTTPHEADER, list: lines.list.head)
        headers = lines
        headersEpoch = lines.epoch
    }

    /// A new request of the same ask.
    mutating func beginRequest(nowNS: UInt64) {
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
    }

    mutating func note(event: Int32) {
        if event < 0 { return }
        if events.0 < 0 {
            events.0 = event
        } else if events.1 < 0 {
            events.1 = event
        } else {
            events.2 = event
        }
    }

    func free() {
        handle.cleanup()
        prefix.deallocate()
        url.deallocate()
    }
}

typealias SlotPointer = UnsafeMutablePointer<Slot>
