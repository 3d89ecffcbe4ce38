import Workload

extension LoadRun {
    /// Sends the requests of `before`, one after another; a sentence when one of them is not
    /// answered as it has to be. They are in no books.
    func sendBefore() -> String? {
        let fetcher = OneShot(connection: plan.connection)
        let signals = signals
        for (index, before) in plan.before.enumerated() {
            let hook = before.request
            let answer = fetcher.fetch(
                OneShot.Request(before: hook, userAgent: plan.target.userAgent),
                isCancelled: { signals.isPending })
            if signals.isPending { return "interrupted" }
            let which = "before[\(index)], \(hook.method) \(hook.url)"
            if answer.isTimeout { return "\(which) was not answered in time" }
            if let failure = answer.failure { return "\(which) got no answer: \(failure)" }
            guard before.accepts(answer.status) else {
                let wanted =
                    before.statuses.isEmpty
                    ? "a 2xx" : before.statuses.map(String.init).joined(separator: " or ")
                return "\(which) was answered \(answer.status), not \(wanted)"
            }
        }
        return nil
    }
}

extension OneShot.Request {
    /// A request of `before`, as it is written.
    init(before hook: HookPlan, userAgent: String) {
        self.init(url: hook.url, timeoutNS: hook.timeoutNS)
        method = hook.method
        headers = hook.headers
        body = hook.body?.text
        if let content = hook.body { add("Content-Type", content.contentType) }
        add("User-Agent", userAgent)
    }
}
