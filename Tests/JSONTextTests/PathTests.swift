import JSONText
import Testing

@Suite struct PathTests {
    /// The examples of RFC 6901 section 5.
    @Test(
        arguments: [
            ("", nil), ("/foo/0", "\"bar\""), ("/foo/1", "\"baz\""), ("/", "0"), ("/a~1b", "1"),
            ("/c%d", "2"), ("/e^f", "3"), ("/g|h", "4"), ("/i\\j", "5"), ("/k\"l", "6"),
            ("/ ", "7"),
            ("/m~0n", "8"),
        ] as [(String, String?)])
    func pointers(_ pointer: String, _ value: String?) throws {
        let text =
            #"{"foo":["bar","baz"],"":0,"a/b":1,"c%d":2,"e^f":3,"g|h":4,"i\\j":5,"k\"l":6," ":7,"m~n":8}"#
        let root = try #require(JSONReader.parse(text.utf8).node)
        let found = try #require(root.at(pointer: pointer))
        #expect(JSONWriter.encodeText(found) == value ?? text)
        let names = try #require(JSONPointer.split(pointer))
        #expect(JSONPointer.join(names) == pointer)
    }

    @Test(arguments: [
        "foo", "/foo/2", "/foo/01", "/foo/-", "/foo/+1", "/foo/", "/m~n", "/m~", "/x", "/foo/0/x",
    ])
    func pointersToNothing(_ pointer: String) throws {
        let root = try #require(
            JSONReader.parse(#"{"foo": ["a", "b"], "m~n": 1, "m": 2}"#.utf8).node)
        #expect(root.at(pointer: pointer) == nil)
    }

    @Test(arguments: [
        (["load", "rate"], #"{"load":{"rate":"new"},"list":[1,{"a":2}],"none":null}"#),
        (
            ["load", "deep", "er"],
            #"{"load":{"rate":5,"deep":{"er":"new"}},"list":[1,{"a":2}],"none":null}"#
        ),
        (["list", "0"], #"{"load":{"rate":5},"list":["new",{"a":2}],"none":null}"#),
        (["list", "1", "b"], #"{"load":{"rate":5},"list":[1,{"a":2,"b":"new"}],"none":null}"#),
        (["none", "x"], #"{"load":{"rate":5},"list":[1,{"a":2}],"none":{"x":"new"}}"#),
        (["0"], #"{"load":{"rate":5},"list":[1,{"a":2}],"none":null,"0":"new"}"#),
        ([], #""new""#),
    ])
    func setting(_ path: [String], _ expected: String) throws {
        var root = try sample()
        try root.set(path, to: .string("new"))
        #expect(JSONWriter.encodeText(root) == expected)
    }

    @Test(arguments: [
        (
            ["load", "rate", "x"],
            "line 1, column 19, /load/rate: this is a number, so it has no `x`"
        ),
        (
            ["list", "2"],
            "line 1, column 30, /list: `2` is no element of this array (its elements are 0 to 1)"
        ),
        (
            ["list", "01"],
            "line 1, column 30, /list: `01` is no element of this array (its elements are 0 to 1)"
        ),
        (
            ["list", "1", "a", "b", "c"],
            "line 1, column 39, /list/1/a: this is a number, so it has no `b`"
        ),
    ])
    func settingThroughAScalar(_ path: [String], _ message: String) throws {
        var root = try sample()
        let before = root
        let problem = #expect(throws: JSONProblem.self) { try root.set(path, to: .null) }
        #expect(problem?.description == message)
        #expect(root == before)
    }

    private func sample() throws -> JSONNode {
        let text = #"{"load": {"rate": 5}, "list":[1, {"a":2}], "none": null}"#
        return try #require(JSONReader.parse(text.utf8).node)
    }

    @Test func kinds() throws {
        let text = #"[null, true, 1, "x", [], {}]"#
        let elements = try #require(JSONReader.parse(text.utf8).node?.array)
        #expect(
            elements.map(\.kindName) == [
                "null", "true or false", "a number", "text", "an array", "an object",
            ])
        #expect(elements.map(\.isNull) == [true, false, false, false, false, false])
        #expect(elements.map { $0.string != nil } == [false, false, false, true, false, false])
        #expect(elements.map { $0.bool != nil } == [false, true, false, false, false, false])
        #expect(elements.map { $0.int != nil } == [false, false, true, false, false, false])
        #expect(elements.map { $0.array != nil } == [false, false, false, false, true, false])
        #expect(elements.map { $0.members != nil } == [false, false, false, false, false, true])
        #expect(elements[5][0] == nil && elements[4]["0"] == nil && elements[4][0] == nil)
    }

    @Test(
        arguments: [
            ("rat", "rate"), ("raet", "rate"), ("RATE", "rate"), ("workrs", "workers"),
            ("wrokers", "workers"), ("zoms", "zooms"), ("duratoin", "duration"), ("x", nil),
            ("", nil), ("workaround", nil), ("tiel", "tile"), ("dur", nil),
        ] as [(String, String?)])
    func nearestWords(_ word: String, _ expected: String?) {
        let names = ["rate", "workers", "zooms", "duration", "tile", "z"]
        #expect(nearest(word, in: names) == expected)
    }

    @Test func aPathHasItsLimit() throws {
        var node = JSONNode.object([])
        try node.set(Array(repeating: "a", count: JSONNode.depthMax), to: .int(1))
        #expect(node.at(pointer: String(repeating: "/a", count: JSONNode.depthMax))?.int == 1)
        let before = node
        for count in [JSONNode.depthMax + 1, 50_000] {
            let problem = #expect(throws: JSONProblem.self) {
                try node.set(Array(repeating: "a", count: count), to: .int(2))
            }
            #expect(problem?.description.contains("64") == true)
            #expect((problem?.description.utf8.count ?? .max) < 100)
        }
        #expect(node == before)
    }

    @Test func membersAreTakenAway() {
        let text = #"{"a": {"b": 1, "c": null, "": 2}, "d": [{"e": 1}, 2]}"#
        func removing(_ path: [String]) -> JSONNode? {
            var node = JSONReader.parse(text.utf8).node
            node?.remove(path)
            return node
        }
        let whole = JSONReader.parse(text.utf8).node
        func expected(_ text: String) -> JSONNode? { JSONReader.parse(text.utf8).node }
        #expect(
            removing(["a", "c"]) == expected(#"{"a": {"b": 1, "": 2}, "d": [{"e": 1}, 2]}"#))
        #expect(
            removing(["a", ""]) == expected(#"{"a": {"b": 1, "c": null}, "d": [{"e": 1}, 2]}"#))
        #expect(removing(["a"]) == expected(#"{"d": [{"e": 1}, 2]}"#))
        #expect(
            removing(["d", "0", "e"])
                == expected(#"{"a": {"b": 1, "c": null, "": 2}, "d": [{}, 2]}"#))
        for path in [
            [], ["x"], ["a", "x"], ["x", "b"], ["a", "b", "c"], ["d", "0"], ["d", "9"],
        ] {
            #expect(removing(path) == whole)
        }
    }
}
