import CCurl
import Metrics

/// How one request went, in no transport's own words: what crosses the seam between a transport
/// and the reactor. The memory behind `prefix` and `notes` is the transport's and ends with the
/// call.
struct Exchange {
    struct Failure {
        var cause: FailureCause
        /// Of a timeout.
        var phase: TimeoutPhase?
        /// Tells kinds of one cause apart.
        var key: UInt32
        /// The transport's code and errno, for words when they are wanted.
        var code: UInt32
        var osError: Int
    }

    /// 0: no status line came.
    var status = 0
    /// Nil: an answer came, whole.
    var failure: Failure?
    /// Monotonic; 0: nothing was sent.
    var sentNS: UInt64 = 0
    var sendEndNS: UInt64 = 0
    var firstByteNS: UInt64 = 0
    /// When it was handed to the transport.
    var handedNS: UInt64 = 0
    /// It was not sent, because its token had been replaced by then.
    var isTakenBack = false
    /// The connection that was opened for it; nil: it went over an earlier one, or over none.
    var opening: ConnectionOpening?
    var wire = WireProtocol.http11
    var headBytes: UInt64 = 0
    var sentBytes: UInt64 = 0
    /// The body as it came over the wire, and as it is after unpacking.
    var wireBodyBytes: UInt64 = 0
    var bodyBytes: UInt64 = 0
    var facts = AnswerFacts()
    /// What the answer says about keeping it; nil where client caches go by no rules.
    var notes: UnsafePointer<AnswerNotes>?
    /// The other end's address, without its port; ends with the call too.
    var peer = UnsafeBufferPointer<UInt8>(start: nil, count: 0)
    /// Where a redirect leads.
    var redirectURL: String?
    /// The first bytes of the body, unpacked.
    var prefix = UnsafeBufferPointer<UInt8>(start: nil, count: 0)

    var hasSent: Bool { sentNS != 0 }
    var isNewConnection: Bool { opening != nil }
}

/// How a connection was opened; it counts from the moment TCP has it, whatever became of it.
struct ConnectionOpening {
    /// `address:port` of the other end.
    var address: String
    var nameLookupNS: UInt64
    var connectNS: UInt64
    /// Nil without TLS.
    var tlsNS: UInt64?

    /// Nil: libcurl's request opened none.
    init?(_ handle: CurlHandle) {
        guard handle.long(CURLINFO_NUM_CONNECTS) > 0 else { return nil }
        let named = handle.offset(CURLINFO_NAMELOOKUP_TIME_T)
        let connected = handle.offset(CURLINFO_CONNECT_TIME_T)
        guard connected > 0 else { return nil }
        let secured = handle.offset(CURLINFO_APPCONNECT_TIME_T)
        address = handle.remoteAddress
        nameLookupNS = UInt64(max(0, named)) &* 1000
        connectNS = UInt64(max(0, connected - named)) &* 1000
        if secured > 0 { tlsNS = UInt64(max(0, secured - connected)) &* 1000 }
    }
}

extension Exchange.Failure {
    /// A failure in libcurl's words, whoever met it.
    ///
    /// - Parameters:
    ///   - phase: where a timeout struck.
    ///   - hasSent: the request went out.
    ///   - hasAnswer: some of the answer came.
    init(
        _ code: CURLcode, osError: Int, phase: TimeoutPhase, hasSent: Bool, hasAnswer: Bool
    ) {
        var cause = CurlFailure.cause(
            code, osError: Int32(truncatingIfNeeded: osError), hasSent: hasSent,
            hasAnswer: hasAnswer)
        // An end without a status line is no HTTP.
        if code == CURLE_OK { cause = .protocol }
        let phase = cause == .timeout ? phase : nil
        self.init(
            cause: cause, phase: phase,
            key: UInt32(code.rawValue) << 16 | UInt32(phase?.rawValue ?? 0) << 12
                | UInt32(truncatingIfNeeded: osError & 0xFFF), code: UInt32(code.rawValue),
            osError: osError)
    }

    var text: String { CurlFailure.text(CURLcode(code), osError: osError) }
}
