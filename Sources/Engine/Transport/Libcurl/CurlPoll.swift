import CCurl

/// libcurl's multi interface with its own waiting, for a few transfers that need no epoll.
final class CurlPoll: @unchecked Sendable {
    // Sendable: one thread owns it; `wake` alone is for all.
    private let multi: UnsafeMutableRawPointer

    init() {
        _ = CurlHandle.initialise
        guard let multi = curl_multi_init() else { fatalError("out of memory for a curl multi") }
        self.multi = multi
    }

    deinit { curl_multi_cleanup(multi) }

    func add(_ handle: CurlHandle) {
        let code = curl_multi_add_handle(multi, handle.raw)
        precondition(code == CURLM_OK, "libcurl takes no handle: \(code.rawValue)")
    }

    func remove(_ handle: CurlHandle) {
        curl_multi_remove_handle(multi, handle.raw)
    }

    /// Ends the wait under way, or the next one. Any thread.
    func wake() { curl_multi_wakeup(multi) }

    /// Until something can be done, somebody wakes it, or the time is over.
    func wait(milliseconds: Int32) {
        let code = curl_multi_poll(multi, nil, 0, milliseconds, nil)
        precondition(code == CURLM_OK, "libcurl cannot wait: \(code.rawValue)")
    }

    /// Lets libcurl do what can be done now.
    func perform() {
        var running: Int32 = 0
        let code = curl_multi_perform(multi, &running)
        precondition(code == CURLM_OK, "libcurl cannot go on: \(code.rawValue)")
    }

    /// The next finished transfer. It is taken out of the multi; its message dies with that.
    func nextFinished() -> (easy: UnsafeMutableRawPointer, code: CURLcode)? {
        var left: Int32 = 0
        while let message = curl_multi_info_read(multi, &left) {
            guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle
            else { continue }
            let code = tb_curl_message_result(message)
            curl_multi_remove_handle(multi, easy)
            return (easy, code)
        }
        return nil
    }
}
