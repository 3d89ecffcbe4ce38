import JSONText
import Testing

@testable import TileModel

/// Which tiles exist in matrices of all kinds.
@Suite struct TileMatrixTests {
    static func limited(_ limits: [String], sets: String = WMTSText.web()) -> WMTSText {
        var text = WMTSText()
        text.link += "<TileMatrixSetLimits>\(limits.joined())</TileMatrixSetLimits>"
        text.sets = sets
        return text
    }

    /// With limits, only matrices that have some have tiles; their names may be prefixed.
    @Test(arguments: [
        ("", "", false), ("", "web:", false), ("web:", "", false), ("web:", "web:", true),
    ])
    func limits(matrixPrefix: String, limitPrefix: String, isSame: Bool) throws {
        let text = Self.limited(
            [
                WMTSText.limits(limitPrefix + "04", rows: (4, 7), columns: (8, 9)),
                WMTSText.limits(limitPrefix + "05", rows: (10, 99), columns: (16, 19)),
            ], sets: WMTSText.web(prefix: matrixPrefix))
        let source = try text.source()
        #expect(source.minZoom == 4 && source.maxZoom == 5)
        #expect(source.ranges(zoom: 4) == [TileRange(z: 4, x: 8...9, y: 4...7)])
        #expect(source.ranges(zoom: 5) == [TileRange(z: 5, x: 16...19, y: 10...31)])
        #expect(source.pyramidSize == 8 + 4 * 22 && source.ranges(zoom: 3) == [])
        #expect(source.notes.map(\.path) == ["<TileMatrixLimits>"])
        #expect(source.matrixNames[4] == matrixPrefix + "04" && source.matrixNames[3] == "")
    }

    @Test func limitsThatLeaveNothing() throws {
        let text = Self.limited([
            WMTSText.limits("04", rows: (7, 4), columns: (8, 9)),
            WMTSText.limits("05", rows: (0, 3), columns: (32, 40)),
            WMTSText.limits("99", rows: (0, 3), columns: (0, 1)),
            WMTSText.limits("06", rows: (0, 3), columns: (0, 1)),
        ])
        let source = try text.source()
        #expect(source.minZoom == 6 && source.maxZoom == 6)
        #expect(source.notes.count == 3 && source.notes.allSatisfy { $0.place != nil })
        let none = Self.limited([WMTSText.limits("99", rows: (0, 3), columns: (0, 1))])
        #expect(throws: DocumentRemark.self) { _ = try none.source() }
        let broken = Self.limited([WMTSText.limits("05", rows: (-1, 3), columns: (0, 1))])
        let error = try #require(throws: DocumentRemark.self) { _ = try broken.source() }
        #expect(error.path == "<MinTileRow>" && error.place != nil)
    }

    /// The layer's box cuts the limits, and the area of a workload cuts both.
    @Test func boundsAndLimits() throws {
        var text = Self.limited([WMTSText.limits("05", rows: (8, 12), columns: (14, 17))])
        text.box = text.box.replacing(">-180 -85.06<", with: ">0 0<")
        let source = try text.source()
        #expect(source.ranges(zoom: 5) == [TileRange(z: 5, x: 16...17, y: 8...12)])
        let area = try GeoBounds(west: 12, south: 46, east: 60, north: 47)
        #expect(source.ranges(zoom: 5, within: area) == [TileRange(z: 5, x: 17...17, y: 11...11)])
        #expect(source.tile(longitude: 12, latitude: 46.5, zoom: 5) == TileID(z: 5, x: 17, y: 11))
        #expect(source.tile(longitude: -1, latitude: 46.5, zoom: 5) == nil)
        #expect(source.tile(longitude: 12, latitude: 46.5, zoom: 4) == nil)
        let sample = try #require(source.sampleTile)
        #expect(source.ranges(zoom: 5).contains { $0.contains(sample) })
    }

    /// Tiles of 512 pixels are the same tiles under a scale of half.
    @Test func tilesOf512Pixels() throws {
        var text = WMTSText()
        text.sets = WMTSText.web(pixels: 512)
        let source = try text.source()
        #expect(source.followsWebMercator && source.tileSize == 512)
        #expect(source.minZoom == 0 && source.maxZoom == 10 && source.matrixNames[7] == "07")
    }

    // MARK: - Degrees

    /// The order of the corner is the axes' of the system; 2 x 1 tiles are zoom 1.
    @Test(arguments: [
        ("EPSG:4326", "90 -180", 0), ("urn:ogc:def:crs:EPSG::4326", "90.0,-180.0", 0),
        ("urn:ogc:def:crs:OGC:1.3:CRS84", "-180 90", 0), ("EPSG:4326", "-180 90", 5),
        ("CRS:84", "90 -180", 5),
    ])
    func corners(crs: String, corner: String, notes: Int) throws {
        var text = WMTSText()
        text.link = "<TileMatrixSet>deg</TileMatrixSet>"
        text.sets = WMTSText.degrees(crs: crs, corner: corner)
        let source = try text.source()
        #expect(!source.followsWebMercator && source.notes.count == notes)
        #expect(source.minZoom == 1 && source.maxZoom == 5)
        #expect(source.matrixNames == ["", "L0", "L1", "L2", "L3", "L4"])
        let matrix = try #require(source.matrix(3))
        #expect(matrix.left == -180 && matrix.top == 90 && matrix.columns == 8 && matrix.rows == 4)
        #expect(abs(matrix.spanX - 45) < 1e-9)
        // The whole world, poles too.
        #expect(source.ranges(zoom: 3) == [TileRange(z: 3, x: 0...7, y: 0...3)])
        #expect(source.tile(longitude: 8, latitude: 47, zoom: 3) == TileID(z: 3, x: 4, y: 0))
        #expect(source.tile(longitude: 180, latitude: -90, zoom: 3) == TileID(z: 3, x: 7, y: 3))
        let area = try GeoBounds(west: 0, south: 0, east: 45, north: 45)
        #expect(source.ranges(zoom: 3, within: area) == [TileRange(z: 3, x: 4...4, y: 1...1)])
        let across = try GeoBounds(west: 170, south: -20, east: -170, north: -10)
        #expect(
            source.ranges(zoom: 3, within: across)
                == [TileRange(z: 3, x: 0...0, y: 2...2), TileRange(z: 3, x: 7...7, y: 2...2)])
        let wide = try GeoBounds(west: 10, south: -20, east: 5, north: -10)
        #expect(source.ranges(zoom: 3, within: wide) == [TileRange(z: 3, x: 0...7, y: 2...2)])
        #expect(try source.templateSet().url(TileID(z: 3, x: 4, y: 1)).contains("/deg/L2/4/1."))
    }

    /// Scales that are no powers of two, as imagery services have: numbers fit the zoom, deeper
    /// matrices have deeper zooms, and no two share one.
    @Test func unevenScales() throws {
        let sizes = [(2, 1), (3, 2), (5, 3), (10, 5), (20, 10), (23, 12), (25, 13)]
        var text = WMTSText()
        text.link = "<TileMatrixSet>deg</TileMatrixSet>"
        text.sets = WMTSText.set(
            "deg", crs: "CRS:84",
            sizes.enumerated().map { index, size in
                WMTSText.matrix(
                    "m\(index)", scale: 559082264 / (Double(size.0) - 0.25), corner: "-180 90",
                    columns: size.0,
                    rows: size.1)
            })
        let source = try text.source()
        #expect(source.matrices.map(\.identifier) == (0..<7).map { "m\($0)" })
        #expect(source.matrices.map(\.zoom) == [1, 2, 3, 4, 5, 6, 7])
        for matrix in source.matrices {
            #expect(matrix.columns <= 1 << UInt32(matrix.zoom))
            #expect(
                TileID(
                    packed: TileID(z: matrix.zoom, x: matrix.columns - 1, y: matrix.rows - 1).packed
                ).x == matrix.columns - 1)
        }
    }

    /// A grid of metres that does not begin at the world's corner (a service of one country).
    @Test func ownCorner() throws {
        var text = Self.limited(
            [WMTSText.limits("1", rows: (2, 5), columns: (2, 5))],
            sets: WMTSText.set(
                "web", crs: "EPSG:3857",
                [
                    WMTSText.matrix(
                        "0", scale: 13950892.857142857, corner: "0 4000000", columns: 8, rows: 8),
                    WMTSText.matrix(
                        "1", scale: 6975446.428571428, corner: "0 4000000", columns: 16, rows: 16),
                ]))
        text.box = ""
        let source = try text.source()
        #expect(!source.followsWebMercator && source.minZoom == source.maxZoom)
        let zoom = source.minZoom
        let matrix = try #require(source.matrix(zoom))
        #expect(abs(matrix.spanX - 500_000) < 1e-3)
        #expect(source.ranges(zoom: zoom) == [TileRange(z: zoom, x: 2...5, y: 2...5)])
        // 10 degrees east are 1,113,195 m, 20 north 2,273,031 m.
        #expect(source.tile(longitude: 10, latitude: 20, zoom: zoom) == TileID(z: zoom, x: 2, y: 3))
        let area = try GeoBounds(west: 10, south: 20, east: 14, north: 24)
        #expect(source.ranges(zoom: zoom, within: area) == [TileRange(z: zoom, x: 2...3, y: 2...3)])
        #expect(source.tile(longitude: -10, latitude: 20, zoom: zoom) == nil)
    }

    /// A point inside a random area lies in one of the area's ranges.
    @Test func rangesHoldTheirPoints() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var generator = SeededGenerator(seed: seed)
        var text = WMTSText()
        text.link = "<TileMatrixSet>deg</TileMatrixSet>"
        text.sets = WMTSText.degrees(crs: "EPSG:4326", corner: "90 -180", levels: 0...18)
        let source = try text.source()
        for _ in 0..<2000 {
            let south = Double.random(in: -85...85, using: &generator)
            let bounds = try GeoBounds(
                west: .random(in: -180...180, using: &generator), south: south,
                east: .random(in: -180...180, using: &generator),
                north: .random(in: south...85.05, using: &generator))
            let width = bounds.east - bounds.west + (bounds.crossesAntimeridian ? 360 : 0)
            var longitude = bounds.west + width * .random(in: 0.001..<0.999, using: &generator)
            if longitude > 180 { longitude -= 360 }
            let latitude =
                bounds.south
                + (bounds.north - bounds.south) * .random(in: 0.001...0.999, using: &generator)
            let zoom = UInt8.random(in: 1...19, using: &generator)
            let tile = try #require(
                source.tile(longitude: longitude, latitude: latitude, zoom: zoom))
            let ranges = source.ranges(zoom: zoom, within: bounds)
            #expect(ranges.count { $0.contains(tile) } == 1, "\(bounds) \(tile) seed \(seed)")
        }
    }

    @Test(arguments: [
        ("<ScaleDenominator>0</ScaleDenominator>", "ScaleDenominator"),
        ("<ScaleDenominator>NaN</ScaleDenominator>", "ScaleDenominator"),
        ("<ScaleDenominator>1e300</ScaleDenominator>", "ScaleDenominator"),
        ("<TopLeftCorner>1</TopLeftCorner>", "TopLeftCorner"),
        ("<TopLeftCorner>nan 1</TopLeftCorner>", "TopLeftCorner"),
        ("<MatrixWidth>0</MatrixWidth>", "MatrixWidth"),
        ("<MatrixHeight>99999999999</MatrixHeight>", "MatrixHeight"),
        ("<TileWidth>1e2</TileWidth>", "TileWidth"), ("", "ScaleDenominator"),
    ])
    func brokenMatrices(replacement: String, name: String) throws {
        var text = WMTSText()
        let matrix = WMTSText.matrix("0", scale: 1e6, corner: "0 0", columns: 3, rows: 3)
        let start = try #require(matrix.firstRange(of: "<\(name)>"))
        let end = try #require(matrix.firstRange(of: "</\(name)>"))
        text.sets = WMTSText.set(
            "web", crs: "EPSG:3857",
            [matrix[..<start.lowerBound] + replacement + matrix[end.upperBound...]])
        let error = try #require(throws: DocumentRemark.self) { _ = try text.source() }
        #expect(error.path == (replacement.isEmpty ? "<TileMatrix>" : "<\(name)>"))
        #expect((error.place?.line ?? 0) > 1)
    }
}
