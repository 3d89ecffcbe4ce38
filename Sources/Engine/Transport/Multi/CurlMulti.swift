import CCurl
import CLinux
import Glibc

/// libcurl's multi interface on the reactor's epoll. A reactor has one for every few dozen slots,
/// because libcurl searches a multi's connections one by one (1,000 in one multi cost 44 us of CPU
/// a request, 64 cost 16). Reactor thread only.
final class CurlMulti {
    let multi: UnsafeMutableRawPointer
    private let loop: EventLoop
    private let number: UInt64
    /// Monotonic ns of libcurl's timer; `.max`: none.
    private(set) var timerNS: UInt64 = .max
    /// Was given handles in this turn.
    var isTouched = false

    init(
        number: Int, loop: EventLoop, connectionsPerHostMax: Int?, streamsMax: Int,
        isMultiplexed: Bool, connectionsKept: Int
    ) {
        guard let multi = curl_multi_init() else { fatalError("out of memory for a curl multi") }
        self.multi = multi
        self.loop = loop
        self.number = UInt64(number)
        let context = Unmanaged.passUnretained(self).toOpaque()
        tb_curl_multi_set_pointer(multi, CURLMOPT_SOCKETDATA, context)
        tb_curl_multi_set_socket_callback(multi) { _, socket, what, context, known in
            guard let context else { return 0 }
            let owner = Unmanaged<CurlMulti>.fromOpaque(context)
            owner._withUnsafeGuaranteedRef { $0.watch(socket, what, isKnown: known != nil) }
            return 0
        }
        tb_curl_multi_set_pointer(multi, CURLMOPT_TIMERDATA, context)
        tb_curl_multi_set_timer_callback(multi) { _, milliseconds, context in
            guard let context else { return 0 }
            Unmanaged<CurlMulti>.fromOpaque(context)
                ._withUnsafeGuaranteedRef { $0.setTimer(milliseconds) }
            return 0
        }
        tb_curl_multi_set_long(
            multi, CURLMOPT_PIPELINING, isMultiplexed ? Int(CURLPIPE_MULTIPLEX) : 0)
        tb_curl_multi_set_long(multi, CURLMOPT_MAX_CONCURRENT_STREAMS, streamsMax)
        tb_curl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, connectionsKept)
        if let most = connectionsPerHostMax {
            tb_curl_multi_set_long(multi, CURLMOPT_MAX_HOST_CONNECTIONS, most)
        }
    }

    deinit { curl_multi_cleanup(multi) }

    private func watch(_ socket: curl_socket_t, _ what: Int32, isKnown: Bool) {
        if what == CURL_POLL_REMOVE {
            loop.control(EPOLL_CTL_DEL, socket, 0, key: 0)
            return
        }
        var events: UInt32 = 0
        if what & CURL_POLL_IN != 0 { events |= EPOLLIN.rawValue }
        if what & CURL_POLL_OUT != 0 { events |= EPOLLOUT.rawValue }
        let key = number << 32 | UInt64(UInt32(bitPattern: socket))
        if !loop.control(isKnown ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, socket, events, key: key) {
            // A descriptor that was closed and opened again behind our back is the other case.
            let isWatched = loop.control(
                isKnown ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, socket, events, key: key)
            precondition(isWatched, "epoll refuses a descriptor: \(errno)")
        }
        if !isKnown {
            // Any non-null pointer: it comes back as `known` in later calls.
            curl_multi_assign(multi, socket, UnsafeMutableRawPointer(bitPattern: 1))
        }
    }

    private func setTimer(_ milliseconds: Int) {
        timerNS =
            milliseconds < 0
            ? .max : MonotonicClock.nowNS() &+ UInt64(milliseconds) &* 1_000_000
    }

    func add(_ handle: CurlHandle) {
        let code = curl_multi_add_handle(multi, handle.raw)
        precondition(code == CURLM_OK, "libcurl takes no handle: \(code.rawValue)")
    }

    func remove(_ handle: CurlHandle) {
        curl_multi_remove_handle(multi, handle.raw)
    }

    /// Lets libcurl act on its timer, which also starts what was added.
    func runTimer() {
        timerNS = .max
        var running: Int32 = 0
        curl_multi_socket_action(multi, CURL_SOCKET_TIMEOUT, 0, &running)
    }

    func run(socket: curl_socket_t, epollEvents events: UInt32) {
        var what: Int32 = 0
        if events & EPOLLIN.rawValue != 0 { what |= CURL_CSELECT_IN }
        if events & EPOLLOUT.rawValue != 0 { what |= CURL_CSELECT_OUT }
        if events & (EPOLLERR.rawValue | EPOLLHUP.rawValue) != 0 { what |= CURL_CSELECT_ERR }
        var running: Int32 = 0
        curl_multi_socket_action(multi, socket, what, &running)
    }

    /// The next finished transfer. It is taken out of the multi; its message dies with that.
    func nextFinished() -> (easy: UnsafeMutableRawPointer, code: CURLcode)? {
        guard let (easy, code) = nextDone() else { return nil }
        curl_multi_remove_handle(multi, easy)
        return (easy, code)
    }

    /// The next finished transfer, which stays: to take it out would close the connection of one
    /// that was only to connect.
    func nextDone() -> (easy: UnsafeMutableRawPointer, code: CURLcode)? {
        var left: Int32 = 0
        while let message = curl_multi_info_read(multi, &left) {
            guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle
            else { continue }
            return (easy, tb_curl_message_result(message))
        }
        return nil
    }
}
