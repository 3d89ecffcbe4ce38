import Testing
import TileModel

@testable import Workload

struct ViewerPathTests {
    private let alps = (west: 5.9, south: 45.8, east: 10.5, north: 47.8)

    private func bounds() throws -> GeoBounds {
        try GeoBounds(west: alps.west, south: alps.south, east: alps.east, north: alps.north)
    }

    @Test(arguments: ViewerClient.allCases)
    func viewsStayWithinZoomsAndBounds(client: ViewerClient) throws {
        for bounds in [
            nil, try bounds(), try GeoBounds(west: 170, south: -50, east: -160, north: 20),
        ] {
            let rules = try viewerRules(client, zooms: 3...14, bounds: bounds)
            let region = ViewRegion(bounds ?? .world)
            for session in 0..<300 as Range<UInt64> {
                for (number, view) in views(rules, session).enumerated() {
                    try #require((3...14).contains(view.z) && view.number == UInt32(number))
                    try #require((0..<1).contains(view.x))
                    let half = rules.viewHeight(z: view.z) / 2
                    let row = region.clamping(x: view.x, y: view.y)
                    try #require(abs(row.x - view.x) < 1e-9 || abs(row.x - view.x) > 1 - 1e-9)
                    // Inside the region, unless the viewport would look beyond the world.
                    try #require(
                        abs(row.y - view.y) < 1e-9 || half >= 0.5 || view.y - half < 1e-9
                            || view.y + half > 1 - 1e-9)
                }
            }
        }
    }

    @Test func sessionsBeginWhereTilesArePopular() throws {
        let bounds = try bounds()
        let rules = try viewerRules(zooms: 8...15, bounds: bounds)
        let popular = try stream(
            .popular(exponent: 1, weights: .osm), bounds: bounds, zooms: 8...15)
        for session in 0..<500 as Range<UInt64> {
            let first = try #require(views(rules, session).first)
            let tile = popular.tile(at: session)
            #expect(first.z == tile.z)
            let side = Double(tile.side)
            let distance = max(
                abs(first.x * side - Double(tile.x) - 0.5),
                abs(first.y * side - Double(tile.y) - 0.5))
            #expect(distance <= 0.5 + 1e-6)
        }
    }

    @Test func sessionsKeepToTheirPlaces() throws {
        let places = [
            PlacePlan(name: "alps", bounds: try bounds(), weight: 1),
            PlacePlan(
                name: "pacific",
                bounds: try GeoBounds(west: 170, south: -50, east: -160, north: 20),
                weight: 3),
        ]
        let rules = try viewerRules(zooms: 5...12, places: places)
        var seen = [0.0, 0]
        for session in 0..<2000 as Range<UInt64> {
            let views = views(rules, session)
            let place = Int(try #require(views.first).place)
            seen[place] += 1
            let region = ViewRegion(places[place].bounds)
            for view in views {
                try #require(Int(view.place) == place)
                let (x, y) = region.clamping(x: view.x, y: view.y)
                try #require(abs(x - view.x) < 1e-9 && abs(y - view.y) < 1e-9)
            }
        }
        #expect(abs(seen[0] - 500) < 110)
    }

    @Test func meansAreAsPlanned() throws {
        let rules = try viewerRules(zooms: 0...19) { viewers, _ in
            viewers.viewsMean = 6
            viewers.dwellNS = 3_000_000_000
        }
        var (count, dwell, longest) = (0, 0.0, 0)
        let sessions = 6000
        for session in 0..<UInt64(sessions) {
            let views = views(rules, session)
            longest = max(longest, views.count)
            count += views.count
            dwell += views.reduce(0) { $0 + Double($1.dwellNS) }
        }
        // Even from 1 to 11: a standard deviation of 3.16.
        #expect(abs(Double(count) / Double(sessions) - 6) < 5 * 3.2 / Double(sessions).squareRoot())
        #expect(longest == 11)
        #expect(abs(dwell / Double(count) / 3e9 - 1) < 5 / Double(count).squareRoot())
    }

    @Test(arguments: [(0.7, 0.2, 0.1), (1, 0, 0), (0, 0.5, 0.5), (2, 2, 4), (0, 1, 0)])
    func movesComeInTheirShares(pan: Double, zoomIn: Double, zoomOut: Double) throws {
        let rules = try viewerRules(zooms: 5...12) { viewers, _ in
            (viewers.moves.pan, viewers.moves.zoomIn, viewers.moves.zoomOut) = (
                pan, zoomIn, zoomOut
            )
        }
        var seen = [0.0, 0, 0]
        var moves = 0.0
        for session in 0..<4000 as Range<UInt64> {
            let views = views(rules, session)
            for (one, next) in zip(views, views.dropFirst()) {
                if next.z > one.z {
                    #expect(next.z == one.z + 1 && zoomIn > 0)
                } else if next.z < one.z {
                    #expect(next.z == one.z - 1 && zoomOut > 0)
                }
                // At the first and the last zoom the shares are others.
                guard (6...11).contains(one.z) else { continue }
                seen[next.z == one.z ? 0 : next.z > one.z ? 1 : 2] += 1
                moves += 1
            }
        }
        let sum = pan + zoomIn + zoomOut
        for (found, share) in zip(seen, [pan, zoomIn, zoomOut]) {
            let expected = share / sum * moves
            #expect(abs(found - expected) <= 5 * expected.squareRoot() + 1e-9)
        }
    }

    /// With zooming in as the only move a session ends at the deepest zoom.
    @Test func sessionsWithoutAMoveEnd() throws {
        let rules = try viewerRules(zooms: 5...7) { viewers, _ in
            (viewers.moves.pan, viewers.moves.zoomIn, viewers.moves.zoomOut) = (0, 1, 0)
            viewers.viewsMean = 1000
        }
        for session in 0..<50 as Range<UInt64> {
            let zooms = views(rules, session).map(\.z)
            #expect(zooms == Array((zooms.first ?? 0)...7).prefix(zooms.count).map { $0 })
            #expect(zooms.count <= 3)
        }
    }

    @Test func pansAndZoomsMoveAsFarAsTheViewport() throws {
        let rules = try viewerRules(zooms: 10...16, bounds: nil)
        for session in 0..<500 as Range<UInt64> {
            let views = views(rules, session)
            for (one, next) in zip(views, views.dropFirst()) {
                var across = abs(next.x - one.x)
                across = min(across, 1 - across) / rules.viewWidth(z: one.z)
                let down = abs(next.y - one.y) / rules.viewHeight(z: one.z)
                let far = (across * across + down * down).squareRoot()
                switch Int(next.z) - Int(one.z) {
                case 0: try #require(far > 0.249 && far < 1.001, "\(far)")
                case 1: try #require(across < 0.2501 && down < 0.2501)
                default: try #require(across < 0.5001 && down < 0.5001)
                }
            }
        }
    }

    @Test func viewsDependOnSeedAndNumberAlone() throws {
        let one = try viewerRules(seed: 7)
        let same = try viewerRules(seed: 7)
        let other = try viewerRules(seed: 8)
        let all = (0..<200 as Range<UInt64>).map { views(one, $0) }
        #expect((0..<200 as Range<UInt64>).reversed().map { views(same, $0) } == all.reversed())
        #expect((0..<200 as Range<UInt64>).count { views(other, $0) == all[Int($0)] } == 0)
        let warmup = (0..<200 as Range<UInt64>).map { views(one, RequestStream.warmupFirst | $0) }
        #expect(zip(warmup, all).count { $0 == $1 } == 0)
    }

    @Test(arguments: [1, 2, 3, 7] as [UInt64])
    func anyNumberOfShardsLooksAtTheSame(shards: UInt64) throws {
        let whole = try viewerRules()
        var dealt = [[ViewerPath.View]](repeating: [], count: 140)
        for shard in 0..<shards {
            let own = try viewerRules()
            for session in stride(from: shard, to: 140, by: Int(shards)) {
                dealt[Int(session)] = views(own, session)
            }
        }
        #expect(dealt == (0..<140).map { views(whole, $0) })
    }

    @Test func rulesThatAreNone() throws {
        func expectRefused(_ change: (inout ViewerPlan, inout ViewerRules.Target) -> Void) {
            #expect(throws: SelectionError.self) { try viewerRules(change: change) }
        }
        expectRefused { viewers, _ in viewers.viewportWidthPixels = 0 }
        expectRefused { viewers, _ in viewers.viewportHeightPixels = 100_001 }
        expectRefused { viewers, _ in
            (viewers.viewportWidthPixels, viewers.viewportHeightPixels) = (100_000, 2560)
        }
        expectRefused { _, target in target.sources[0].tileSize = 0 }
        expectRefused { _, target in target.sources[0].tileSize = 10 }
        expectRefused { viewers, _ in viewers.moves.pan = -1 }
        expectRefused { viewers, _ in viewers.moves.pan = .nan }
        expectRefused { viewers, _ in viewers.moves.pan = .infinity }
        expectRefused { viewers, _ in
            (viewers.moves.pan, viewers.moves.zoomIn, viewers.moves.zoomOut) = (0, 0, 0)
        }
        expectRefused { viewers, _ in viewers.dwellNS = 0 }
        expectRefused { viewers, _ in viewers.viewsMean = 0 }
        expectRefused { viewers, _ in viewers.zipf = -1 }
        expectRefused { _, target in target.hostsBySum = [] }
        expectRefused { _, target in target.hostsBySum = [[0], []] }
        expectRefused { _, target in target.sources = [] }
        expectRefused { _, target in target.sources[0].followsWebMercator = false }
        expectRefused { _, target in target.perHostMax = 0 }
        #expect(throws: SelectionError.self) { try viewerRules(zooms: 20...22) }
        #expect(throws: SelectionError.self) { try viewerRules(zooms: 20...40) }
    }
}
