import Testing

@testable import TileModel

/// The published vectors, through the way a layer's template is made of capabilities.
@Suite struct WMTSVectorTests {
    typealias Vector = URLVectorTests.WMTSVector

    static let all = (try? vectors("wmts-vectors", as: [Vector].self)) ?? []

    @Test func vectorsAreThere() {
        #expect(Set(Self.all.map(\.encoding)) == ["RESTful", "KVP"])
    }

    /// What is the same in all tiles; names have no case, and what is no part of a WMTS's own is a
    /// dimension, or the token that the address asks for.
    static func values(_ vector: Vector) -> WMTSTemplate.Values {
        func text(_ name: String) -> String? {
            vector.context.first { $0.key.lowercased() == name }?.value.text
        }
        let own = [
            "layer", "style", "tilematrixset", "service", "request", "version", "format",
            "tilematrix", "tilerow", "tilecol", "token",
        ]
        let dimensions = vector.context.filter { !own.contains($0.key.lowercased()) }
            .sorted { $0.key < $1.key }
            .map { WMTSTemplate.Dimension(name: $0.key, value: $0.value.text) }
        return WMTSTemplate.Values(
            layer: text("layer") ?? "", style: text("style") ?? "",
            tileMatrixSet: text("tilematrixset") ?? "", format: text("format") ?? "image/png",
            dimensions: dimensions)
    }

    @Test(arguments: all)
    func expansion(vector: Vector) throws {
        let values = Self.values(vector)
        let template =
            vector.encoding == "KVP"
            ? WMTSTemplate.kvp(vector.template, values)
            : try WMTSTemplate.restful(vector.template, values)
        let context = vector.context
        let matrix = try #require(context["TileMatrix"]?.text)
        let column = try #require(context["TileCol"].flatMap { UInt32($0.text) })
        let row = try #require(context["TileRow"].flatMap { UInt32($0.text) })
        // The identifier's place in the list of matrices does not matter to the template.
        let names = [String](repeating: matrix, count: 31)
        let compiled = try TileTemplate(template, options: TemplateOptions(matrixNames: names))
        let token = context["token"].map { percentEncoded($0.text) } ?? ""
        #expect(
            compiled.url(TileID(z: 30, x: column, y: row), token: token) == vector.expected,
            "\(vector.id)")
    }
}
