package import CCurl
import Glibc

/// libcurl's setters with Swift's types; each aborts on a refusal, because an option that libcurl
/// does not know is a fault of this build, never of the input.
package struct CurlHandle: @unchecked Sendable {
    // Sendable: a handle is used by one thread at a time; its owner says which.
    package let easy: OpaquePointer

    /// Once per process, before any thread.
    package static let initialise: Void = {
        precondition(tb_curl_global_init() == CURLE_OK, "libcurl cannot be initialised")
    }()

    package init() {
        _ = Self.initialise
        guard let easy = curl_easy_init() else { fatalError("out of memory for a curl handle") }
        self.easy = OpaquePointer(easy)
    }

    package var raw: UnsafeMutableRawPointer { UnsafeMutableRawPointer(easy) }

    package func cleanup() { curl_easy_cleanup(raw) }

    @inline(__always)
    package func set(_ option: CURLoption, _ value: Int) {
        check(tb_curl_set_long(raw, option, value), option)
    }

    @inline(__always)
    package func set(_ option: CURLoption, _ value: Bool) { set(option, value ? 1 : 0) }

    @inline(__always)
    package func set(_ option: CURLoption, _ value: UnsafePointer<CChar>?) {
        check(tb_curl_set_text(raw, option, value), option)
    }

    package func set(_ option: CURLoption, text: String) {
        text.withCString { set(option, $0) }
    }

    @inline(__always)
    package func set(_ option: CURLoption, pointer: UnsafeMutableRawPointer?) {
        check(tb_curl_set_pointer(raw, option, pointer), option)
    }

    package func set(_ option: CURLoption, list: UnsafeMutablePointer<curl_slist>?) {
        check(tb_curl_set_list(raw, option, list), option)
    }

    package func set(_ option: CURLoption, callback: tb_curl_data_callback) {
        check(tb_curl_set_data_callback(raw, option, callback), option)
    }

    @inline(__always)
    package func long(_ info: CURLINFO) -> Int {
        var value = 0
        tb_curl_get_long(raw, info, &value)
        return value
    }

    @inline(__always)
    package func offset(_ info: CURLINFO) -> Int64 {
        var value: curl_off_t = 0
        tb_curl_get_off(raw, info, &value)
        return Int64(value)
    }

    package func text(_ info: CURLINFO) -> String {
        var value: UnsafeMutablePointer<CChar>?
        tb_curl_get_text(raw, info, &value)
        return value.map { String(cString: $0) } ?? ""
    }

    /// As `text`, where libcurl keeps it: until the handle's next transfer.
    @inline(__always)
    package func bytes(_ info: CURLINFO) -> UnsafeBufferPointer<UInt8> {
        var value: UnsafeMutablePointer<CChar>?
        tb_curl_get_text(raw, info, &value)
        guard let value else { return UnsafeBufferPointer(start: nil, count: 0) }
        let count = strlen(value)
        return UnsafeBufferPointer(
            start: UnsafeRawPointer(value).assumingMemoryBound(to: UInt8.self), count: count)
    }

    /// `address:port` of the other end, an IPv6 address in brackets; empty without a connection.
    package var remoteAddress: String {
        let address = text(CURLINFO_PRIMARY_IP)
        if address.isEmpty { return "" }
        let port = long(CURLINFO_PRIMARY_PORT)
        return address.contains(":") ? "[\(address)]:\(port)" : "\(address):\(port)"
    }

    /// The descriptor of a connection that was only to be opened; -1: there is none.
    var activeSocket: curl_socket_t {
        var socket: curl_socket_t = -1
        tb_curl_get_socket(raw, &socket)
        return socket
    }

    /// Connected, but the TLS session is not there yet.
    var isInHandshake: Bool {
        offset(CURLINFO_CONNECT_TIME_T) > 0 && offset(CURLINFO_APPCONNECT_TIME_T) == 0
            && text(CURLINFO_SCHEME).lowercasedASCII == "https"
    }

    /// The cookies it knows, each as a line that `CURLOPT_COOKIELIST` takes.
    package var cookies: [String] {
        var list: UnsafeMutablePointer<curl_slist>?
        tb_curl_get_list(raw, CURLINFO_COOKIELIST, &list)
        defer { curl_slist_free_all(list) }
        var lines: [String] = []
        var next = list
        while let node = next {
            lines.append(String(cString: node.pointee.data))
            next = node.pointee.next
        }
        return lines
    }

    private func check(_ code: CURLcode, _ option: CURLoption) {
        precondition(
            code == CURLE_OK, "libcurl refuses option \(option.rawValue): \(code.rawValue)")
    }
}

/// A list of header lines or fixed addresses for libcurl, freed with its owner.
package final class CurlList {
    package private(set) var head: UnsafeMutablePointer<curl_slist>?

    package init(_ lines: [String]) {
        for line in lines { head = curl_slist_append(head, line) }
    }

    deinit { curl_slist_free_all(head) }
}
