import CCurl
import COpenSSL
import Glibc
import Metrics
import Workload

/// One request outside the load on a libcurl handle of its own, and what libcurl's callbacks make
/// of its answer: `OneShot` waits for one, the renewal desk has many under way. The connection is a
/// new one and is closed after it, since a request that libcurl repeats silently on a dead
/// connection would be two at the server. One thread at a time.
final class Fetch {
    /// What else is wanted beside the answer.
    struct Extras {
        /// The request's own head and the particulars of TLS.
        var keepsHead = false
        /// Asked while the request is under way; true ends it.
        var isCancelled: (@Sendable () -> Bool)?
        /// Lines of libcurl's cookie list, which the answer's cookies join; nil: no cookies.
        var cookies: [String]?
    }

    let handle = CurlHandle()
    private let bodyMax: Int
    private let isBounded: Bool
    private let extras: Extras
    private var answer = OneShot.Answer()
    /// What the handle points at.
    private let options: ConnectionOptions
    private let lines: CurlList
    /// libcurl writes the particulars of a failure here: hosts, ports and causes, never a URL.
    private let words = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
    private let watch = UnsafeMutablePointer<tb_ssl_watch>.allocate(capacity: 1)

    init(_ request: OneShot.Request, options: ConnectionOptions, extras: Extras) {
        bodyMax = request.bodyMax
        isBounded = request.isBounded
        self.extras = extras
        self.options = options
        // libcurl asks for "100-continue" before larger bodies: a pause no client here wants.
        var headerLines = ["Expect:"]
        for header in request.headers where !Self.isMerged(header, extras) {
            headerLines.append(
                header.value.isEmpty ? "\(header.name);" : "\(header.name): \(header.value)")
        }
        lines = CurlList(headerLines)
        words[0] = 0
        watch.initialize(to: tb_ssl_watch())
        options.apply(to: handle, index: 0, watch: watch)
        handle.set(CURLOPT_FRESH_CONNECT, true)
        handle.set(CURLOPT_FORBID_REUSE, true)
        handle.set(CURLOPT_URL, text: request.url)
        handle.set(CURLOPT_PROTOCOLS_STR, text: "http,https")
        // Else the end of a request waits for a name look-up that hangs.
        handle.set(CURLOPT_QUICK_EXIT, true)
        handle.set(CURLOPT_TIMEOUT_MS, Int(max(1, request.timeoutNS / 1_000_000)))
        // "": whatever libcurl can unpack.
        if request.isBounded { handle.set(CURLOPT_ACCEPT_ENCODING, text: "") }
        if request.connectOnly {
            handle.set(CURLOPT_CONNECT_ONLY, 1)
            handle.set(CURLOPT_SSL_ENABLE_ALPN, false)
            watch.pointee.offers_http2 = options.offersHTTP2
        }
        handle.set(CURLOPT_HTTPHEADER, list: lines.head)
        handle.set(CURLOPT_ERRORBUFFER, pointer: words)
        setMethod(request)
        setCookies(request)
        attach()
    }

    deinit {
        handle.cleanup()
        words.deallocate()
        watch.deallocate()
    }

    /// The scenario's own cookies go with those of the server in one line.
    private static func isMerged(_ header: HeaderPlan, _ extras: Extras) -> Bool {
        extras.cookies != nil && header.name.lowercasedASCII == "cookie"
    }

    private func setMethod(_ request: OneShot.Request) {
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

    private func setCookies(_ request: OneShot.Request) {
        guard let cookies = extras.cookies else { return }
        // An empty name reads no file and switches the engine on.
        handle.set(CURLOPT_COOKIEFILE, text: "")
        for line in cookies { handle.set(CURLOPT_COOKIELIST, text: line) }
        let own = request.headers.filter { Self.isMerged($0, extras) }.map(\.value)
        if !own.isEmpty { handle.set(CURLOPT_COOKIE, text: own.joined(separator: "; ")) }
    }

    // MARK: callbacks

    private func attach() {
        let context = Unmanaged.passUnretained(self).toOpaque()
        handle.set(CURLOPT_PRIVATE, pointer: context)
        handle.set(CURLOPT_WRITEDATA, pointer: context)
        handle.set(CURLOPT_WRITEFUNCTION) { data, size, count, context in
            guard let data, let context else { return 0 }
            let fetch = Unmanaged<Fetch>.fromOpaque(context).takeUnretainedValue()
            let isTaken = fetch.body(UnsafeRawBufferPointer(start: data, count: size &* count))
            return isTaken ? size &* count : 0
        }
        handle.set(CURLOPT_HEADERDATA, pointer: context)
        handle.set(CURLOPT_HEADERFUNCTION) { data, size, count, context in
            guard let data, let context else { return 0 }
            let fetch = Unmanaged<Fetch>.fromOpaque(context).takeUnretainedValue()
            fetch.header(UnsafeRawBufferPointer(start: data, count: size &* count))
            return size &* count
        }
        if extras.isCancelled != nil { attachCancelling(context) }
        if extras.keepsHead { attachHead(context) }
    }

    private func attachCancelling(_ context: UnsafeMutableRawPointer) {
        handle.set(CURLOPT_XFERINFODATA, pointer: context)
        tb_curl_set_progress(handle.raw) { context, _, _, _, _ in
            guard let context else { return 0 }
            let fetch = Unmanaged<Fetch>.fromOpaque(context).takeUnretainedValue()
            return fetch.extras.isCancelled?() == true ? 1 : 0
        }
        handle.set(CURLOPT_NOPROGRESS, false)
    }

    private func attachHead(_ context: UnsafeMutableRawPointer) {
        handle.set(CURLOPT_DEBUGDATA, pointer: context)
        tb_curl_set_debug(handle.raw) { _, kind, data, length, context in
            guard let data, let context, kind == CURLINFO_HEADER_OUT else { return 0 }
            let fetch = Unmanaged<Fetch>.fromOpaque(context).takeUnretainedValue()
            fetch.answer.sentHead += String(
                decoding: UnsafeRawBufferPointer(start: data, count: length), as: UTF8.self)
            return 0
        }
        handle.set(CURLOPT_VERBOSE, true)
    }

    /// False: it is enough.
    private func body(_ bytes: UnsafeRawBufferPointer) -> Bool {
        answer.bodyBytes += bytes.count
        answer.isTooLong = answer.bodyBytes > bodyMax
        guard !(isBounded && answer.isTooLong) else { return false }
        answer.body.append(contentsOf: bytes.prefix(bodyMax - answer.body.count))
        return true
    }

    private func header(_ line: UnsafeRawBufferPointer) {
        if extras.keepsHead, answer.tls.isEmpty { readTLS() }
        let text = String(decoding: line, as: UTF8.self).trimmedASCII
        if text.utf8.starts(with: "HTTP/".utf8) {
            answer.headers = []
        } else if let colon = text.firstIndex(of: ":") {
            let value = String(text[text.index(after: colon)...]).trimmedASCII
            answer.headers.append((String(text[..<colon]), value))
        }
    }

    /// The TLS session lives as long as the transfer, so it is asked while headers come.
    private func readTLS() {
        guard let session = watch.pointee.session, let version = SSL_get_version(session)
        else { return }
        answer.tls = String(cString: version)
        if let name = SSL_CIPHER_get_name(SSL_get_current_cipher(session)) {
            answer.tls += ", \(String(cString: name))"
        }
    }

    // MARK: the end

    /// What came of it, once libcurl has ended it with `code`.
    func end(_ code: CURLcode) -> OneShot.Answer {
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
        answer.sentNS = ns(CURLINFO_PRETRANSFER_TIME_T)
        answer.firstByteNS = ns(CURLINFO_STARTTRANSFER_TIME_T)
        answer.totalNS = ns(CURLINFO_TOTAL_TIME_T)
        answer.speaksHTTP2 = watch.pointee.chose_http2
        if extras.cookies != nil { answer.cookies = handle.cookies }
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
