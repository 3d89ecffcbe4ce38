import JSONText
import Testing

@testable import Workload

@Suite("Scenarios with something changed in them")
struct PlanMutationTests {
    private struct Random {
        var state: UInt64
        mutating func next(below limit: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int((state >> 33) % UInt64(max(limit, 1)))
        }
    }

    private static let junk: [JSONNode] = [
        .null, .bool(true), .bool(false), .int(0), .int(-1), .int(1), .int(31), .int(600),
        .double(0.5), .uint(.max), .string(""), .string("x"), .string("${X}"), .string("${Y:-1}"),
        .string("-1"), .string("99999999999999999999"), .string("0/s -> 1/s"), .string("5s..1s"),
        .string("{z}"), .string("{token}"), .string("http://"), .string("http://[::1]:0/{z}"),
        .string("http://127.0.0.1:1/{s}/{z}"), .string("***"), .string("\u{7}"), .string("é"),
        .array([]), .array([.null]), .array([.int(1), .int(2)]), .array([.string("a")]),
        .object([]), .object([("file", .string("none"))]), .object([("a", .int(1))]),
    ]

    /// The node with one of its parts replaced, taken away, renamed or put in another place.
    private func mutated(_ node: JSONNode, _ random: inout Random) -> JSONNode {
        if case .object(var members) = node.value, !members.isEmpty, random.next(below: 12) > 0 {
            let index = random.next(below: members.count)
            switch random.next(below: 16) {
            case 0: members.remove(at: index)
            case 1: members[index].name += "x"
            case 2:
                let names = ScenarioKeys.root.map(\.name) + ["users", "rate", "static", "hosts"]
                let name = names[random.next(below: names.count)]
                if !members.contains(where: { $0.name == name }) { members[index].name = name }
            default: members[index].node = mutated(members[index].node, &random)
            }
            return JSONNode(.object(members))
        }
        if case .array(var elements) = node.value, !elements.isEmpty, random.next(below: 4) > 0 {
            let index = random.next(below: elements.count)
            if random.next(below: 8) == 0 {
                elements.append(elements[index])
            } else {
                elements[index] = mutated(elements[index], &random)
            }
            return .array(elements)
        }
        return PlanMutationTests.junk[random.next(below: PlanMutationTests.junk.count)]
    }

    @Test("Each is either refused with a pointer that leads somewhere, or its plan reads again")
    func mutations() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = Random(state: seed)
        let parsed = PlanJSONTests.scenarios.compactMap { JSONReader.parse(Array($0.utf8)).node }
        var taken = 0
        for round in 0..<1500 {
            var node = parsed[random.next(below: parsed.count)]
            for _ in 0...random.next(below: 2) { node = mutated(node, &random) }
            let text = JSONWriter.encodeText(node)
            switch load(text, environment: ["X": "from-x"]) {
            case .success(let plan):
                taken += 1
                let again = load(JSONWriter.encodeText(plan.json))
                // A masked value need not be a valid one: nobody can tell what it was.
                guard !JSONWriter.encodeText(plan.json).contains(Secrets.mask) else { continue }
                guard case .success(let second) = again else {
                    Issue.record("\(text)\n\(again)\nround \(round), seed \(seed)")
                    continue
                }
                #expect(second.json == plan.json, "\(text)\nround \(round), seed \(seed)")
            case .failure(let problems):
                #expect(!problems.list.isEmpty, "\(text), seed \(seed)")
                for problem in problems.list {
                    #expect(problem.place != nil, "\(problem), \(text), seed \(seed)")
                    #expect(!problem.message.contains("from-x"), "\(text), seed \(seed)")
                }
            }
        }
        #expect(taken > 50, "seed \(seed)")
    }

    @Test("The first example of the documentation")
    func example() throws {
        let plan = try plan(
            """
            { "target": { "tiles": "https://tiles.example.org/{z}/{x}/{y}.png?key=${TILES_KEY}" }, "workload": { "zooms": [8, 14], "bounds": [5.9, 45.8, 10.5, 47.8] } }
            """, environment: ["TILES_KEY": "a-real-key"])
        #expect(plan.workload.zooms == 8...14)
        #expect(
            plan.json.at(pointer: "/target/tiles/0")?.string
                == "https://tiles.example.org/{z}/{x}/{y}.png?key=***")
    }
}
