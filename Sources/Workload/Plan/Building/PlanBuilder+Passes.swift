import JSONText

extension PlanBuilder {
    private static let passesMax = 16

    /// The passes and what is sent before the first of them.
    mutating func buildPasses(_ root: Section) {
        let names = (root.node["passes"]?.array ?? []).compactMap(\.string)
        guard !names.isEmpty else { return report(["passes"], "no pass is named") }
        plan.passes = names
        for (index, name) in names.enumerated() {
            let path = ["passes", String(index)]
            let isName = name.utf8.allSatisfy { byte in
                byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
                    || byte &- UInt8(ascii: "0") < 10 || (byte | 0x20) &- UInt8(ascii: "a") < 26
            }
            if !isName {
                report(path, "a pass has a name of letters, digits, `-` and `_`")
            } else if names[..<index].contains(where: { $0.lowercased() == name.lowercased() }) {
                report(path, "`\(name)` is the name of a pass before it")
            }
        }
        if names.count > Self.passesMax {
            report(["passes"], "\(names.count) passes; at most \(Self.passesMax) are possible")
        }
        if names.count > 1, case .replay(let replay) = plan.workload.kind,
            replay.file == ReplayPlan.standardInput
        {
            report(
                ["passes"], "standard input cannot be read again for a second pass",
                hint: "`workload.file` names a file")
        }
        for section in root.elements("before") { buildBefore(section) }
    }

    private mutating func buildBefore(_ section: Section) {
        guard let request = request(section, method: "GET") else { return }
        var before = BeforePlan(request: request)
        before.statuses = (section.node["status"]?.array ?? []).compactMap(\.int)
        plan.before.append(before)
    }
}
