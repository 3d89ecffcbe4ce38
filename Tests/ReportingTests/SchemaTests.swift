import JSONText
import Metrics
import Testing

@testable import Reporting

/// The schema knows every name of the reports and allows what they hold.
@Suite struct SchemaTests {
    @Test func reportsFit() throws {
        for result in [SampleResult.full, SampleResult.small, SampleResult.empty] {
            let report = try FormatTests.report(
                result, gates: ["ledger.failed == 0", "auth.parked.ms.p99 < 1s"])
            #expect(problems(of: report, by: ReportSchema.node, at: "") == [])
        }
    }

    @Test func searchesFit() throws {
        for end in CapacityResult.End.allCases {
            var result = CapacityFormatTests.sample
            result.end = end
            result.endedAtPerS = 300
            let node = CapacityJSON.node(result)
            #expect(problems(of: node, by: CapacitySchema.node, at: "") == [])
            let unused = unusedNames(of: CapacitySchema.node, in: [node], at: "")
            #expect(unused == ["/steps[]/server_hit_rate"])
        }
        let text = JSONWriter.encodeText(CapacitySchema.node, pretty: true) + "\n"
        try expectGolden(text, "capacity-schema.json")
    }

    @Test(arguments: [
        ("run", JSONNode.int(1)), ("surprise", .int(1)), ("verdict", .string("maybe")),
        ("schema", .string("tilebench-report/1")),
    ])
    func walkerSeesFaults(_ name: String, _ node: JSONNode) throws {
        var report = ReportJSON.node(result: SampleResult.full, verdict: Verdict())
        try report.set([name], to: node)
        // The walker does not know patterns.
        let isPattern = name == "schema"
        #expect(problems(of: report, by: ReportSchema.node, at: "").isEmpty == isPattern)
    }

    @Test func missingNamesAreSeen() throws {
        let report = ReportJSON.node(result: SampleResult.full, verdict: Verdict())
        var members = try #require(report.members)
        members.removeAll { $0.name == "ledger" }
        #expect(
            problems(of: JSONNode(.object(members)), by: ReportSchema.node, at: "")
                == ["/ledger is missing"])
    }

    /// The full report uses every name that the schema has, but for those of an unlucky run.
    @Test func nothingIsListedInVain() throws {
        let report = try FormatTests.report(
            SampleResult.full, gates: ["ledger.failed == 0", "phases.tls.p99 < 1s"])
        let unused = unusedNames(of: ReportSchema.node, in: [report], at: "")
        let empty = ["/phases/tls"].flatMap { part in
            (["min_ms", "mean_ms", "stddev_ms"] + ReportJSON.percentiles.map(\.name) + ["max_ms"])
                .map { "\(part)/\($0)" }
        }
        let classes = ["revalidated", "bypass", "dynamic", "synthetic"].flatMap {
            ["/cache/server/\($0)/p50_ms", "/cache/server/\($0)/p99_ms"]
        }
        let unlucky = ["/run/signal", "/run/aborted", "/replay/failure"]
        #expect(unused.sorted() == (unlucky + empty + classes).sorted())
    }

    private func problems(of node: JSONNode, by schema: JSONNode, at path: String) -> [String] {
        if let name = reference(schema) {
            let definition = ReportSchema.node["definitions"]?[name]
            return definition.map { problems(of: node, by: $0, at: path) }
                ?? ["\(path) refers to nothing"]
        }
        guard let type = schema["type"]?.string else { return [] }
        let isRight =
            switch type {
            case "object": node.members != nil
            case "array": node.array != nil
            case "string": node.string != nil
            case "boolean": node.bool != nil
            case "integer": node.int != nil
            default: node.double != nil
            }
        guard isRight else { return ["\(path) is not of type \(type)"] }
        var found: [String] = []
        if let least = schema["minimum"]?.double, let value = node.double, value < least {
            found.append("\(path) is below \(least)")
        }
        if let most = schema["maximum"]?.double, let value = node.double, value > most {
            found.append("\(path) is above \(most)")
        }
        if let words = schema["enum"]?.array, !words.contains(node) {
            found.append("\(path) is none of the words")
        }
        for name in (schema["required"]?.array ?? []).compactMap(\.string) where node[name] == nil {
            found.append("\(path)/\(name) is missing")
        }
        for member in node.members ?? [] {
            let known = schema["properties"]?[member.name] ?? schema["additionalProperties"]
            guard let known else {
                found.append("\(path)/\(member.name) is unknown")
                continue
            }
            found += problems(of: member.node, by: known, at: "\(path)/\(member.name)")
        }
        if let items = schema["items"] {
            for (index, element) in (node.array ?? []).enumerated() {
                found += problems(of: element, by: items, at: "\(path)/\(index)")
            }
        }
        return found
    }

    private func reference(_ schema: JSONNode) -> String? {
        let path = schema["allOf"]?[0]?["$ref"]?.string
        return path.map { String($0.dropFirst("#/definitions/".count)) }
    }

    private func unusedNames(
        of schema: JSONNode, in nodes: [JSONNode], at path: String
    ) -> [String] {
        if let definition = reference(schema).flatMap({ ReportSchema.node["definitions"]?[$0] }) {
            return unusedNames(of: definition, in: nodes, at: path)
        }
        if let items = schema["items"] {
            return unusedNames(of: items, in: nodes.flatMap { $0.array ?? [] }, at: path + "[]")
        }
        return (schema["properties"]?.members ?? []).flatMap { member -> [String] in
            let own = "\(path)/\(member.name)"
            let found = nodes.compactMap { $0[member.name] }
            return found.isEmpty ? [own] : unusedNames(of: member.node, in: found, at: own)
        }
    }
}
