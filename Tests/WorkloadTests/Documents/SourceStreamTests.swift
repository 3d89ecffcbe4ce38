import Testing
import TileModel

@testable import Workload

@Suite("Streams of several sources")
struct SourceStreamTests {
    private static func source(
        _ name: String, zooms: ClosedRange<UInt8> = 0...22, bounds: GeoBounds? = nil
    ) -> TileSource {
        var source = TileSource(
            name: name, templates: ["http://h/{z}/{x}/{y}"], maxZoom: zooms.upperBound,
            tileSize: 256)
        source.minZoom = zooms.lowerBound
        if let bounds {
            source.bounds = bounds
            source.stated.insert(.bounds)
        }
        return source
    }

    private static func workload(
        _ kind: WorkloadPlan.Kind, zooms: ClosedRange<Int>, bounds: GeoBounds? = nil
    ) -> WorkloadPlan {
        var workload = WorkloadPlan(kind: kind)
        workload.zooms = zooms
        workload.bounds = bounds
        return workload
    }

    private func alps() throws -> GeoBounds {
        try GeoBounds(west: 5.9, south: 45.8, east: 10.5, north: 47.8)
    }

    @Test("One source that has everything is the stream of a plain template")
    func plain() throws {
        for kind in [
            WorkloadPlan.Kind.popular(exponent: 1, weights: .osm), .pyramid(order: .random),
        ] {
            let workload = Self.workload(kind, zooms: 2...9, bounds: try alps())
            let one = try RequestStream(workload: workload, seed: 7)
            let two = try RequestStream(
                workload: workload, sources: [Self.source("a"), Self.source("b")], seed: 7)
            for index in UInt64(0)..<200 {
                if case .popular = kind {
                    // Each draw is asked from both.
                    let pair = [two.choice(at: 2 * index), two.choice(at: 2 * index + 1)]
                    #expect(pair.map(\.tile) == [one.tile(at: index), one.tile(at: index)])
                    #expect(pair.map(\.source) == [0, 1])
                }
            }
            if let count = one.passCount { #expect(two.passCount == 2 * count) }
        }
    }

    @Test("A pyramid has every tile of every source once, parents included", arguments: [1, 2, 3])
    func pyramid(seed: UInt64) throws {
        let sources = [
            Self.source("deep", zooms: 2...6), Self.source("flat", zooms: 0...4),
            Self.source("north", bounds: try GeoBounds(west: 6, south: 47, east: 8, north: 60)),
        ]
        for order in [WorkloadPlan.Order.rows, .hilbert, .random] {
            let workload = Self.workload(
                .pyramid(order: order), zooms: 3...8, bounds: try alps())
            let stream = try RequestStream(workload: workload, sources: sources, seed: seed)
            let count = try #require(stream.passCount)
            var seen: Set<TileChoice> = []
            for index in 0..<count { seen.insert(stream.choice(at: index)) }
            #expect(UInt64(seen.count) == count, "\(order)")
            var wanted: Set<TileChoice> = []
            for (number, source) in sources.enumerated() {
                for z in source.servedZooms(Array(3...8)) {
                    for range in source.ranges(zoom: z, within: try alps()) {
                        for place in 0..<range.count {
                            wanted.insert(
                                TileChoice(tile: range.tile(at: place), source: UInt16(number)))
                        }
                    }
                }
            }
            #expect(seen == wanted, "\(order)")
        }
    }

    @Test("Popular tiles stay within each source's zooms and bounds")
    func popular() throws {
        let north = try GeoBounds(west: 6, south: 47, east: 8, north: 60)
        let sources = [
            Self.source("flat", zooms: 0...5), Self.source("north", zooms: 4...22, bounds: north),
            Self.source("none", bounds: try GeoBounds(west: 100, south: 0, east: 101, north: 1)),
        ]
        let workload = Self.workload(
            .popular(exponent: 0.5, weights: .osm), zooms: 3...9, bounds: try alps())
        let stream = try RequestStream(workload: workload, sources: sources, seed: 3)
        var counts = [0, 0, 0]
        for index in UInt64(0)..<2000 {
            let choice = stream.choice(at: index)
            counts[Int(choice.source)] += 1
            let source = sources[Int(choice.source)]
            #expect(
                source.ranges(zoom: choice.tile.z, within: try alps()).contains {
                    $0.contains(choice.tile)
                }, "\(choice)")
        }
        #expect(counts == [1000, 1000, 0])
    }

    @Test("The same asks for any number of shards", arguments: [1, 2, 3, 7])
    func shards(count: UInt64) throws {
        let sources = [Self.source("a"), Self.source("b", zooms: 0...5)]
        let workload = Self.workload(.popular(exponent: 1, weights: .osm), zooms: 0...9)
        let whole = try RequestStream(workload: workload, sources: sources, seed: 5)
        for shard in 0..<count {
            // Each shard makes a stream of its own.
            let own = try RequestStream(workload: workload, sources: sources, seed: 5)
            for index in stride(from: shard, to: 300, by: Int(count)) {
                #expect(own.choice(at: index) == whole.choice(at: index))
            }
        }
    }

    /// A grid in degrees: twice as many columns as rows.
    @Test("Grids of their own", arguments: [WorkloadPlan.Order.rows, .hilbert, .random])
    func degrees(order: WorkloadPlan.Order) throws {
        let document = try SourceDocument.read(
            Array(Self.capabilities.utf8), url: "http://h/wmts.xml")
        let source = try #require(try document.sources().first)
        #expect(!source.followsWebMercator)
        let workload = Self.workload(.pyramid(order: order), zooms: 0...2)
        let stream = try RequestStream(workload: workload, sources: [source], seed: 1)
        let zooms = source.servedZooms([0, 1, 2])
        let all = zooms.reduce(0) { $0 + source.pyramidSize(zoom: $1) }
        #expect(stream.passCount == all)
        var seen: Set<TileID> = []
        for index in 0..<all {
            let tile = stream.tile(at: index)
            #expect(source.ranges(zoom: tile.z).contains { $0.contains(tile) }, "\(tile)")
            seen.insert(tile)
        }
        #expect(UInt64(seen.count) == all)
        let popular = try RequestStream(
            workload: Self.workload(.popular(exponent: 1, weights: .osm), zooms: 0...2),
            sources: [source], seed: 1)
        for index in UInt64(0)..<200 {
            let tile = popular.tile(at: index)
            #expect(source.ranges(zoom: tile.z).contains { $0.contains(tile) }, "\(tile)")
        }
    }

    private static let capabilities: String = {
        let matrices = (0..<3).map { level in
            let denominator = 279_541_132.014_358_76 / Double(1 << level)
            return """
                <TileMatrix><ows:Identifier>\(level)</ows:Identifier>
                <ScaleDenominator>\(denominator)</ScaleDenominator>
                <TopLeftCorner>90 -180</TopLeftCorner><TileWidth>256</TileWidth>
                <TileHeight>256</TileHeight><MatrixWidth>\(2 << level)</MatrixWidth>
                <MatrixHeight>\(1 << level)</MatrixHeight></TileMatrix>
                """
        }
        return """
            <Capabilities xmlns="http://www.opengis.net/wmts/1.0"
             xmlns:ows="http://www.opengis.net/ows/1.1" version="1.0.0"><Contents>
            <Layer><ows:Identifier>l</ows:Identifier><Style isDefault="true">
            <ows:Identifier>s</ows:Identifier></Style><Format>image/png</Format>
            <TileMatrixSetLink><TileMatrixSet>g</TileMatrixSet></TileMatrixSetLink>
            <ResourceURL format="image/png" resourceType="tile"
             template="http://h/{TileMatrix}/{TileRow}/{TileCol}.png"/></Layer>
            <TileMatrixSet><ows:Identifier>g</ows:Identifier>
            <ows:SupportedCRS>urn:ogc:def:crs:EPSG::4326</ows:SupportedCRS>\(matrices.joined())
            </TileMatrixSet></Contents></Capabilities>
            """
    }()
}
