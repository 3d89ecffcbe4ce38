import CCurl
import TileModel
import Testing
import Workload

@testable import Engine

/// A credential as requests carry it: in URLs, and in libcurl's lists of header lines.
@Suite struct CredentialTextTests {
    private static func plan(
        _ placement: AuthPlan.Placement?, _ headers: [HeaderPlan], tiles: String = "http://h/{z}"
    ) -> Plan {
        var target = TargetPlan(templates: [tiles])
        target.headers = headers
        var plan = Plan(
            name: "n", target: target,
            workload: WorkloadPlan(kind: .popular(exponent: 1, weights: .osm)),
            load: LoadPlan(shape: .users(1)))
        if let placement {
            plan.auth = AuthPlan()
            plan.auth?.placement = placement
            plan.auth?.partNames = ["a", "b"]
        }
        return plan
    }

    private func lines(_ lines: HeaderSet.Lines) -> [String] {
        var texts: [String] = []
        var next = lines.head
        while let node = next {
            texts.append(String(cString: node.pointee.data))
            next = node.pointee.next
        }
        return texts
    }

    private func nodes(_ lines: HeaderSet.Lines) -> [UnsafeMutablePointer<curl_slist>] {
        var nodes: [UnsafeMutablePointer<curl_slist>] = []
        var next = lines.head
        while let node = next {
            nodes.append(node)
            next = node.pointee.next
        }
        return nodes
    }

    // MARK: header lines

    @Test(
        arguments: [
            (nil, ["B: 1", "Cookie: c=2", "E;", "Accept:"]),
            (.query(name: "t"), ["B: 1", "Cookie: c=2", "E;", "Accept:"]),
            (
                .header(name: "Authorization", prefix: "Bearer "),
                ["Authorization: Bearer tök", "B: 1", "Cookie: c=2", "E;", "Accept:"]
            ),
            (.header(name: "b", prefix: ""), ["b: tök", "Cookie: c=2", "E;", "Accept:"]),
            (.header(name: "accept", prefix: ""), ["accept: tök", "B: 1", "Cookie: c=2", "E;"]),
            (.cookie(name: "s"), ["Cookie: c=2; s=tök", "B: 1", "E;", "Accept:"]),
        ] as [(AuthPlan.Placement?, [String])])
    func headerLines(_ placement: AuthPlan.Placement?, _ expected: [String]) {
        let headers = [
            HeaderPlan(name: "B", value: "1"), HeaderPlan(name: "Cookie", value: "c=2"),
            HeaderPlan(name: "E", value: ""),
        ]
        let set = HeaderSet(plan: Self.plan(placement, headers), asksPacked: false)
        #expect(lines(set.lines(Credential("tök"))) == expected)
        #expect(set.holdsToken == (lines(set.bare) != expected))
        #expect(lines(set.bare).allSatisfy { !$0.contains("tök") })
    }

    /// With a token for each of thousands of users only their own lines are made for each.
    @Test func usersShareTheLinesWithoutAToken() {
        let headers = (0..<10).map { HeaderPlan(name: "H\($0)", value: "v") }
        let set = HeaderSet(
            plan: Self.plan(.header(name: "X", prefix: ""), headers), asksPacked: true)
        let first = set.lines(Credential("1"))
        var second: HeaderSet.Lines? = set.lines(Credential("22"))
        #expect(lines(first).first == "X: 1" && second.map(lines)?.first == "X: 22")
        #expect(lines(first).count == 13)
        #expect(nodes(first).dropFirst() == second.map { nodes($0).dropFirst() })
        #expect(nodes(first).dropFirst() == nodes(set.bare)[...])
        #expect(first.serial != second?.serial && first.serial != set.bare.serial)
        // The shared lines outlive a list that used them.
        second = nil
        #expect(lines(first).last == "Accept:")
    }

    // MARK: URLs

    @Test func tokensAndPartsInAURL() throws {
        let template = "http://h/{token.b}/{z}/{x}/{y}?a={token.a}&t={token}"
        let set = try TileTemplateSet([template])
        // The order of the credential is that of the templates' names.
        #expect(set.tokenNames == ["b", "a"])
        var text = CredentialText()
        func url() -> String {
            String(unsafeUninitializedCapacity: 200) { buffer in
                set.write(
                    TileID(z: 3, x: 1, y: 2),
                    values: TemplateValues(token: text.token, tokenParts: text.parts),
                    into: buffer)
            }
        }
        text.set(Credential("a b/+", parts: ["x/y", "="]))
        #expect(url() == "http://h/x%2Fy/3/1/2?a=%3D&t=a%20b%2F%2B")
        // Rebuilt in place, longer and shorter.
        text.set(Credential("longer-than-before-by-much", parts: ["p", "q%"]))
        #expect(url() == "http://h/p/3/1/2?a=q%25&t=longer-than-before-by-much")
        text.set(Credential("", parts: ["", ""]))
        #expect(url() == "http://h//3/1/2?a=&t=")
    }

    @Test func aFreshTextIsEmpty() {
        let text = CredentialText()
        #expect(text.token.isEmpty && text.parts.isEmpty)
    }
}
