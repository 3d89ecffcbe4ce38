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
        plan.target.templates = target.templates.map(resolved)
        for index in plan.target.headers.indices {
            plan.target.headers[index].value = resolved(plan.target.headers[index].value)
        }
        if var renewal = auth?.renewal {
            renewal.url = resolved(renewal.url)
            for index in renewal.headers.indices {
                renewal.headers[index].value = resolved(renewal.headers[index].value)
            }
            if var body = renewal.body {
                body.text = resolved(body.text)
                renewal.body = body
            }
            plan.auth?.renewal = renewal
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
