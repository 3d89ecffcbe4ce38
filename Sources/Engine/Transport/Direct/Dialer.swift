import CCurl
import COpenSSL
import Glibc
import Workload

/// Opens connections by libcurl without blocking: name, address families, tunnel, TLS and all their
/// options are libcurl's, and so are the times they took. What comes of it is a descriptor, and a
/// TLS session where there is one. Reactor thread only.
///
/// A plain connection leaves libcurl as soon as it is there. A TLS session is libcurl's as long as
/// it lives; the records are read and written on it directly, since libcurl's own calls look the
/// connection up anew each time.
final class Dialer {
    private let multi: CurlMulti
    private let options: ConnectionOptions
    /// Where connections go in turn; see `AddressSpread`.
    private let spreadLists: [CurlList]
    /// Connection number i of this reactor is number i * stride + first of the run.
    private let serials: (first: Int, stride: Int)
    private var dialled = 0
    private var spare: [CurlHandle] = []
    private var isTouched = false

    init(context: RunContext, number: Int, loop: EventLoop) {
        options = ConnectionOptions(context.plan.connection)
        spreadLists = context.spread.lines.map { CurlList($0) }
        serials = (number, context.reactors)
        multi = CurlMulti(
            number: 0, loop: loop, connectionsPerHostMax: nil, streamsMax: 1, isMultiplexed: false,
            connectionsKept: 1)
    }

    /// Begins to open it; `origin` is `scheme://host[:port]` and a zero byte.
    func dial(_ connection: ConnectionPointer, origin: UnsafePointer<CChar>) {
        let handle = spare.popLast() ?? CurlHandle()
        let serial = dialled * serials.stride + serials.first
        dialled += 1
        connection.pointee.watch.session = nil
        options.apply(to: handle, index: serial, watch: Connection.watch(connection))
        if !spreadLists.isEmpty {
            handle.set(CURLOPT_CONNECT_TO, list: spreadLists[serial % spreadLists.count].head)
        }
        // Forbidding reuse would close the descriptor that is wanted.
        handle.set(CURLOPT_FORBID_REUSE, false)
        handle.set(CURLOPT_FRESH_CONNECT, true)
        handle.set(CURLOPT_CONNECT_ONLY, 1)
        handle.set(CURLOPT_HTTP_VERSION, tb_curl_http_version(true))
        handle.set(CURLOPT_SUPPRESS_CONNECT_HEADERS, true)
        handle.set(CURLOPT_PROTOCOLS_STR, text: "http,https")
        handle.set(CURLOPT_URL, origin)
        let context = UnsafeMutableRawPointer(connection)
        handle.set(CURLOPT_PRIVATE, pointer: context)
        handle.set(CURLOPT_CLOSESOCKETDATA, pointer: context)
        tb_curl_set_close_socket(handle.raw) { context, descriptor in
            // The one that was taken over is its owner's to close.
            let connection = context?.assumingMemoryBound(to: Connection.self)
            return connection?.pointee.descriptor == descriptor ? 0 : close(descriptor)
        }
        connection.pointee.handle = handle
        connection.pointee.descriptor = -1
        multi.add(handle)
        isTouched = true
    }

    /// Starts what was dialled.
    func flush() {
        guard isTouched else { return }
        isTouched = false
        multi.runTimer()
    }

    var nextTimerNS: UInt64 { multi.timerNS }
    func runTimer() { multi.runTimer() }
    func run(socket: curl_socket_t, epollEvents: UInt32) {
        multi.run(socket: socket, epollEvents: epollEvents)
    }

    /// The next attempt that has ended.
    func nextDone() -> (connection: ConnectionPointer, code: CURLcode)? {
        guard let (easy, code) = multi.nextDone() else { return nil }
        var context: UnsafeMutableRawPointer?
        tb_curl_get_private(easy, &context)
        guard let context else { fatalError("libcurl lost a connection's own pointer") }
        return (context.assumingMemoryBound(to: Connection.self), code)
    }

    /// Takes over what was opened; false: there is no descriptor after all.
    func takeOver(_ connection: ConnectionPointer) -> Bool {
        guard let handle = connection.pointee.handle, handle.activeSocket >= 0 else { return false }
        let descriptor = handle.activeSocket
        connection.pointee.opening = ConnectionOpening(handle)
        connection.pointee.peer = PeerAddress(handle.bytes(CURLINFO_PRIMARY_IP))
        connection.pointee.isNew = true
        connection.pointee.descriptor = descriptor
        if let session = connection.pointee.session {
            tb_ssl_take_over(session, descriptor)
        } else {
            hangUp(connection)
        }
        return true
    }

    /// libcurl is done with it: an attempt that failed or is given up, or a session at its end.
    func hangUp(_ connection: ConnectionPointer) {
        guard let handle = connection.pointee.handle else { return }
        connection.pointee.handle = nil
        multi.remove(handle)
        spare.append(handle)
    }

    func tearDown() {
        for handle in spare { handle.cleanup() }
        spare = []
    }
}
