import Glibc
package import JSONText
package import TileModel

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
    /// - Throws: a problem when a flag has no meaning.
    package static func scenario(
        fromURL url: String, flags: [(ScenarioFlag, String)] = []
    ) throws(JSONProblem) -> JSONNode {
        var node =
            documentKind(byURL: url).map { scenario(of: url, kind: $0) }
            ?? defaults(target: .object([("tiles", .string(url))]))
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

    /// The kind of document that an address most likely leads to by its form; nil for a template.
    package static func documentKind(byURL url: String) -> SourceDocument.Kind? {
        let lower = url.lowercased()
        guard !lower.contains("{") else { return nil }
        let path = lower.prefix { $0 != "?" && $0 != "#" }
        let parameters = lower.dropFirst(path.count).split(whereSeparator: { "?&".contains($0) })
        if parameters.contains("service=wmts") { return .wmts }
        if parameters.contains("service=wms") { return .wms }
        let ends = ["/mapserver", "/vectortileserver", "/imageserver"]
        if ends.contains(where: { path.hasSuffix($0) || path.hasSuffix($0 + "/") }) {
            return .arcgis
        }
        if path.hasSuffix(".xml") { return .wmts }
        guard path.hasSuffix(".json") else { return nil }
        return path.hasSuffix("style.json") ? .style : .tilejson
    }

    /// The scenario of defaults for a document, by its file or URL.
    package static func scenario(
        of document: String, kind: SourceDocument.Kind
    ) -> JSONNode {
        let target: JSONNode =
            switch kind {
            case .tilejson, .style, .arcgis: .string(document)
            case .wmts: .object([("capabilities", .string(document))])
            case .wms: .object([("url", .string(document))])
            }
        return defaults(target: .object([(kind.rawValue, target)]))
    }

    private static func defaults(target: JSONNode) -> JSONNode {
        .object([
            ("target", target), ("workload", .object([("kind", .string("popular"))])),
            ("load", .object([("users", .int(10)), ("for", .string("10s"))])),
        ])
    }
}
