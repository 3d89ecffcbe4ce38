import JSONText
import Workload

/// The keys of the scenario that flags set: first those of `--set`, in their order, then those of
/// flags with a name of their own. `--set 'load={…}' --for 5s` must not lose the five seconds.
enum ScenarioOverrides {
    /// - Throws: exit 2 with every value that cannot be read.
    static func of(_ arguments: Arguments) throws(Failure) -> [ScenarioOverride] {
        var problems: [String] = []
        var overrides: [ScenarioOverride] = []
        let flags = arguments.flags.compactMap { flag, value in
            flag.scenarioFlag.map { ($0, value) }
        }
        for text in arguments.values("set") {
            do throws(JSONProblem) {
                overrides.append(try parse(text))
            } catch {
                problems.append(error.description)
            }
        }
        do throws(JSONProblem) {
            overrides += try ScenarioLoader.overrides(flags)
        } catch {
            problems.append(error.description)
        }
        overrides += shortcuts(arguments, problems: &problems)
        guard problems.isEmpty else {
            throw Failure(.usage, problems, help: .pointer(arguments.command))
        }
        return overrides
    }

    /// Reads `path=value`. What is too deep is said here, in few words: the path would fill pages,
    /// and the value would be taken for a text, since it is no JSON.
    private static func parse(_ text: String) throws(JSONProblem) -> ScenarioOverride {
        let override = try ScenarioOverride.parse(text)
        guard override.path.count <= JSONNode.depthMax else {
            throw JSONProblem(
                message:
                    "--set \(override.path[0])…: a path has at most \(JSONNode.depthMax) names,"
                    + " not \(override.path.count)")
        }
        // `{token}` is a text, so only what no text would hold is refused.
        if override.value.string != nil, isTooDeep(text.drop { $0 != "=" }.dropFirst()) {
            throw JSONProblem(
                message: "\(override.label): arrays and objects stand more than"
                    + " \(JSONNode.depthMax) deep")
        }
        return override
    }

    /// Whether a text opens more brackets within each other than JSON may have here.
    private static func isTooDeep(_ text: Substring) -> Bool {
        guard text.hasPrefix("{") || text.hasPrefix("[") else { return false }
        var depth = 0
        var isQuoted = false
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""): isQuoted.toggle()
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += isQuoted ? 0 : 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= isQuoted ? 0 : 1
            default: break
            }
            if depth > JSONNode.depthMax { return true }
        }
        return false
    }

    private static func shortcuts(
        _ arguments: Arguments, problems: inout [String]
    ) -> [ScenarioOverride] {
        var overrides: [ScenarioOverride] = []
        var faults: [JSONNode] = []
        for (flag, value) in arguments.flags {
            guard let shortcut = flag.shortcut else { continue }
            let node: JSONNode
            switch shortcut.form {
            case .text: node = .string(value)
            case .isFalse: node = .bool(false)
            case .isTrue: node = .bool(true)
            case .emptyObject: node = .object([])
            case .fault:
                guard let fault = fault(value) else {
                    problems.append(
                        "--\(flag.name) needs SHARE:KIND, as 1%:503 or 0.1%:reset (kinds: a "
                            + "status, reset, truncate, stall), not \(quoted(value))")
                    continue
                }
                faults.append(fault)
                node = .array(faults)
            }
            overrides.append(
                ScenarioOverride(path: shortcut.path, value: node, label: "--\(flag.name)"))
        }
        // `--token` must not undo `--ttl`, whichever was typed first.
        return overrides.filter { $0.value == .object([]) }
            + overrides.filter { $0.value != .object([]) }
    }

    /// `1%:503` or `0.1%:reset`.
    private static func fault(_ value: String) -> JSONNode? {
        let parts = value.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty else { return nil }
        let share = JSONNode.string(String(parts[0]))
        if let status = Int(parts[1]) {
            return .object([("share", share), ("status", .int(status))])
        }
        guard ["reset", "truncate", "stall"].contains(parts[1]) else { return nil }
        return .object([("share", share), (String(parts[1]), .bool(true))])
    }
}
