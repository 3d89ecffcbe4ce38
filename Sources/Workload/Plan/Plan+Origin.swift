import TileModel

extension Plan {
    /// The plan with the embedded origin's address, `http://host:port`, in the place of
    /// `${ORIGIN}`, and with its host inside the fence.
    package func resolvingOrigin(address: String) -> Plan {
        var plan = self
        func resolved(_ text: String) -> String {
            var result = ""
            var rest = text[...]
            while let dollar = rest.firstIndex(of: "$") {
                result += rest[..<dollar]
                if rest[dollar...].hasPrefix(Plan.originVariable) {
                    result += address
                    rest = rest[dollar...].dropFirst(Plan.originVariable.count)
                } else {
                    result += "$"
                    rest = rest[dollar...].dropFirst()
                }
            }
            return result + rest
        }
        for index in plan.target.sources.indices {
            plan.target.sources[index].templates = target.sources[index].templates.map(resolved)
        }
        for index in plan.target.headers.indices {
            plan.target.headers[index].value = resolved(plan.target.headers[index].value)
        }
        func resolve(_ url: inout String, _ headers: inout [HeaderPlan], _ text: inout String?) {
            url = resolved(url)
            for index in headers.indices { headers[index].value = resolved(headers[index].value) }
            text = text.map(resolved)
        }
        if var renewal = auth?.renewal {
            var body = renewal.body?.text
            resolve(&renewal.url, &renewal.headers, &body)
            if let body { renewal.body?.text = body }
            plan.auth?.renewal = renewal
        }
        for index in injections.indices {
            guard case .revoke(var hook) = injections[index].kind else { continue }
            var body = hook.body?.text
            resolve(&hook.url, &hook.headers, &body)
            if let body { hook.body?.text = body }
            plan.injections[index].kind = .revoke(hook)
        }
        for index in before.indices {
            var hook = before[index].request
            var body = hook.body?.text
            resolve(&hook.url, &hook.headers, &body)
            if let body { hook.body?.text = body }
            plan.before[index].request = hook
        }
        var host = address[...]
        if let colon = host.firstIndex(of: ":"), host[colon...].hasPrefix("://") {
            host = host[colon...].dropFirst(3)
        }
        let bare = host.prefix { $0 != "/" }.lowercased()
        if !plan.target.hosts.contains(bare) { plan.target.hosts.append(bare) }
        return plan
    }
}
