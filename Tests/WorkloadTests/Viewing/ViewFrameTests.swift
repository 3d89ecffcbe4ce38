import Testing
import TileModel

@testable import Workload

/// The cells of a frame that are shown.
private func shown(_ frame: ViewFrame) -> [TileID] {
    (0..<frame.cells).map { frame.tile(at: $0) }.filter { frame.shows($0) }
}

private func frame(
    _ rules: ViewerRules, _ view: ViewerPath.View, tileZoom: UInt8, margin: Int = 0
) -> ViewFrame {
    ViewFrame(
        view, z: tileZoom, width: rules.viewWidth(z: view.z),
        height: rules.viewHeight(z: view.z), margin: margin)
}

private func view(_ x: Double, _ y: Double, _ z: UInt8) -> ViewerPath.View {
    ViewerPath.View(x: x, y: y, z: z, place: 0, number: 0, dwellNS: 1)
}

struct ViewFrameTests {
    /// Viewports of phones, tablets and screens, with the fewest, the most and the mean number of
    /// tiles of 256 and of 512 pixels: (width / tile + 1) (height / tile + 1).
    @Test(arguments: [
        (390, 844, 256, 8, 15, 10.8), (820, 1180, 256, 20, 30, 23.6),
        (1440, 900, 256, 24, 35, 29.9), (1920, 1080, 256, 40, 54, 44.4),
        (2560, 1440, 256, 60, 77, 72.9), (390, 844, 512, 2, 6, 4.7),
        (820, 1180, 512, 6, 12, 8.6), (1440, 900, 512, 6, 12, 10.5),
        (1920, 1080, 512, 12, 20, 14.8), (2560, 1440, 512, 15, 24, 22.9),
    ])
    func viewportsHaveTheirTiles(
        width: Int, height: Int, tile: Int, least: Int, most: Int, mean: Double
    ) throws {
        let rules = try viewerRules(viewport: (width, height)) {
            $1.sources[0].tileSize = tile
        }
        var random = TestRandom(seed: 51)
        var sum = 0
        let count = 20_000
        var (fewest, largest) = (Int.max, 0)
        for number in 0..<count {
            var view = view(
                .random(in: 0..<1, using: &random), .random(in: 0.3..<0.7, using: &random), 17)
            if number == 0 {
                // The corner of the viewport on that of a tile.
                view.x = 0.5 + rules.viewWidth(z: 17) / 2
                view.y = 0.5 + rules.viewHeight(z: 17) / 2
            }
            let tiles = frame(rules, view, tileZoom: 17).cells
            (fewest, largest) = (min(fewest, tiles), max(largest, tiles))
            sum += tiles
        }
        #expect((fewest, largest) == (least, most))
        #expect(abs(Double(sum) / Double(count) - mean) < 0.15)
        #expect(largest <= rules.viewCells)
    }

    @Test(arguments: [0, 1, 2, 3])
    func tilesAreThoseOfTheViewport(margin: Int) throws {
        var random = TestRandom(seed: UInt64(61 + margin))
        for (size, tile) in [((1280, 800), 256), ((300, 2000), 128), ((64, 64), 512), ((7, 9), 3)] {
            let rules = try viewerRules(viewport: size) {
                $1.sources[0].tileSize = tile
            }
            for _ in 0..<300 {
                let z = UInt8.random(in: 0...12, using: &random)
                let tileZoom = UInt8.random(in: (z / 2)...z, using: &random)
                let view = view(
                    .random(in: 0..<1, using: &random), .random(in: 0...1, using: &random), z)
                let frame = frame(rules, view, tileZoom: tileZoom, margin: margin)
                let tiles = shown(frame)
                try #require(Set(tiles) == tilesShown(rules, view, tileZoom: tileZoom), "\(view)")
                try #require(Set(tiles).count == tiles.count)
                for cell in 0..<frame.cells {
                    try #require(frame.cell(of: frame.tile(at: cell)) == cell)
                }
                let all = Set((0..<frame.cells).map { frame.tile(at: $0) })
                // The margin: every tile so near to one that is shown, and no other.
                for tile in all { try #require(isNear(tile, tiles, margin), "\(tile) \(view)") }
                for tile in tiles {
                    let east = TileID(
                        z: tile.z, x: (tile.x &+ UInt32(margin)) % tile.side, y: tile.y)
                    try #require(all.contains(east))
                }
                let other = TileID(z: tileZoom + 1, x: 0, y: 0)
                #expect(frame.cell(of: other) == nil)
            }
        }
    }

    private func isNear(_ tile: TileID, _ tiles: [TileID], _ margin: Int) -> Bool {
        tiles.contains { other in
            let across = Int(tile.x) - Int(other.x)
            let around = Int(tile.side) - abs(across)
            return min(abs(across), around) <= margin
                && abs(Int(tile.y) - Int(other.y)) <= margin
        }
    }

    @Test func distancesGoTheShortWayAround() throws {
        let rules = try viewerRules()
        let frame = frame(rules, view(0.001, 0.5, 4), tileZoom: 4)
        let west = frame.distance(TileID(z: 4, x: 15, y: 8))
        let east = frame.distance(TileID(z: 4, x: 0, y: 8))
        #expect(west < 1 && east < 1)
        #expect(frame.distance(TileID(z: 4, x: 8, y: 8)) > 50)
    }

    /// From the centre out, without the tiles that are there.
    @Test func wantedTilesComeFromTheCentreOut() throws {
        let rules = try viewerRules(viewport: (1920, 1080))
        var random = TestRandom(seed: 71)
        for _ in 0..<200 {
            let view = view(
                .random(in: 0..<1, using: &random), .random(in: 0.1...0.9, using: &random),
                .random(in: 0...15, using: &random))
            let frame = frame(rules, view, tileZoom: view.z)
            let cells = UnsafeMutablePointer<ViewLayer.Cell>.allocate(capacity: 2 * rules.cells)
            let order = UnsafeMutablePointer<UInt64>.allocate(capacity: rules.viewCells)
            defer {
                cells.deallocate()
                order.deallocate()
            }
            var layer = ViewLayer(cells: cells, cellsMax: rules.cells, order: order)
            let entry = layer.enter(frame) { rules.has($0) }
            var asked: [TileID] = []
            while let tile = layer.takeWanted(rules, source: 0, SIMD8(), perHostMax: 6) {
                asked.append(tile)
            }
            #expect(asked.count == entry.tiles && layer.wanted == 0)
            #expect(Set(asked) == tilesShown(rules, view, tileZoom: view.z))
            let distances = asked.map { frame.distance($0) }
            #expect(distances == distances.sorted())
        }
    }

    @Test(arguments: [0, 1, 2, 3, 4, 5, 17, 1000])
    func sorting(count: Int) {
        var random = TestRandom(seed: UInt64(count))
        for bound in [3, UInt64.max] {
            var numbers = (0..<count).map { _ in UInt64.random(in: 0...bound, using: &random) }
            let expected = numbers.sorted()
            numbers.withUnsafeMutableBufferPointer { heapSort($0) }
            #expect(numbers == expected)
        }
    }
}

struct ViewRegionTests {
    @Test func pointsOfTilesAreInRegionAndTile() throws {
        var random = TestRandom(seed: 81)
        for bounds in try boundsToTry() {
            let region = ViewRegion(bounds)
            for _ in 0..<400 {
                let z = UInt8.random(in: 0...18, using: &random)
                let ranges = bounds.tileRanges(z: z)
                let range = try #require(ranges.randomElement(using: &random))
                let tile = range.tile(at: .random(in: 0..<range.count, using: &random))
                let (x, y) = region.point(
                    in: tile, .random(in: 0..<1, using: &random), .random(in: 0..<1, using: &random)
                )
                let side = Double(tile.side)
                let slack = 1e-9 + 1e-9 * side
                let column = ViewRegion.wrapped(x - Double(tile.x) / side + slack / side) * side
                try #require(column <= 1 + 3 * slack, "\(bounds) \(tile) \(x)")
                try #require(y * side >= Double(tile.y) - slack, "\(bounds) \(tile) \(y)")
                try #require(y * side <= Double(tile.y + 1) + slack, "\(bounds) \(tile) \(y)")
                let again = region.clamping(x: x, y: y)
                try #require(abs(again.x - x) < 1e-12 || abs(again.x - x) > 1 - 1e-12)
                try #require(again.y == y)
            }
        }
    }

    /// A tile that is larger than the region, or holds both of its ends, gives points all over it.
    @Test func pointsAreSpreadOverTheRegion() throws {
        for (bounds, z) in [
            (try GeoBounds(west: 5.9, south: 45.8, east: 10.5, north: 47.8), UInt8(0)),
            (try GeoBounds(west: 170, south: -50, east: -160, north: 20), 0),
            (try GeoBounds(west: 1, south: -80, east: -1, north: 80), 1),
            (.world, 0),
        ] {
            let region = ViewRegion(bounds)
            var random = TestRandom(seed: 82)
            var quarters = [Double](repeating: 0, count: 4)
            let count = 8000
            for _ in 0..<count {
                let tile = TileID(
                    z: z, x: .random(in: 0..<(1 << UInt32(z)), using: &random), y: 0)
                let (x, _) = region.point(in: tile, .random(in: 0..<1, using: &random), 0.5)
                let share = ViewRegion.wrapped(x - region.west) / region.width
                quarters[min(Int(share * 4), 3)] += 1
            }
            for quarter in quarters {
                #expect(abs(quarter - 2000) < 5 * 2000.0.squareRoot(), "\(bounds) \(quarters)")
            }
        }
    }

    @Test(arguments: [
        (0.2, 0.3, 0.2, 0.3), (0.05, 0.5, 0.1, 0.5), (0.45, 0.5, 0.4, 0.5), (0.8, 0.5, 0.1, 0.5),
        (0.7, 0.5, 0.4, 0.5), (1.2, 0.5, 0.2, 0.5), (-0.8, 0.5, 0.2, 0.5), (0.2, -3, 0.2, 0.25),
    ])
    func nearestCentres(x: Double, y: Double, expectedX: Double, expectedY: Double) throws {
        // From 0.1 to 0.4 of the way around the globe.
        let bounds = try GeoBounds(west: -144, south: -66.51326, east: -36, north: 66.51326)
        let (foundX, foundY) = ViewRegion(bounds).clamping(x: x, y: y)
        #expect(abs(foundX - expectedX) < 1e-6 && abs(foundY - expectedY) < 1e-6)
    }
}
