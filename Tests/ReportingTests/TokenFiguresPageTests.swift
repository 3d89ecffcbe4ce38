import Foundation
import JSONText
import Metrics
import Testing

@testable import Reporting

/// The guide's page of the token figures names every figure of `auth`, and no other.
@Suite struct TokenFiguresPageTests {
    private static let page: String? = {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let path = root.appending(path: "Sources/tilebench/Documentation.docc/TokenFigures.md")
        return try? String(contentsOf: path, encoding: .utf8)
    }()

    /// Paths of the tables: the heading and what stands in a row's first cell, `a` or `b.c`.
    private static func documented() throws -> Set<String> {
        var part = ""
        var paths: Set<String> = []
        for line in try #require(page).split(separator: "\n") {
            if line.hasPrefix("## ") {
                part = String(line.dropFirst(3))
            } else if line.hasPrefix("| `"), let cell = line.split(separator: "|").first {
                let names = cell.split(separator: "`").map(String.init)
                    .filter { $0.allSatisfy { $0.isLetter || $0.isNumber || "_.".contains($0) } }
                paths.formUnion(names.map { "\(part).\($0)" })
            }
        }
        return paths
    }

    /// Paths of the schema; elements of an array stand under its name.
    private static func paths(of schema: JSONNode, at path: String) -> [(path: String, isEnd: Bool)]
    {
        let resolved = ReportSchema.resolved(schema)
        let isDistribution = resolved["properties"]?["histogram"] != nil
        let members = resolved["properties"]?.members ?? resolved["items"]?["properties"]?.members
        guard let members, !isDistribution else { return [(path, true)] }
        return [(path, false)]
            + members.flatMap { paths(of: $0.node, at: "\(path).\($0.name)") }
    }

    @Test func everyFigureIsThere() throws {
        let auth = try #require(ReportSchema.node["properties"]?["auth"])
        let documented = try Self.documented()
        let known = Self.paths(of: auth, at: "auth")
        #expect(documented.count > 60)
        #expect(documented.subtracting(known.map(\.path)) == [])
        // Counts by cache class or by reason are told together.
        let ends = known.filter(\.isEnd).map(\.path).filter { path in
            let parent = path.split(separator: ".").dropLast().joined(separator: ".")
            return !documented.contains(path) && !documented.contains(parent)
        }
        #expect(ends == [])
    }

    /// The gates that it shows are valid, and what it says of reasons and causes is complete.
    @Test func examplesHold() throws {
        let page = try #require(Self.page)
        let gates = page.split(separator: "`").filter { $0.contains(" < ") }
        #expect(gates.count == 2)
        for gate in gates { _ = try GateExpression.parse(String(gate)) }
        for failure in AuthFailure.allCases { #expect(page.contains("`\(failure.key)`")) }
        for (name, _) in ReportJSON.percentiles { #expect(page.contains("`\(name)`")) }
        let causes = ReportSchema.event["properties"]?["cause"]?["enum"]?.array ?? []
        for cause in causes { #expect(page.contains("`\(cause.string ?? "")`")) }
    }
}
