import CCurl
import COpenSSL
import Glibc
import Metrics
package import Workload

/// One request outside the load, on a connection of its own: renewals, the probe. Blocks its
/// thread. Not thread-safe: each thread has its own.
package struct OneShot: Sendable {
    package struct Request: Sendable {
        package var url: String
        package var method = "GET"
        package var headers: [HeaderPlan] = []
        package var body: String?
        package var timeoutNS: UInt64
        /// Bytes of the body kept.
        package var bodyMax = 1 << 20
        /// True: only the connection is made.
        package var connectOnly = false

        package init(url: String, timeoutNS: UInt64) {
            self.url = url
            self.timeoutNS = timeoutNS
        }
    }

    /// What came back, or why nothing did.
    package struct Answer: Sendable {
        /// 0: no answer.
        package var status = 0
        package var headers: [(name: String, value: String)] = []
        /// At most `bodyMax` bytes, as received.
        package var body: [UInt8] = []
        package var bodyBytes = 0
        /// The request as it went out, header lines without the body.
        package var sentHead = ""
        package var address = ""
        package var version = ""
        package var tls = ""
        /// Cumulative from the start in ns; 0: did not happen.
        package var nameLookupNS: UInt64 = 0
        package var connectNS: UInt64 = 0
        package var tlsNS: UInt64 = 0
        package var firstByteNS: UInt64 = 0
        package var totalNS: UInt64 = 0
        /// Nil: an answer came.
        package var failure: String?
        package var isTimeout = false
        package var isTLSFailure = false

        package init() {}

        package func header(_ name: String) -> String? {
            headers.first { $0.name.lowercasedASCII == name.lowercasedASCII }?.value
        }
    }

    private let connection: ConnectionPlan

    package init(connection: ConnectionPlan) {
        self.connection = connection
    }

    package func fetch(
        _ request: Request, isCancelled: @escaping @Sendable () -> Bool = { false }
    ) -> Answer {
        let handle = CurlHandle()
        defer { handle.cleanup() }
        let fetch = OneShotFetch(bodyMax: request.bodyMax, isCancelled: isCancelled)
        let options = ConnectionOptions(connection)
        options.apply(to: handle, index: 0)
        // A renewal that libcurl repeats silently on a dead connection would be two at the server.
        handle.set(CURLOPT_FRESH_CONNECT, true)
        handle.set(CURLOPT_FORBID_REUSE, true)
        handle.set(CURLOPT_URL, text: request.url)
        handle.set(CURLOPT_PROTOCOLS_STR, text: "http,https")
        handle.set(CURLOPT_TIMEOUT_MS, Int(max(1, request.timeoutNS / 1_000_000)))
        handle.set(CURLOPT_CERTINFO, true)
        if request.connectOnly { handle.set(CURLOPT_CONNECT_ONLY, 1) }
        let lines = CurlList(Self.headerLines(request))
        handle.set(CURLOPT_HTTPHEADER, list: lines.head)
        Self.setMethod(request, on: handle)
        return withExtendedLifetime((fetch, options, lines)) {
            fetch.attach(to: handle)
            let code = curl_easy_perform(handle.raw)
            return fetch.answer(handle, code: code)
        }
    }

    private static func headerLines(_ request: Request) -> [String] {
        // libcurl asks for "100-continue" before larger bodies: a pause no client here wants.
        var lines = ["Expect:"]
        for header in request.headers {
            lines.append(
                header.value.isEmpty ? "\(header.name);" : "\(header.name): \(header.value)")
        }
        return lines
    }

    private static func setMethod(_ request: Request, on handle: CurlHandle) {
        if let body = request.body {
            handle.set(CURLOPT_POSTFIELDSIZE, body.utf8.count)
            handle.set(CURLOPT_COPYPOSTFIELDS, text: body)
        } else if request.method == "POST" {
            handle.set(CURLOPT_POSTFIELDSIZE, 0)
            handle.set(CURLOPT_COPYPOSTFIELDS, text: "")
        } else if request.method == "HEAD" {
            handle.set(CURLOPT_NOBODY, true)
        }
        if !["GET", "HEAD"].contains(request.method) || request.body != nil {
            handle.set(CURLOPT_CUSTOMREQUEST, text: request.method)
        }
    }
}

/// What libcurl's callbacks fill in during one `OneShot`.
private final class OneShotFetch {
    let bodyMax: Int
    let isCancelled: @Sendable () -> Bool
    var answer = OneShot.Answer()
    private var easy: UnsafeMutableRawPointer?
    /// libcurl writes the particulars of a failure here: hosts, ports and causes, never a URL.
    private let words = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))

    deinit { words.deallocate() }

    init(bodyMax: Int, isCancelled: @escaping @Sendable () -> Bool) {
        self.bodyMax = bodyMax
        self.isCancelled = isCancelled
    }

    func attach(to handle: CurlHandle) {
        easy = handle.raw
        words[0] = 0
        handle.set(CURLOPT_ERRORBUFFER, pointer: words)
        let context = Unmanaged.passUnretained(self).toOpaque()
        handle.set(CURLOPT_WRITEDATA, pointer: context)
        handle.set(CURLOPT_WRITEFUNCTION) { data, size, count, context in
            guard let data, let context else { return 0 }
            let fetch = Unmanaged<OneShotFetch>.fromOpaque(context).takeUnretainedValue()
            let length = size &* count
            fetch.answer.bodyBytes += length
            let kept = min(length, fetch.bodyMax - fetch.answer.body.count)
            UnsafeRawBufferPointer(start: data, count: kept).withMemoryRebound(to: UInt8.self) {
                fetch.answer.body.append(contentsOf: $0)
            }
            return length
        }
        handle.set(CURLOPT_HEADERDATA, pointer: context)
        handle.set(CURLOPT_HEADERFUNCTION) { data, size, count, context in
            guard let data, let context else { return 0 }
            let fetch = Unmanaged<OneShotFetch>.fromOpaque(context).takeUnretainedValue()
            fetch.header(UnsafeRawBufferPointer(start: data, count: size &* count))
            return size &* count
        }
        handle.set(CURLOPT_XFERINFODATA, pointer: context)
        tb_curl_set_progress(handle.raw) { context, _, _, _, _ in
            guard let context else { return 0 }
            return Unmanaged<OneShotFetch>.fromOpaque(context).takeUnretainedValue().isCancelled()
                ? 1 : 0
        }
        handle.set(CURLOPT_NOPROGRESS, false)
        handle.set(CURLOPT_DEBUGDATA, pointer: context)
        tb_curl_set_debug(handle.raw) { _, kind, data, length, context in
            guard let data, let context, kind == CURLINFO_HEADER_OUT else { return 0 }
            let fetch = Unmanaged<OneShotFetch>.fromOpaque(context).takeUnretainedValue()
            fetch.answer.sentHead += String(
                decoding: UnsafeRawBufferPointer(start: data, count: length), as: UTF8.self)
            return 0
        }
        handle.set(CURLOPT_VERBOSE, true)
    }

    /// The TLS session lives as long as the transfer, so it is asked while headers come.
    private func readTLS() {
        var pointer: UnsafeMutableRawPointer?
        tb_curl_get_pointer(easy, CURLINFO_TLS_SSL_PTR, &pointer)
        guard let info = pointer?.assumingMemoryBound(to: curl_tlssessioninfo.self).pointee,
            info.backend == CURLSSLBACKEND_OPENSSL, let internals = info.internals
        else { return }
        let session = OpaquePointer(internals)
        guard let version = SSL_get_version(session) else { return }
        answer.tls = String(cString: version)
        if let name = SSL_CIPHER_get_name(SSL_get_current_cipher(session)) {
            answer.tls += ", \(String(cString: name))"
        }
    }

    private func header(_ line: UnsafeRawBufferPointer) {
        if answer.tls.isEmpty { readTLS() }
        let text = String(decoding: line, as: UTF8.self).trimmedASCII
        if text.utf8.starts(with: "HTTP/".utf8) {
            answer.headers = []
        } else if let colon = text.firstIndex(of: ":") {
            let value = String(text[text.index(after: colon)...]).trimmedASCII
            answer.headers.append((String(text[..<colon]), value))
        }
    }

    func answer(_ handle: CurlHandle, code: CURLcode) -> OneShot.Answer {
        answer.status = handle.long(CURLINFO_RESPONSE_CODE)
        answer.address = handle.remoteAddress
        switch handle.long(CURLINFO_HTTP_VERSION) {
        case Int(CURL_HTTP_VERSION_2_0): answer.version = "HTTP/2"
        case Int(CURL_HTTP_VERSION_1_0): answer.version = "HTTP/1.0"
        case Int(CURL_HTTP_VERSION_1_1): answer.version = "HTTP/1.1"
        default: answer.version = ""
        }
        func ns(_ info: CURLINFO) -> UInt64 { UInt64(max(0, handle.offset(info))) * 1000 }
        answer.nameLookupNS = ns(CURLINFO_NAMELOOKUP_TIME_T)
        answer.connectNS = ns(CURLINFO_CONNECT_TIME_T)
        answer.tlsNS = ns(CURLINFO_APPCONNECT_TIME_T)
        answer.firstByteNS = ns(CURLINFO_STARTTRANSFER_TIME_T)
        answer.totalNS = ns(CURLINFO_TOTAL_TIME_T)
        if code != CURLE_OK {
            let osError = handle.long(CURLINFO_OS_ERRNO)
            answer.failure =
                words[0] == 0 || code == CURLE_ABORTED_BY_CALLBACK
                ? CurlFailure.text(code, osError: osError)
                : String(cString: words) + CurlFailure.systemText(code, osError: osError)
            answer.isTimeout = code == CURLE_OPERATION_TIMEDOUT
            answer.isTLSFailure =
                CurlFailure.cause(code, osError: 0, hasSent: false, hasAnswer: false) == .tls
        }
        return answer
    }
}
