package import JSONText

/// Why a file is no report that this program can show.
package struct ReportReadError: Error, Sendable, Hashable, CustomStringConvertible {
    /// At least one, in the order of the text.
    package var problems: [JSONProblem]

    package var description: String {
        problems.map(\.description).joined(separator: "\n")
    }
}

extension ReportJSON {
    /// Reads report.json: JSON, of this major version of the format, with every part that each run
    /// has. Members that this version does not know stay in it.
    package static func read(_ bytes: [UInt8]) throws(ReportReadError) -> JSONNode {
        guard !bytes.isEmpty else {
            throw ReportReadError(
                problems: [JSONProblem(message: "the file is empty", hint: "a report is JSON")])
        }
        let (node, problems) = JSONReader.parse(bytes, comments: false)
        guard problems.isEmpty, let report = node else {
            throw ReportReadError(problems: problems)
        }
        if let problem = versionProblem(report) { throw ReportReadError(problems: [problem]) }
        let found = shapeProblems(report)
        guard found.isEmpty else { throw ReportReadError(problems: found) }
        return report
    }

    private static func versionProblem(_ report: JSONNode) -> JSONProblem? {
        guard report.members != nil else {
            return JSONProblem(
                place: report.place, message: "expected an object, found \(report.kindName)",
                hint: "is this a report.json of tilebench?")
        }
        guard let member = report["schema"] else {
            return JSONProblem(
                place: report.place, message: "there is no `schema`",
                hint: "is this a report.json of tilebench?")
        }
        guard let written = member.string, let major = Self.major(written),
            let own = Self.major(schema)
        else {
            return JSONProblem(
                pointer: "/schema", place: member.place,
                message: "this is not the format of a tilebench report", hint: "it is \(schema)")
        }
        guard major != own else { return nil }
        return JSONProblem(
            pointer: "/schema", place: member.place,
            message: "this report is of format \(written), this tilebench reads \(schema)",
            hint: major > own ? "a newer tilebench reads it" : "an older tilebench reads it")
    }

    private static func major(_ schema: String) -> Int? {
        let parts = schema.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0] == "tilebench-report" else { return nil }
        let numbers = parts[1].split(separator: ".", omittingEmptySubsequences: false)
        guard numbers.count == 3, numbers.allSatisfy({ Int($0) != nil }) else { return nil }
        return Int(numbers[0])
    }

    /// What every report has, so that the formats made from it can rely on it.
    private static func shapeProblems(_ report: JSONNode) -> [JSONProblem] {
        let isArray: Set<String> = ["errors", "zooms", "timeline", "gates"]
        let isText: Set<String> = ["schema", "verdict"]
        var problems: [JSONProblem] = []
        for name in ReportSchema.requiredParts {
            guard let part = report[name] else {
                problems.append(JSONProblem(place: report.place, message: "there is no `\(name)`"))
                continue
            }
            let (isRight, kind) =
                isArray.contains(name)
                ? (part.array != nil, "an array")
                : isText.contains(name)
                    ? (part.string != nil, "text") : (part.members != nil, "an object")
            if !isRight {
                problems.append(
                    JSONProblem(
                        pointer: "/\(name)", place: part.place,
                        message: "expected \(kind), found \(part.kindName)"))
            }
        }
        return problems
    }
}
