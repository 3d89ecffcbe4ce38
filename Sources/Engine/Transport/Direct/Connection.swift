import COpenSSL
import Glibc
import Metrics

/// A connection that libcurl opened and HTTP/1.1 is spoken on, one ask at a time. It holds no
/// buffers: most requests leave with one call and most answers come with one, in memory that all
/// connections of a reactor share. Lives in raw memory at an address that never changes. Reactor
/// thread only.
struct Connection {
    enum State: UInt8 {
        /// No connection; the place is free.
        case free
        /// libcurl opens it.
        case dialing
        case idle
        /// An ask is on the wire.
        case busy
    }

    var state = State.free
    /// Place in the pool.
    let index: Int32
    /// Counts the connections that this place has had: an event of an earlier one is none of ours.
    var serial: UInt32 = 0
    var descriptor: Int32 = -1
    /// Links of the list it is in: of idle ones, of free places, or of those with an ask.
    var next: Int32 = -1
    var previous: Int32 = -1
    /// Whose it is; see `ConnectionPool`.
    var owner: Int32 = -1
    var host: Int32 = 0
    /// Has the TLS session, where there is one.
    var watch = tb_ssl_watch()
    var session: OpaquePointer? { watch.session }
    /// libcurl's handle, while it dials and as long as it holds the session.
    var handle: CurlHandle?
    /// The other end, once the connection is there.
    var peer = PeerAddress()

    // The request under way.
    var slot: SlotPointer?
    var handedNS: UInt64 = 0
    /// 0: nothing sent yet.
    var sentNS: UInt64 = 0
    var sendEndNS: UInt64 = 0
    var firstByteNS: UInt64 = 0
    var requestBytes = 0
    /// A phase's own limit struck, as `TimeoutPhase.rawValue`; 255: none.
    var struckPhase: UInt8 = 255
    /// The ask is the first of the connection.
    var isNew = false
    /// Until that ask has ended.
    var opening: ConnectionOpening?

    var reader = ResponseReader()
    var facts = AnswerFacts()
    var body = BodyPrefix()
    /// Of the request: what has not gone out yet.
    var unsent = ByteStore()
    /// Of the answer: the beginning of a line whose end is still to come.
    var unread = ByteStore()

    init(index: Int32) { self.index = index }

    static func watch(_ connection: ConnectionPointer) -> UnsafeMutablePointer<tb_ssl_watch> {
        guard let offset = MemoryLayout<Connection>.offset(of: \.watch) else {
            preconditionFailure("a stored property has a place")
        }
        return (UnsafeMutableRawPointer(connection) + offset).assumingMemoryBound(
            to: tb_ssl_watch.self)
    }

    /// The other end's address; the memory is the connection's.
    static func peer(_ connection: ConnectionPointer) -> UnsafeBufferPointer<UInt8> {
        guard let offset = MemoryLayout<Connection>.offset(of: \.peer.bytes) else {
            preconditionFailure("a stored property has a place")
        }
        let start = (UnsafeRawPointer(connection) + offset).assumingMemoryBound(to: UInt8.self)
        return UnsafeBufferPointer(start: start, count: Int(connection.pointee.peer.count))
    }

    /// What the reactor's epoll knows it by.
    var key: UInt64 {
        Connection.keyMark | UInt64(serial & 0x3FFF_FFFF) << 32 | UInt64(UInt32(bitPattern: index))
    }

    /// Tells events of connections from those of libcurl's own descriptors.
    static let keyMark: UInt64 = 1 << 63

    mutating func begin(_ slot: SlotPointer, nowNS: UInt64) {
        self.slot = slot
        handedNS = nowNS
        sentNS = 0
        sendEndNS = 0
        firstByteNS = 0
        requestBytes = 0
        struckPhase = 255
        isNew = false
        reader = ResponseReader()
        facts.reset()
        body.reset()
        unread.clear()
    }

    mutating func free() {
        body.free()
        unsent.free()
        unread.free()
    }

    /// Where a timeout struck.
    var timeoutPhase: TimeoutPhase {
        if let struck = TimeoutPhase(rawValue: struckPhase) { return struck }
        if sentNS > 0 { return firstByteNS == 0 ? .firstByte : .body }
        return handle?.isInHandshake == true ? .tls : .connect
    }
}

typealias ConnectionPointer = UnsafeMutablePointer<Connection>

/// An address in words, without its port, as plain memory.
struct PeerAddress {
    /// An IPv6 address takes 45, and one with a zone is told by its beginning.
    static let bytesMax = 46

    private(set) var bytes = InlineArray<46, UInt8>(repeating: 0)
    private(set) var count: UInt8 = 0

    init() {}

    init(_ text: UnsafeBufferPointer<UInt8>) {
        count = UInt8(min(text.count, Self.bytesMax))
        for index in 0..<Int(count) { bytes[index] = text[index] }
    }
}

/// A few bytes that wait, in memory that is taken when first needed and then kept.
struct ByteStore {
    private var memory: UnsafeMutablePointer<UInt8>?
    private var capacity = 0
    private var start = 0
    private var end = 0

    var count: Int { end - start }
    var isEmpty: Bool { start == end }
    var bytes: UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: memory.map { UnsafePointer($0 + start) }, count: count)
    }

    /// Holds these bytes and no others.
    mutating func set(_ bytes: UnsafeBufferPointer<UInt8>) {
        if bytes.count > capacity {
            memory?.deallocate()
            capacity = max(512, bytes.count)
            memory = .allocate(capacity: capacity)
        }
        if let from = bytes.baseAddress { memory?.update(from: from, count: bytes.count) }
        (start, end) = (0, bytes.count)
    }

    mutating func removeFirst(_ count: Int) { start += count }

    mutating func clear() { (start, end) = (0, 0) }

    mutating func free() {
        memory?.deallocate()
        memory = nil
        (capacity, start, end) = (0, 0, 0)
    }
}
