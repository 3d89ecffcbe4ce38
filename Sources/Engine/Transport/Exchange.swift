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
    var isNewConnection = false
    var wire = WireProtocol.http11
    /// Of a new connection.
    var nameLookupNS: UInt64?
    var connectNS: UInt64?
    var tlsNS: UInt64?
    var headBytes: UInt64 = 0
    var sentBytes: UInt64 = 0
    /// The body as it came over the wire, and as it is after unpacking.
    var wireBodyBytes: UInt64 = 0
    var bodyBytes: UInt64 = 0
    var facts = AnswerFacts()
    /// What the answer says about keeping it; nil where client caches go by no rules.
    var notes: UnsafePointer<AnswerNotes>?
    /// The other end of a new connection.
    var address: String?
    /// Where a redirect leads.
    var redirectURL: String?
    /// The first bytes of the body, unpacked.
    var prefix = UnsafeBufferPointer<UInt8>(start: nil, count: 0)

    var hasSent: Bool { sentNS != 0 }
}
