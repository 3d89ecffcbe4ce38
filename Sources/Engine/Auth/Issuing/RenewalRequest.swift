package import Workload

extension OneShot.Request {
    /// The request that fetches a new token. It asks caches to stay out and names its sender as the
    /// tiles do.
    package init(renewal plan: RenewalPlan, userAgent: String, timeoutNS: UInt64) {
        self.init(url: plan.url, timeoutNS: timeoutNS)
        method = plan.method
        headers = plan.headers
        func add(_ name: String, _ value: String) {
            let isThere = headers.contains { $0.name.lowercasedASCII == name.lowercasedASCII }
            if !isThere { headers.append(HeaderPlan(name: name, value: value)) }
        }
        add("Cache-Control", "no-cache")
        add("User-Agent", userAgent)
        if let content = plan.body {
            body = content.text
            add("Content-Type", content.contentType)
        }
    }
}

extension TargetPlan {
    /// What tiles are asked with; renewals say the same.
    package var userAgent: String {
        headers.first { $0.name.lowercasedASCII == "user-agent" }?.value ?? "tilebench"
    }
}
