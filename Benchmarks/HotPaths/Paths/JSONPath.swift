import JSONText

/// Reading a document as large as a style with all its layers.
struct JSONPath: HotPath {
    let operations = 1

    func setUp() -> [UInt8] {
        var text = "{\"layers\": ["
        var number = 0
        while text.utf8.count < 1_000_000 {
            if number > 0 { text += "," }
            text += """
                {"id": "layer \(number)", "type": "line", "minzoom": \(number % 20), "paint":
                {"line-width": [1, 2.5, -3e2, \(number)], "line-color": "#a\\u00e9b"},
                "visible": true, "filter": null}
                """
            number += 1
        }
        return Array((text + "]}").utf8)
    }

    func run(_ text: inout [UInt8]) -> UInt64 {
        let (node, problems) = JSONReader.parse(text, comments: false)
        precondition(problems.isEmpty, "the document of the benchmark is not JSON")
        return UInt64(node?["layers"]?.array?.count ?? 0)
    }
}
