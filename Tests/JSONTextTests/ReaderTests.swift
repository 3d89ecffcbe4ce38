import JSONText
import Testing

@Suite struct ReaderTests {
    @Test(
        arguments: [
            ("null", .null), (" true ", .bool(true)), ("false", .bool(false)),
            ("0", .int(0)), ("-12", .int(-12)), ("\"\"", .string("")),
            ("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", .string("\"\\/\u{8}\u{C}\n\r\t")),
            ("\"\\u00e9\\uD83D\\uDE00é😀\"", .string("é😀é😀")),
            ("[]", .array([])), ("{}", .object([])),
            ("[1, [2], {}]", .array([.int(1), .array([.int(2)]), .object([])])),
            ("{\"b\": 1, \"a\": \"//\"}", .object([("b", .int(1)), ("a", .string("//"))])),
            ("// x\n{ // y\r\n\"a\" // z\r: // [\n1 // }\n} // end", .object([("a", .int(1))])),
            ("\u{FEFF}[]", .array([])), ("1//c", .int(1)),
            ("{\"é\": 1, \"e\u{301}\": 2}", .object([("é", .int(1)), ("e\u{301}", .int(2))])),
        ] as [(String, JSONNode)])
    func good(_ text: String, _ expected: JSONNode) {
        let (node, problems) = JSONReader.parse(text.utf8)
        #expect(problems == [])
        #expect(node == expected)
    }

    @Test func equalityIsExact() {
        #expect(JSONNode.string("é") != .string("e\u{301}"))
        #expect(JSONNode.object([("a", .null)]) != .object([("b", .null)]))
        #expect(JSONNode.int(1) != .bool(true))
        #expect(JSONReader.parse("[1]".utf8).node == JSONReader.parse("\n[ 1]".utf8).node)
    }

    @Test func placesCountScalarsAndAllLineEnds() throws {
        let text = "\u{FEFF}{ \"e\u{301}😀\": 1,\r\n\t\"b\": [2,\r3,\n 4] }"
        let root = try #require(JSONReader.parse(text.utf8).node)
        #expect(root.place == JSONPlace(line: 1, column: 1))
        let members = try #require(root.members)
        #expect(members[0].place == JSONPlace(line: 1, column: 3))
        #expect(members[0].node.place == JSONPlace(line: 1, column: 10))
        #expect(members[1].place == JSONPlace(line: 2, column: 2))
        let places = try #require(members[1].node.array).map(\.place)
        #expect(
            places == [
                JSONPlace(line: 2, column: 8), JSONPlace(line: 3, column: 1),
                JSONPlace(line: 4, column: 2),
            ])
    }

    @Test func namesOfALargeObjectAreCompared() {
        let names = (0..<100).map { "\"name\($0)\": \($0)" }.joined(separator: ", ")
        let (node, problems) = JSONReader.parse("{\(names), \"name77\": 0, \"name3\": 0}".utf8)
        #expect(node?.members?.count == 100)
        #expect(node?["name77"]?.int == 77)
        #expect(problems.map(\.pointer) == ["/name77", "/name3"])
    }

    @Test(
        arguments: [
            ("0", 0, 0), ("-0", 0, 0), ("1e3", 1000, 1000), ("10.0", 10, 10), ("1.5e1", 15, 15),
            ("1200e-2", 12, 12), ("1.5", nil, nil), ("1e-1", nil, nil), ("-7", -7, nil),
            ("9223372036854775807", .max, 9_223_372_036_854_775_807),
            ("-9223372036854775808", .min, nil), ("-9223372036854775809", nil, nil),
            ("9223372036854775808", nil, 9_223_372_036_854_775_808),
            ("18446744073709551615", nil, .max), ("18446744073709551616", nil, nil),
            ("1e19", nil, 10_000_000_000_000_000_000), ("1e20", nil, nil),
            ("1e99999999999999999999", nil, nil), ("0e99999999999999999999", 0, 0),
            ("1e-99999999999999999999", nil, nil),
        ] as [(String, Int?, UInt64?)])
    func wholeNumbers(_ text: String, _ int: Int?, _ uint: UInt64?) throws {
        let number = try #require(JSONNumber(text))
        #expect(number.int == int)
        #expect(number.uint == uint)
    }

    @Test func doubles() {
        #expect(JSONNumber("1.25e2")?.double == 125)
        #expect(JSONNumber("0.1")?.double == 0.1)
        #expect(JSONNumber("1e999")?.double == nil)
        for text in ["", "-", "01", "1.", ".1", "1e", "+1", "1 ", "0x1", "nan", "1e+", "--1"] {
            #expect(JSONNumber(text) == nil, "\(text)")
        }
    }
}
