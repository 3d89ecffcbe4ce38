import Glibc
package import JSONText
import TileModel

/// The flags that stand for keys of the scenario.
package enum ScenarioFlag: String, Sendable, CaseIterable {
    case users, rate
    case duration = "for"
    case count, zooms, bounds
    case tokenFile = "token-file"
    case seed, warmup, name
}

extension ScenarioLoader {
    /// The scenario of defaults for a URL, as `--print-scenario` shows it.
    ///
    /// - Throws: a problem when the URL leads to a document of tiles instead of to tiles, or a flag
    ///   has no meaning.
    package static func scenario(
        fromURL url: String, flags: [(ScenarioFlag, String)] = []
    ) throws(JSONProblem) -> JSONNode {
        if let document = document(url) {
            throw JSONProblem(
                pointer: "/target", message: "a \(document) is not supported yet",
                hint: "give the template of its tiles, as 'https://host/{z}/{x}/{y}.png'")
        }
        var node = JSONNode.object([
            ("target", .object([("tiles", .string(url))])),
            ("workload", .object([("kind", .string("popular"))])),
            ("load", .object([("users", .int(10)), ("for", .string("10s"))])),
        ])
        // The paths lead through objects that are there or are made.
        let problems = apply(try overrides(flags).filter { !$0.value.isNull }, to: &node)
        if let problem = problems.first { throw problem }
        if flags.contains(where: { $0.0 == .count }), !flags.contains(where: { $0.0 == .duration })
        {
            node.drop(["load", "for"])
        }
        return node
    }

    /// What the flags set. One that excludes another key takes that key away.
    package static func overrides(
        _ flags: [(ScenarioFlag, String)]
    ) throws(JSONProblem) -> [ScenarioOverride] {
        var result: [ScenarioOverride] = []
        let names = Set(flags.map(\.0))
        for (flag, text) in flags {
            let label = "--\(flag.rawValue)"
            func set(_ path: String..., to value: JSONNode) {
                result.append(ScenarioOverride(path: path, value: value, label: label))
            }
            switch flag {
            case .users: set("load", "users", to: numberOrText(text))
            case .rate: set("load", "rate", to: numberOrText(text))
            case .duration:
                set("load", "for", to: .string(text))
                if !names.contains(.count) { set("load", "count", to: .null) }
            case .count:
                set("load", "count", to: numberOrText(text))
                if !names.contains(.duration) { set("load", "for", to: .null) }
            case .zooms: set("workload", "zooms", to: try zooms(text))
            case .bounds: set("workload", "bounds", to: try bounds(text))
            case .tokenFile:
                set("auth", "static", to: .object([("file", .string(absolute(text)))]))
            case .seed: set("seed", to: numberOrText(text))
            case .warmup: set("load", "warmup", to: .string(text))
            case .name: set("name", to: .string(text))
            }
        }
        return result
    }

    private static func numberOrText(_ text: String) -> JSONNode {
        JSONNumber(text).map { JSONNode(.number($0)) } ?? .string(text)
    }

    private static func zooms(_ text: String) throws(JSONProblem) -> JSONNode {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false).map(String.init)
        guard (1...2).contains(parts.count), let first = parts.first.flatMap(JSONNumber.init),
            let last = parts.last.flatMap(JSONNumber.init)
        else {
            throw JSONProblem(message: "`--zooms \(text)` is no range of zooms", hint: "as 8-14")
        }
        return .array([JSONNode(.number(first)), JSONNode(.number(last))])
    }

    private static func bounds(_ text: String) throws(JSONProblem) -> JSONNode {
        let numbers = text.split(separator: ",", omittingEmptySubsequences: false)
            .compactMap { JSONNumber(String(UnitText.trimmed($0))) }
        guard numbers.count == 4, text.filter({ $0 == "," }).count == 3 else {
            throw JSONProblem(
                message: "`--bounds \(text)` is no box", hint: "as west,south,east,north in degrees"
            )
        }
        return .array(numbers.map { JSONNode(.number($0)) })
    }

    /// A path on the command line is relative to the working directory, one in a file to the file.
    private static func absolute(_ path: String) -> String {
        guard !path.hasPrefix("/"), let buffer = getcwd(nil, 0) else { return path }
        defer { free(buffer) }
        return InputFile.join(String(cString: buffer), path)
    }

    /// The kind of document a URL leads to by its end; nil for a template.
    private static func document(_ url: String) -> String? {
        let lower = url.lowercased()
        let path = lower.prefix { $0 != "?" && $0 != "#" }
        if lower.split(whereSeparator: { "?&".contains($0) }).contains("service=wmts")
            || path.hasSuffix("wmtscapabilities.xml")
        {
            return "WMTS capabilities document"
        }
        guard path.hasSuffix(".json"), !path.contains("{") else { return nil }
        return path.hasSuffix("style.json") ? "style document" : "TileJSON or style document"
    }
}
