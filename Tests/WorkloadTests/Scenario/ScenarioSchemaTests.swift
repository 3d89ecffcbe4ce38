import JSONText
import Testing

@testable import Workload

@Suite("The JSON Schema of the scenario file")
struct ScenarioSchemaTests {
    private let schema = ScenarioSchema.json()

    @Test("Every key is in it, with its sentence and its default")
    func complete() {
        var count = 0
        check(ScenarioKeys.root, in: schema, "", &count)
        #expect(count > 150)
    }

    private func check(
        _ keys: [ScenarioKey], in schema: JSONNode, _ path: String, _ count: inout Int
    ) {
        #expect(schema["additionalProperties"] == .bool(false), "\(path)")
        #expect(schema["properties"]?.members?.count == keys.count, "\(path)")
        for key in keys {
            count += 1
            let property = schema["properties"]?[key.name]
            #expect(
                property?["description"]?.string?.hasPrefix(key.sentence) == true, "\(key.name)")
            #expect(key.sentence.hasSuffix("."), "\(key.name): \(key.sentence)")
            #expect(property?["default"] == key.defaultNode, "\(key.name)")
            guard let property else { continue }
            check(key.kind, in: property, "\(path)/\(key.name)", &count)
        }
    }

    private func check(
        _ kind: ScenarioKind, in schema: JSONNode, _ path: String, _ count: inout Int
    ) {
        switch kind {
        case .object(let keys):
            let objects = ([schema] + (schema["anyOf"]?.array ?? [])).filter {
                $0["properties"] != nil
            }
            #expect(objects.count == 1, "\(path)")
            for object in objects { check(keys, in: object, path, &count) }
        case .list(let element, _):
            let arrays = ([schema] + (schema["anyOf"]?.array ?? [])).filter { $0["items"] != nil }
            for array in arrays { check(element, in: array["items"] ?? .null, path, &count) }
        case .either(let kinds): for kind in kinds { check(kind, in: schema, path, &count) }
        default: break
        }
    }

    @Test("No name stands twice, and defaults are values of their kind")
    func table() {
        var paths: Set<String> = []
        ScenarioKeys.visit { path, key in
            #expect(paths.insert(path).inserted, "\(path)")
            guard let standard = key.defaultNode else { return }
            var reader = ScenarioReader(directory: "", environment: [:], hasOrigin: false)
            #expect(reader.value(standard, key.kind, ScenarioReader.Spot()) != nil, "\(path)")
            #expect(reader.problems == [], "\(path)")
        }
    }

    @Test("Scenarios and their plans fit", arguments: PlanJSONTests.scenarios)
    func fits(text: String) throws {
        let checker = SchemaChecker(root: schema)
        let node = try #require(JSONReader.parse(Array(text.utf8)).node)
        #expect(checker.problems(node) == [])
        #expect(checker.problems(try plan(text).json) == [])
    }

    @Test(
        "What is wrong does not fit",
        arguments: [
            "{}", "{\"target\": 5}", "{\"target\": {}, \"sead\": 1}", local("\"seed\": -1"),
            local("\"load\": {\"users\": 0}"), local("\"load\": {\"for\": \"10 apples\"}"),
            local("\"load\": {\"rate\": \"fast\"}"), local("\"workload\": {\"zooms\": [0]}"),
            local("\"checks\": {\"status\": [99]}"), local("\"on_invalid\": \"no\""),
            local("\"inject\": [{\"expire\": \"poison\"}]"), local(target: "\"scheme\": \"zyx\""),
            local("\"auth\": {\"token\": {\"in\": \"body\"}}"), local("\"name\": \"\""),
        ])
    func misfits(text: String) throws {
        let node = try #require(JSONReader.parse(Array(text.utf8)).node)
        #expect(SchemaChecker(root: schema).problems(node) != [])
    }
}
