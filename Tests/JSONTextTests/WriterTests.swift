import JSONText
import Testing

@Suite struct WriterTests {
    @Test func pretty() {
        let node = JSONNode.object([
            ("tiles", .string("x")), ("bounds", .array([.double(5.9), .int(-3)])),
            ("empty", .object([])), ("none", .array([])),
            ("list", .array([.object([("a", .null)]), .bool(true)])),
            (
                "long",
                .array([
                    .string(String(repeating: "l", count: 40)),
                    .string(String(repeating: "m", count: 40)),
                ])
            ),
        ])
        let expected = """
            {
              "tiles": "x",
              "bounds": [5.9, -3],
              "empty": {},
              "none": [],
              "list": [
                {
                  "a": null
                },
                true
              ],
              "long": [
                "\(String(repeating: "l", count: 40))",
                "\(String(repeating: "m", count: 40))"
              ]
            }
            """
        #expect(JSONWriter.encodeText(node, pretty: true) == expected)
        #expect(JSONReader.parse(expected.utf8).node == node)
        var lines: [UInt8] = [UInt8(ascii: ">")]
        JSONWriter.append(.array([.int(1), .int(2)]), to: &lines)
        #expect(lines == Array(">[1,2]".utf8))
    }

    @Test(arguments: [
        ("a\"b\\c/d", #""a\"b\\c/d""#),
        ("\u{8}\t\n\u{C}\r\u{0}\u{1F}\u{7F}", "\"\\b\\t\\n\\f\\r\\u0000\\u001f\u{7F}\""),
        ("</script><!--<b>", #""<\/script>\u003c!--<b>""#), ("<", #""<""#),
        ("\u{2027}\u{2028}\u{2029}\u{202A}", "\"\u{2027}\\u2028\\u2029\u{202A}\""),
        ("é\u{1F600}\u{E000}", "\"é\u{1F600}\u{E000}\""),
    ])
    func texts(_ text: String, _ expected: String) {
        #expect(JSONWriter.encodeText(.string(text)) == expected)
        #expect(JSONReader.parse(expected.utf8).node == .string(text))
    }

    @Test(arguments: [
        (0, "0"), (-0.0, "-0"), (1, "1"), (-2.5, "-2.5"), (0.1, "0.1"), (1e21, "1e+21"),
        (.leastNonzeroMagnitude, "5e-324"), (1.7976931348623157e308, "1.7976931348623157e+308"),
        (123456789012, "123456789012"), (0.00001, "1e-05"),
    ])
    func doubles(_ value: Double, _ expected: String) {
        #expect(JSONWriter.encodeText(.double(value)) == expected)
        #expect(JSONNumber(expected)?.double == value)
    }

    @Test func integers() {
        #expect(
            JSONWriter.encodeText(.array([.int(.min), .uint(.max)]))
                == "[-9223372036854775808,18446744073709551615]")
    }
}
