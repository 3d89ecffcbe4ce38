import TileModel

/// Writing the URL of a tile.
struct TemplatePath: HotPath {
    struct State {
        let template: TileTemplate
        let token: UnsafeMutableBufferPointer<UInt8>
        let url: UnsafeMutableBufferPointer<UInt8>
    }

    let operations = 100_000
    private let text: String

    init(_ text: String) { self.text = text }

    func setUp() throws -> State {
        let template = try TileTemplate(text)
        let token = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 200)
        token.initialize(repeating: UInt8(ascii: "t"))
        let length = template.lengthMax(tokenBytes: token.count)
        let url = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: length)
        url.initialize(repeating: 0)
        return State(template: template, token: token, url: url)
    }

    func run(_ state: inout State) -> UInt64 {
        let values = TemplateValues(token: UnsafeBufferPointer(state.token))
        var written = 0
        for index in 0..<UInt32(operations) {
            // The lower bits of a running number, spread over the columns and rows of zoom 14.
            let mixed = index &* 2_654_435_761
            let tile = TileID(z: 14, x: mixed & 16_383, y: mixed >> 16 & 16_383)
            written &+= state.template.write(tile, values: values, into: state.url)
        }
        return UInt64(written)
    }

    func tearDown(_ state: State) {
        state.token.deallocate()
        state.url.deallocate()
    }
}
