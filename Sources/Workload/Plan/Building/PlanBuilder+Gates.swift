import JSONText
import Metrics

extension PlanBuilder {
    mutating func buildGates(_ root: Section) {
        plan.gates = elements(root, "gates").compactMap { gate($0, canWait: false) }
        plan.abortWhen = elements(root, "abort_when").compactMap { gate($0, canWait: true) }
    }

    /// One text stands for an array of one.
    private func elements(_ root: Section, _ key: String) -> [Section] {
        root.text(key) != nil ? [root.section(key)] : root.elements(key)
    }

    private mutating func gate(_ section: Section, canWait: Bool) -> GatePlan? {
        let isShort = section.node.string != nil
        guard var text = section.node.string ?? section.text("gate") else { return nil }
        let path = isShort ? section.path : section.path + ["gate"]
        var afterNS: UInt64 = 0
        if let (condition, wait) = PlanBuilder.splitAfter(text) {
            guard canWait else {
                report(path, "`after` is for abort_when only")
                return nil
            }
            do throws(UnitText.Failure) {
                afterNS = try UnitText.duration(wait)
            } catch {
                report(path, "`after \(wait)` is no duration", hint: "as \"after 10s\"")
                return nil
            }
            text = condition
        }
        guard let expression = expression(text, path) else { return nil }
        var gate = GatePlan(expression: expression)
        gate.afterNS = afterNS
        if let level = section.word("level", GatePlan.Level.self) { gate.level = level }
        gate.samplesMin = section.uint("min_samples")
        if let allows = section.bool("allow_empty") { gate.allowsEmpty = allows }
        return gate
    }

    /// `condition after 10s` as its two parts; nil without `after`.
    private static func splitAfter(_ text: String) -> (String, String)? {
        let words = text.split(separator: " ")
        guard let index = words.lastIndex(of: "after"), index > 0 else { return nil }
        return (
            words[..<index].joined(separator: " "), words[(index + 1)...].joined(separator: " ")
        )
    }
}

extension PlanBuilder {
    private mutating func expression(_ text: String, _ path: [String]) -> GateExpression? {
        do throws(GateError) {
            return try GateExpression.parse(text)
        } catch {
            let near = error.unknownPath.flatMap { nearest($0, in: ReportPaths.all) }
            report(path, error.reason, hint: near.map { "did you mean \($0)?" })
            return nil
        }
    }
}
