import JSONText
import Testing

/// A text, what is left of it in compact form ("-" for nothing), and every problem in full.
struct BadText: CustomTestStringConvertible, Sendable {
    let text: String
    let node: String
    let problems: [String]

    init(_ text: String, _ node: String, _ problems: String...) {
        self.text = text
        self.node = node
        self.problems = problems
    }

    var testDescription: String { text.debugDescription }
}

@Suite struct ReaderProblemTests {
    private func check(_ bad: BadText) {
        let (node, problems) = JSONReader.parse(bad.text.utf8)
        #expect(problems.map(\.description) == bad.problems)
        #expect(node.map { JSONWriter.encodeText($0) } ?? "-" == bad.node)
    }

    @Test(arguments: [
        BadText(
            "", "-",
            "line 1, column 1: the text is empty (a JSON text holds one value, such as {})"),
        BadText(
            "  // only\n", "-",
            "line 1, column 1: the text holds no value, only space and comments"
                + " (a JSON text holds one value, such as {})"),
        BadText(
            "{} x", "{}",
            "line 1, column 4: `x` follows the end of the value (a JSON text holds one value)"),
        BadText("[1]]", "[1]", "line 1, column 4: `]` closes nothing"),
        BadText("}", "-", "line 1, column 1: a value is missing before `}`"),
        BadText("1 # c", "1", "line 1, column 3: `#` begins no comment (comments begin with //)"),
        BadText(
            "/* hi */ 1", "1",
            "line 1, column 1: `/*` begins no comment (comments begin with //)"),
        BadText("\u{A0}1", "-", "line 1, column 1: a value cannot begin with U+00A0"),
    ])
    func documents(_ bad: BadText) { check(bad) }

    @Test(arguments: [
        BadText(
            "{\"a\": 1,}", "{\"a\":1}",
            "line 1, column 8: a comma stands before the end (remove it)"),
        BadText("[1,2,\n]", "[1,2]", "line 1, column 5: a comma stands before the end (remove it)"),
        BadText("[1 2]", "[1,2]", "line 1, column 4: `,` or `]` is missing before `2`"),
        BadText(
            "{\"a\": 1\n \"b\": 2}", "{\"a\":1,\"b\":2}",
            "line 2, column 2: `,` or `}` is missing before `\"`"),
        BadText(
            "{\"a\": 1;\"b\": 2}", "{\"a\":1,\"b\":2}",
            "line 1, column 8: `;` stands where `,` should"),
        BadText("[1,,2]", "[1,2]", "line 1, column 4, /1: a value is missing before `,`"),
        BadText("{,\"a\":1}", "{\"a\":1}", "line 1, column 2: a member is missing before `,`"),
        BadText("{\"a\":}", "{}", "line 1, column 6, /a: a value is missing before `}`"),
        BadText(
            "{\"a\" 1}", "{\"a\":1}", "line 1, column 6, /a: `:` is missing after a name, found `1`"
        ),
        BadText(
            "{\"a\", \"b\": 1}", "{\"b\":1}",
            "line 1, column 5, /a: `:` is missing after a name, found `,`"),
        BadText(
            "{\"a\" = 1}", "{\"a\":1}",
            "line 1, column 6, /a: `:` is missing after a name, found `=`"),
        BadText(
            "{a: 1}", "{\"a\":1}", "line 1, column 2: a name needs double quotes (write \"a\")"),
        BadText(
            "{'b': 1}", "{\"b\":1}", "line 1, column 2: text needs double quotes, not single ones"),
        BadText(
            "{1: 2, \"b\": 3}", "{\"b\":3}",
            "line 1, column 2: a name in double quotes is missing, found `1`"),
        BadText(
            "[\"a\": 1]", "[\"a\"]",
            "line 1, column 5: `,` or `]` is missing before `:`"
                + " (names stand in objects: {\"name\": value})"),
        BadText(
            "{\"a\":1,\n\"b\":2,\"a\":3}", "{\"a\":1,\"b\":2}",
            "line 2, column 7, /a: `a` stands twice in this object (it first stands at line 1, column 2)"
        ),
        BadText(
            "{\"a\": [1, 2}", "{\"a\":[1,2]}",
            "line 1, column 12, /a: `}` stands where `]` should close"
                + " the array that began at line 1, column 7"),
        BadText(
            "[{\"a\": 1]", "[{\"a\":1}]",
            "line 1, column 9, /0: `]` stands where `}` should close"
                + " the object that began at line 1, column 2"),
        BadText(
            "[1}\n", "[1]",
            "line 1, column 3: `}` stands where `]` should close the array that began at line 1, column 1"
        ),
        BadText(
            "[1}, 2]", "[1,2]",
            "line 1, column 3: `}` closes nothing (`]` would close the array that began at line 1, column 1)"
        ),
    ])
    func containers(_ bad: BadText) { check(bad) }

    @Test(arguments: [
        BadText(
            "{\"a\": [1, {\"b\": ", "{\"a\":[1,{}]}",
            "line 1, column 17, /a/1/b: the text ends inside the object that began at"
                + " line 1, column 11, inside the array that began at line 1, column 7, inside the"
                + " object that began at line 1, column 1 (`}]}` would close it)"),
        BadText(
            "[\n\"x", "[]",
            "line 2, column 3, /0: the text ends inside the text in quotes that began at"
                + " line 2, column 1, inside the array that began at line 1, column 1 (`\"]` would close it)"
        ),
        BadText(
            "\"\\u12", "-",
            "line 1, column 6: the text ends inside the text in quotes that began at"
                + " line 1, column 1 (`\"` would close it)"),
        BadText(
            "[1,", "[1]",
            "line 1, column 4: the text ends inside the array that began at line 1, column 1 (`]` would close it)"
        ),
        BadText(
            "{\"a\"", "{}",
            "line 1, column 5, /a: the text ends inside the object that began at"
                + " line 1, column 1 (`}` would close it)"),
    ])
    func truncated(_ bad: BadText) { check(bad) }

    @Test(arguments: [
        BadText(
            "\"a\tb\"", "\"a\\tb\"",
            "line 1, column 3: the control character U+0009 stands in a text (write \\t)"),
        BadText(
            "\"a\u{0}\"", "\"a\\u0000\"",
            "line 1, column 3: the control character U+0000 stands in a text (write \\u0000)"),
        BadText(
            "\"\\x\"", "\"x\"",
            "line 1, column 2: a backslash before `x` means nothing (a backslash itself is written \\\\)"
        ),
        BadText(
            "\"é\\ud800\"", "\"é\u{FFFD}\"",
            "line 1, column 3: \\uD800 is half a surrogate pair (its second half is missing)"),
        BadText(
            "\"\\udc00x\"", "\"\u{FFFD}x\"",
            "line 1, column 2: \\uDC00 is half a surrogate pair (its first half is missing)"),
        BadText(
            "\"\\u12g4\"", "\"\u{FFFD}12g4\"",
            "line 1, column 2: four hexadecimal digits must follow \\u"),
        BadText(
            "{\"a\": \"abc\n \"b\": 1}", "{\"b\":1}",
            "line 1, column 7, /a: the closing quote of this text is missing (a text ends on its line)"
        ),
        BadText(
            "{\"a\": \"abc\n def\", \"x\": 1}", "{\"a\":\"abc\\n def\",\"x\":1}",
            "line 1, column 11, /a: a line break stands in a text (write \\n)"),
        BadText(
            "{\"a\": “x”}", "{}",
            "line 1, column 7, /a: a value cannot begin with `“` (text needs straight double quotes)"
        ),
    ])
    func texts(_ bad: BadText) { check(bad) }

    @Test(arguments: [
        ("01", "1", "`01` is not a number of JSON (no zero may stand first: write 1)"),
        ("-007", "-7", "`-007` is not a number of JSON (no zero may stand first: write -7)"),
        ("+1", "1", "`+1` is not a number of JSON (no plus sign may stand first: write 1)"),
        (
            ".5", "0.5",
            "`.5` is not a number of JSON (a digit must stand before the point: write 0.5)"
        ),
        ("5.", "5", "`5.` is not a number of JSON (a digit must follow the point: write 5)"),
        ("0x1F", "31", "`0x1F` is not a number of JSON (hexadecimal is not allowed: write 31)"),
        ("1_000", "1000", "`1_000` is not a number of JSON (digits cannot be grouped: write 1000)"),
        ("-", "-", "a digit is missing in `-`"),
        ("1e", "-", "`1e` is not a number (text needs double quotes: \"1e\")"),
        ("500/s", "-", "`500/s` is not a number (text needs double quotes: \"500/s\")"),
        ("NaN", "-", "JSON has no NaN (write null, or leave it out)"),
        ("-Infinity", "-", "JSON has no -Infinity (write null, or leave it out)"),
        ("tRue", "-", "`tRue` is not a value of JSON (did you mean true?)"),
        ("fals", "-", "`fals` is not a value of JSON (did you mean false?)"),
        ("None", "-", "`None` is not a value of JSON (write null)"),
        ("hello", "-", "`hello` is not a value of JSON (text needs double quotes: \"hello\")"),
    ])
    func words(_ word: String, _ value: String, _ message: String) {
        let member = value == "-" ? "" : "\"r\":\(value),"
        check(
            BadText(
                "{\"load\": {\n\"r\": \(word), \"next\": 1}}", "{\"load\":{\(member)\"next\":1}}",
                "line 2, column 6, /load/r: \(message)"))
    }

    @Test(
        arguments: [
            (
                [0x22, 0xFF, 0x22],
                "line 1, column 2: the byte 0xFF is not UTF-8 here (save the text as UTF-8)"
            ),
            (
                [0x22, 0xE2, 0x82, 0x22],
                "line 1, column 2: the byte 0xE2 is not UTF-8 here (save the text as UTF-8)"
            ),
            // An overlong slash in a comment, an encoded surrogate, and a scalar above U+10FFFF.
            (
                [0x2F, 0x2F, 0xC0, 0xAF, 0x0A, 0x31],
                "line 1, column 3: the byte 0xC0 is not UTF-8 here (save the text as UTF-8)"
            ),
            (
                [0x22, 0xED, 0xA0, 0x80, 0x22],
                "line 1, column 2: the byte 0xED is not UTF-8 here (save the text as UTF-8)"
            ),
            (
                [0x22, 0xF4, 0x90, 0x80, 0x80, 0x22],
                "line 1, column 2: the byte 0xF4 is not UTF-8 here (save the text as UTF-8)"
            ),
            ([0xC3], "line 1, column 1: the byte 0xC3 is not UTF-8 here (save the text as UTF-8)"),
            ([0xFF, 0xFE, 0x7B, 0x00], "line 1, column 1: the text is UTF-16 (save it as UTF-8)"),
        ] as [([UInt8], String)])
    func notUTF8(_ bytes: [UInt8], _ problem: String) {
        #expect(JSONReader.parse(bytes).problems.map(\.description) == [problem])
    }

    @Test func severalAtOnce() {
        let text = """
            {
              "tiles": "https://example.org/{z}/{x}/{y}",  // fine
              "load": { "rate": 500/s, "workers": 04 },
              "zooms": [1, 2, ],
              zooms: [3],
              "a/b": { "c~d": nul }
              "load": {}
            }
            """
        let expected: [(String, Int, Int)] = [
            ("/load/rate", 3, 21), ("/load/workers", 3, 39), ("/zooms", 4, 17), ("", 5, 3),
            ("/zooms", 5, 3), ("/a~1b/c~0d", 6, 19), ("", 7, 3), ("/load", 7, 3),
        ]
        let problems = JSONReader.parse(text.utf8).problems
        #expect(problems.map(\.pointer) == expected.map(\.0))
        #expect(problems.map { $0.place?.line } == expected.map(\.1))
        #expect(problems.map { $0.place?.column } == expected.map(\.2))
    }

    @Test func commentsCanBeForbidden() {
        let (node, problems) = JSONReader.parse("{\"a\": 1 // x\n}".utf8, comments: false)
        #expect(node == .object([("a", .int(1))]))
        #expect(problems.map(\.description) == ["line 1, column 9: comments are not allowed here"])
    }

    @Test func depthIsLimited() {
        func nested(_ depth: Int) -> [UInt8] {
            Array(
                (String(repeating: "[", count: depth) + String(repeating: "]", count: depth)).utf8)
        }
        #expect(JSONReader.parse(nested(64)).problems.isEmpty)
        let deep = JSONReader.parse("[".utf8 + nested(64) + ", 01]".utf8).problems
        #expect(deep.map { $0.place?.column } == [65, 132])
        #expect(deep.first?.message == "arrays and objects stand more than 64 deep here")
        #expect(JSONReader.parse(nested(3), depthLimit: 2).problems.count == 1)
        // Neither many brackets nor a large limit may cost more stack than there is.
        let brackets = [UInt8](repeating: UInt8(ascii: "["), count: 1_000_000)
        #expect(JSONReader.parse(brackets, depthLimit: .max).problems.count == 2)
    }

    @Test func reportsEndAfterAHundred() {
        let text = "[" + String(repeating: "01,", count: 500) + "0]"
        let problems = JSONReader.parse(text.utf8).problems
        #expect(problems.count == 101)
        #expect(problems.last?.message == "reading ends here after 100 problems")
    }
}
