import Testing
import TileOrigin

@Suite("Tiles that the server makes")
struct TileTests {
    @Test(
        "A PNG decodes, has its border, and shows text in the middle",
        arguments: [
            ("/0/0/0.png", 256), ("/10/512/340.png", 256), ("/10/512/340@2x.png", 512),
            ("/30/1073741823/1073741823.png", 256), ("/9/298/176.png", 256),
        ])
    func picture(path: String, size: Int) throws {
        let bytes = try withOrigin { try HTTPClient(port: $0.port).get(path).body }
        let image = try PNGReader(bytes)
        #expect(image.width == size)
        #expect(image.height == size)
        #expect(image.palette.count == 4)
        for index in 0..<size {
            for edge in [(0, index), (size - 1, index), (index, 0), (index, size - 1)] {
                #expect(image.pixels[edge.0][edge.1] == 2)
            }
        }
        let inked = image.pixels.flatMap { $0 }.filter { $0 == 1 }.count
        // A digit has between 7 and 20 of its 35 dots.
        #expect(inked > 7 * 5)
        #expect(image.pixels[size / 4].allSatisfy { $0 != 1 })
    }

    @Test("The digits can be read back from the picture")
    func digits() throws {
        // Zoom 30 leaves one pixel to a dot: 24 characters of 6 columns, centred.
        let bytes = try withOrigin {
            try HTTPClient(port: $0.port).get("/30/1073741823/1073741823.png").body
        }
        let image = try PNGReader(bytes)
        let text = "30/1073741823/1073741823"
        let left = (256 - (text.count * 6 - 1)) / 2
        let top = (256 - 7) / 2
        var glyphs: [Character: [UInt8]] = [:]
        for (index, character) in text.enumerated() {
            let glyph = (0..<7).flatMap { row in
                (0..<6).map { image.pixels[top + row][left + index * 6 + $0] }
            }
            // The same character looks the same everywhere, and no two characters look alike.
            if let seen = glyphs[character] { #expect(seen == glyph) }
            glyphs[character] = glyph
        }
        #expect(Set(glyphs.values).count == Set(text).count)
        #expect(glyphs["1"]?[0..<6] == [0, 0, 1, 0, 0, 0])
        #expect(glyphs["7"]?[0..<6] == [1, 1, 1, 1, 1, 0])
    }

    @Test("Tiles differ, and a tile is the same on every server")
    func distinct() throws {
        let paths = (0..<8).flatMap { x in (0..<8).map { "/3/\(x)/\($0)" } }
        for format in ["png", "mvt"] {
            let fetch = { () throws -> [[UInt8]] in
                try withOrigin {
                    let client = try HTTPClient(port: $0.port)
                    return try paths.map { try client.get("\($0).\(format)").body }
                }
            }
            let first = try fetch()
            #expect(Set(first).count == paths.count)
            #expect(try fetch() == first)
        }
    }

    @Test(
        "A vector tile has one layer with a polygon and a point that say z, x and y",
        arguments: [[0, 0, 0], [14, 8528, 5975], [30, 1_073_741_823, 5]])
    func vector(address: [Int]) throws {
        let path = "/" + address.map(String.init).joined(separator: "/")
        let answer = try withOrigin { try HTTPClient(port: $0.port).get(path + ".mvt") }
        #expect(answer.headers["content-type"] == "application/vnd.mapbox-vector-tile")
        let layers = try VectorTileReader.fields(answer.body).filter { $0.number == 3 }
        #expect(layers.count == 1)
        let layer = try VectorTileReader.fields(try #require(layers.first).bytes)
        #expect(layer.first { $0.number == 15 }?.value == 2)
        #expect(layer.first { $0.number == 1 }?.bytes == Array("tile".utf8))
        #expect(layer.first { $0.number == 5 }?.value == 4096)
        let keys = layer.filter { $0.number == 3 }.map { String(decoding: $0.bytes, as: UTF8.self) }
        let values = try layer.filter { $0.number == 4 }.map {
            try #require(VectorTileReader.fields($0.bytes).first { $0.number == 5 }).value
        }
        let features = try layer.filter { $0.number == 2 }.map {
            try VectorTileReader.fields($0.bytes)
        }
        #expect(features.map { $0.first { $0.number == 3 }?.value } == [3, 1])
        for feature in features {
            let tags = try VectorTileReader.varints(
                try #require(feature.first { $0.number == 2 }).bytes)
            var properties: [String: UInt64] = [:]
            for pair in stride(from: 0, to: tags.count, by: 2) {
                properties[keys[Int(tags[pair])]] = values[Int(tags[pair + 1])]
            }
            #expect(
                properties
                    == ["z": address[0], "x": address[1], "y": address[2]].mapValues(UInt64.init))
        }
        let ring = try VectorTileReader.varints(
            try #require(features[0].first { $0.number == 4 }).bytes)
        // MoveTo x1, LineTo x3, ClosePath x1.
        #expect(ring[0] == 9)
        #expect(ring[3] == 26)
        #expect(ring.last == 15)
    }

    @Test(
        "A tile is padded to the wanted size and still decodes",
        arguments: [600, 601, 700, 4096, 65_536, 300_001])
    func padding(bytes: Int) throws {
        try withOrigin {
            $0.bytes = bytes
        } _: {
            let client = try HTTPClient(port: $0.port)
            let png = try client.get("/12/1/2.png")
            #expect(png.body.count == bytes)
            #expect(try PNGReader(png.body).chunks == ["IHDR", "PLTE", "IDAT", "tbPd", "IEND"])
            let mvt = try client.get("/12/1/2.mvt")
            #expect(mvt.body.count == bytes)
            let fields = try VectorTileReader.fields(mvt.body)
            #expect(fields.map(\.number) == [3, 16])
            #expect(try client.get("/12/1/3.png").body != png.body)
        }
    }

    @Test("A size below the natural one leaves the tile as it is")
    func smallPadding() throws {
        let natural = try withOrigin { try HTTPClient(port: $0.port).get("/12/1/2.png").body }
        let small = try withOrigin {
            $0.bytes = 100
        } _: {
            try HTTPClient(port: $0.port).get("/12/1/2.png").body
        }
        #expect(small == natural)
    }
}
