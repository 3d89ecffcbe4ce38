import CCurl
import COpenSSL
import Glibc
package import Workload

/// The scenario's connection options on a libcurl handle: one place for tiles, renewals, probes
/// and the connections opened before the run.
package final class ConnectionOptions {
    private let plan: ConnectionPlan
    private let resolve: CurlList
    /// `server_name` as C text, which the TLS contexts point at; nil: the URL's own.
    private let serverName: UnsafeMutablePointer<CChar>?
    /// For handles whose sessions nobody asks for.
    private let watch: UnsafeMutablePointer<tb_ssl_watch>

    package init(_ plan: ConnectionPlan) {
        self.plan = plan
        serverName = plan.serverName.map { strdup($0) } ?? nil
        watch = .allocate(capacity: 1)
        watch.initialize(to: tb_ssl_watch())
        watch.pointee.name = serverName.map { UnsafePointer($0) }
        resolve = CurlList(plan.resolve.flatMap(Self.resolveLines))
    }

    deinit {
        watch.deallocate()
        Glibc.free(serverName)
    }

    /// libcurl wants a port with each name; one without stands for both usual ones and for those
    /// that the scenario's hosts carry.
    private static func resolveLines(_ fixed: ConnectionPlan.FixedAddress) -> [String] {
        let addresses = fixed.addresses.joined(separator: ",")
        let isBracketed = fixed.host.last == "]"
        if !isBracketed, fixed.host.contains(":") { return ["\(fixed.host):\(addresses)"] }
        return fixed.ports.map { "\(fixed.host):\($0):\(addresses)" }
    }

    /// Over TLS the server may choose HTTP/2.
    var offersHTTP2: Bool { plan.version != .http1 }

    /// Sets what stays the same for the life of a handle. `index` spreads handles over the source
    /// addresses.
    package func apply(to handle: CurlHandle, index: Int) {
        apply(to: handle, index: index, watch: nil)
    }

    /// The same; the TLS session is put into `watch`, which must live as long as the connection.
    func apply(
        to handle: CurlHandle, index: Int, watch: UnsafeMutablePointer<tb_ssl_watch>?
    ) {
        handle.set(CURLOPT_NOSIGNAL, true)
        // Without it libcurl reads http_proxy and friends of the environment.
        handle.set(CURLOPT_PROXY, text: plan.proxy ?? "")
        handle.set(CURLOPT_NOPROXY, text: "")
        handle.set(CURLOPT_TCP_NODELAY, true)
        handle.set(CURLOPT_HTTP_VERSION, tb_curl_http_version(plan.version == .http1))
        handle.set(CURLOPT_SSL_ENABLE_ALPN, plan.version != .http1)
        switch plan.family {
        case .any: handle.set(CURLOPT_IPRESOLVE, Int(CURL_IPRESOLVE_WHATEVER))
        case .v4: handle.set(CURLOPT_IPRESOLVE, Int(CURL_IPRESOLVE_V4))
        case .v6: handle.set(CURLOPT_IPRESOLVE, Int(CURL_IPRESOLVE_V6))
        }
        if resolve.head != nil { handle.set(CURLOPT_RESOLVE, list: resolve.head) }
        if case .ttl(let seconds) = plan.dns { handle.set(CURLOPT_DNS_CACHE_TIMEOUT, seconds) }
        handle.set(CURLOPT_FORBID_REUSE, !plan.reuses)
        handle.set(CURLOPT_FRESH_CONNECT, !plan.reuses)
        applyTLS(to: handle, watch)
        if let path = plan.unixSocket { handle.set(CURLOPT_UNIX_SOCKET_PATH, text: path) }
        if !plan.sourceAddresses.isEmpty {
            let address = plan.sourceAddresses[index % plan.sourceAddresses.count]
            handle.set(CURLOPT_INTERFACE, text: "host!\(address)")
        }
    }

    private func applyTLS(
        to handle: CurlHandle, _ watch: UnsafeMutablePointer<tb_ssl_watch>?
    ) {
        handle.set(CURLOPT_SSL_VERIFYPEER, plan.verifies)
        handle.set(CURLOPT_SSL_VERIFYHOST, plan.verifies && serverName == nil ? 2 : 0)
        watch?.pointee.name = serverName.map { UnsafePointer($0) }
        if watch != nil || serverName != nil {
            handle.set(CURLOPT_SSL_CTX_DATA, pointer: UnsafeMutableRawPointer(watch ?? self.watch))
            tb_curl_set_ssl_context(handle.raw) { _, context, watch in
                tb_ssl_watch_context(
                    context, watch?.assumingMemoryBound(to: tb_ssl_watch.self))
                return CURLE_OK
            }
        }
        if let file = plan.caFile { handle.set(CURLOPT_CAINFO, text: file) }
        if let file = plan.certFile { handle.set(CURLOPT_SSLCERT, text: file) }
        if let file = plan.keyFile { handle.set(CURLOPT_SSLKEY, text: file) }
    }

    /// What bodies may be packed in.
    package static let acceptEncoding = "gzip, br, zstd"
}
