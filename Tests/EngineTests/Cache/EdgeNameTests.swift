import Testing

@testable import Engine

@Suite struct EdgeNameTests {
    @Test(
        arguments: [
            ([("CF-RAY", "8c1f0e3a5d2b1234-FRA")], "FRA"), ([("cf-ray", "8c1f0e3a5d2b1234")], ""),
            ([("cf-ray", "-")], ""), ([("X-Amz-Cf-Pop", "FRA56-P5")], "FRA56-P5"),
            ([("X-Served-By", "cache-lon1-LON, cache-fra-etou8220025-FRA")], "FRA"),
            ([("X-Served-By", "cache-lon1-LON"), ("X-Served-By", "cache-fra2-FRA")], "FRA"),
            ([("X-Served-By", "tiles-3.example.org")], "tiles-3.example.org"),
            ([("x-served-by", "cache-lon1-LON,")], "LON"), ([("X-Served-By", "")], ""),
            // A product's own before what others may have set, whatever the order.
            ([("X-Served-By", "cache-lon1-LON"), ("cf-ray", "1-FRA")], "FRA"),
            ([("cf-ray", "1-FRA"), ("x-amz-cf-pop", "LHR1-C1")], "FRA"),
            (
                [("X-Served-By", String(repeating: "x", count: 40))],
                String(repeating: "x", count: 32)
            ),
            ([("Server", "nginx")], ""), ([], ""),
        ] as [([(String, String)], String)])
    func names(_ headers: [(String, String)], _ expected: String) {
        #expect(facts(headers).edge.text == expected)
    }

    @Test func anAnswerForgetsTheOneBefore() {
        var facts = facts([("cf-ray", "1-FRA")])
        facts.reset()
        #expect(facts.edge.text.isEmpty)
    }
}
