import CCurl
import Glibc
package import Workload

/// The scenario's connection options on a libcurl handle: one place for tiles, renewals, probes
/// and the connections opened before the run.
package final class ConnectionOptions {
    private let plan: ConnectionPlan
    private let resolve: CurlList
    /// Options refused by this libcurl are reported before the run, not in the middle of it.
    package init(_ plan: ConnectionPlan) {
        self.plan = plan
        resolve = CurlList(
            plan.resolve.map { fixed in
                // Without a port in the scenario both usual ones are pinned.
                let addresses = fixed.addresses.joined(separator: ",")
                return "\(fixed.host):\(addresses)"
            })
    }

    /// Sets what stays the same for the life of a handle. `index` spreads handles over the source
    /// addresses.
    package func apply(to handle: CurlHandle, index: Int) {
        handle.set(CURLOPT_NOSIGNAL, true)
        // Without it libcurl reads http_proxy and friends of the environment.
        handle.set(CURLOPT_PROXY, text: plan.proxy ?? "")
        handle.set(CURLOPT_NOPROXY, text: "")
        handle.set(CURLOPT_TCP_NODELAY, true)
        handle.set(CURLOPT_HTTP_VERSION, tb_curl_http_version(plan.version == .http1 ? 1 : 2))
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
        applyTLS(to: handle)
        if let path = plan.unixSocket { handle.set(CURLOPT_UNIX_SOCKET_PATH, text: path) }
        if !plan.sourceAddresses.isEmpty {
            let address = plan.sourceAddresses[index % plan.sourceAddresses.count]
            handle.set(CURLOPT_INTERFACE, text: "host!\(address)")
        }
    }

    private func applyTLS(to handle: CurlHandle) {
        handle.set(CURLOPT_SSL_VERIFYPEER, plan.verifies)
        handle.set(CURLOPT_SSL_VERIFYHOST, plan.verifies ? 2 : 0)
        if let file = plan.caFile { handle.set(CURLOPT_CAINFO, text: file) }
        if let file = plan.certFile { handle.set(CURLOPT_SSLCERT, text: file) }
        if let file = plan.keyFile { handle.set(CURLOPT_SSLKEY, text: file) }
    }

    /// Cuts a connection's host out of the URL and gives it another name for TLS and Host.
    package static let acceptEncoding = "gzip, br, zstd"
}
