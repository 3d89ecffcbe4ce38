import CCurl
package import Workload

/// One request outside the load, on a connection of its own: the probe, the connections before a
/// run. Blocks its thread. Not thread-safe: each thread has its own.
package struct OneShot: Sendable {
    package struct Request: Sendable {
        package var url: String
        package var method = "GET"
        package var headers: [HeaderPlan] = []
        package var body: String?
        package var timeoutNS: UInt64
        /// Bytes of the body kept.
        package var bodyMax = 1 << 20
        /// True: a body is unpacked as it comes, and one longer than `bodyMax` ends the request.
        package var isBounded = false
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
        /// The request was about to leave.
        package var sentNS: UInt64 = 0
        package var firstByteNS: UInt64 = 0
        package var totalNS: UInt64 = 0
        /// What libcurl's cookie list holds now, where cookies are kept.
        package var cookies: [String] = []
        /// Nil: an answer came.
        package var failure: String?
        package var isTimeout = false
        /// The body was longer than `bodyMax`.
        package var isTooLong = false
        package var isTLSFailure = false
        /// HTTP/2 was agreed on when the connection was made (ALPN, RFC 7301).
        package var speaksHTTP2 = false

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
        var extras = Fetch.Extras()
        extras.keepsHead = true
        extras.isCancelled = isCancelled
        let fetch = Fetch(request, options: ConnectionOptions(connection), extras: extras)
        return fetch.end(curl_easy_perform(fetch.handle.raw))
    }
}
