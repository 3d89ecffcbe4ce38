import JSONText

/// Every key of the scenario file. The reader, the JSON Schema and the hints are made of this
/// table.
package enum ScenarioKeys {
    package static let root: [ScenarioKey] = [
        ScenarioKey("$schema", .text, "Address of the JSON Schema; not looked at."),
        ScenarioKey(
            "version", .count(from: 1, to: 1), default: .int(1), "Version of the file's format."),
        ScenarioKey(
            "name", .text, words: "the file's name", "Name of the run, in reports and folders."),
        ScenarioKey(
            "seed", .count(0...UInt64.max), default: .int(1),
            "Start of everything random: the same seed asks for the same tiles."),
        ScenarioKey("target", .object(target), required: true, "Where tiles come from."),
        ScenarioKey(
            "connection", .object(connection), default: .object([]), "How connections are made."),
        ScenarioKey("auth", .object(auth), "How a token is carried, refused and renewed."),
        ScenarioKey("workload", .object(workload), default: .object([]), "What to ask for."),
        ScenarioKey("load", .object(load), default: .object([]), "When to ask."),
        ScenarioKey(
            "cache", .object(cache), default: .object([]),
            "The client's own cache, and what to believe of the server's."),
        ScenarioKey(
            "passes", .list(.text), default: .array([.string("run")]),
            "The same asks again, reported side by side, as [\"cold\", \"warm\"]."),
        ScenarioKey(
            "before", .list(.object(before)), default: .array([]),
            "Requests sent before the first pass, as a PURGE; one that fails ends the run."),
        ScenarioKey(
            "inject", .list(.object(injection)), default: .array([]), "Faults on purpose."),
        ScenarioKey(
            "checks", .object(checks), default: .object([]), "What makes an answer good."),
        ScenarioKey(
            "gates", .either([.list(gate), .text]), default: .array([]),
            "Conditions on the report, `path [/ path] op value`; one that fails makes exit code 99."
        ),
        ScenarioKey(
            "abort_when", .either([.list(abortCondition), .text]), default: .array([]),
            "Conditions that end the run early, `path [/ path] op value [after N]`."),
        ScenarioKey(
            "on_invalid", .word(["fail", "warn"]), default: .string("fail"),
            "`warn`: an invalid measurement does not change the exit code."),
        ScenarioKey("report", .object(report), default: .object([]), "Where results go."),
    ]

    private static let condition = ScenarioKey(
        "gate", .text, required: true, "The condition: `path [/ path] op value`.")
    private static let samplesMin = ScenarioKey(
        "min_samples", .count(0...UInt64.max),
        "With fewer samples behind it the condition has no data.")

    /// A gate: text, or the long form.
    static let gate = ScenarioKind.either([
        .text,
        .object([
            condition,
            ScenarioKey(
                "level", .word(["fail", "warn"]), default: .string("fail"),
                "`warn`: said, without effect on the exit code."),
            samplesMin,
            ScenarioKey(
                "allow_empty", .bool, default: .bool(false), "True: no data is a pass."),
        ]),
    ])

    /// A condition to end the run: it is met or it is not, so that a level or a verdict without
    /// data has no meaning.
    static let abortCondition = ScenarioKind.either([.text, .object([condition, samplesMin])])

    static let checks: [ScenarioKey] = [
        ScenarioKey(
            "status", .list(.status, 1...500), default: .array([.int(200), .int(204)]),
            "Status codes of good answers."),
        ScenarioKey(
            "not_found", .word(["fail", "ok"]), default: .string("fail"),
            "`ok`: a 404 is good, for sparse tile sets."),
        ScenarioKey(
            "tile", .word(["none", "png", "jpeg", "webp", "mvt", "auto"]), default: .string("none"),
            "Format the body must have; with `none` it is not looked at."),
        ScenarioKey("min_bytes", .size, "Smallest good body, in bytes."),
        ScenarioKey("max_bytes", .size, "Largest good body, in bytes."),
    ]

    static let report: [ScenarioKey] = [
        ScenarioKey(
            "formats", .list(.text), default: .array([]), support: .only([.array([])]),
            "Files besides report.json and the CSV files."),
        ScenarioKey(
            "directory", .text, default: .string("Reports"),
            "Folder of the runs' folders, relative to the working directory."),
        ScenarioKey(
            "samples", .count(from: 0, to: 1000), default: .int(3), support: .only([.uint(3)]),
            "Answers kept per kind of failure, and of the slowest."),
    ]
}

extension ScenarioKeys {
    /// Where keys of this name are that can be used: for hints.
    package static func places(of name: String) -> [String] {
        var found: [String] = []
        var later: [String] = []
        visit { path, key in
            if later.contains(where: { path.hasPrefix($0) }) { return }
            if key.isLater {
                later.append(path + ".")
            } else if key.name == name {
                found.append(path)
            }
        }
        return found
    }

    /// Every key with its path in dots, parents first; `[]` stands for an element.
    package static func visit(_ body: (_ path: String, ScenarioKey) -> Void) {
        visit(root, prefix: "", body)
    }

    private static func visit(
        _ keys: [ScenarioKey], prefix: String, _ body: (String, ScenarioKey) -> Void
    ) {
        for key in keys {
            let path = prefix.isEmpty ? key.name : "\(prefix).\(key.name)"
            body(path, key)
            visit(key.kind, path, body)
        }
    }

    private static func visit(
        _ kind: ScenarioKind, _ path: String, _ body: (String, ScenarioKey) -> Void
    ) {
        switch kind {
        case .object(let keys): visit(keys, prefix: path, body)
        case .list(let element, _): visit(element, path + "[]", body)
        case .map(let value, _): visit(value, path, body)
        case .either(let kinds): for kind in kinds { visit(kind, path, body) }
        default: break
        }
    }
}
