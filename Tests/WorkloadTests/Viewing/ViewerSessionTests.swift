import Metrics
import Testing
import TileModel

@testable import Workload

struct ViewerSessionTests {
    /// Whatever the server does: the views are those of the path at its times, each ends once, and
    /// what it says of its tiles is true.
    @Test(arguments: ViewerClient.allCases, [true, false])
    func sessionsAgainstAnyServer(client: ViewerClient, cancels: Bool) throws {
        let bounds = try GeoBounds(west: 5.9, south: 45.8, east: 10.5, north: 47.8)
        for (seed, box) in [(1, nil), (2, bounds)] as [(UInt64, GeoBounds?)] {
            let rules = try viewerRules(
                client, viewport: seed == 1 ? (1280, 800) : (390, 844), zooms: 2...16,
                bounds: box, seed: seed
            ) { viewers, target in
                viewers.cancels = cancels
                viewers.dwellNS = 300_000_000
                target.sources[0].tileSize =
                    [.leaflet, .mapkit, .openlayers].contains(client) ? 256 : 512
                target.sources[0].maxZoom = 14
                target.hostsBySum = [Array(0..<Int(seed) * 2 - 1)]
            }
            var session = ViewerSession(rules: rules)
            for number in 0..<60 as Range<UInt64> {
                var server = ViewerSimulation(seed: seed &* 1000 + number)
                server.latencyNS =
                    1_000_000...([20_000_000, 200_000_000, 3_000_000_000][Int(number % 3)])
                server.failureShare = number % 4 == 0 ? 0.2 : 0
                server.lagNS = 0...(number % 5 == 0 ? 50_000_000 : 0)
                let books = try server.run(&session, number: number)
                try check(books, rules, number)
                try #require(books.underWayMax <= rules.parallelMax)
            }
        }
    }

    private func check(
        _ books: ViewerSimulation.Books, _ rules: ViewerRules, _ number: UInt64
    ) throws {
        let path = views(rules, number)
        try #require(books.ends.map(\.number) == path.map(\.number))
        var startNS: UInt64 = 1_000_000_000
        for (end, view) in zip(books.ends, path) {
            let tiles = tilesShown(rules, view, tileZoom: min(view.z, rules.tileZoomMax))
                .filter { rules.has($0) }
            try #require(end.session == number && end.z == view.z && end.place == view.place)
            try #require(end.tiles == tiles.count)
            try #require(end.held + end.failed + end.missing <= end.tiles)
            try #require(end.startNS == startNS && end.endNS >= startNS)
            startNS += view.dwellNS
            if end.isAbandoned { try #require(end.endNS == startNS) }
        }
        try #require(books.overNS >= startNS)
        if !rules.cancels { #expect(books.cancels.isEmpty) }
    }

    /// On a fast server every view is full, and each tile is asked for when it comes into view and
    /// was not in the one before.
    @Test(arguments: [ViewerClient.maplibreGL, .maplibreNative, .mapkit, .openlayers])
    func newTilesAreAskedForOnce(client: ViewerClient) throws {
        let rules = try viewerRules(client, zooms: 3...15) { viewers, _ in
            viewers.dwellNS = 5_000_000_000
        }
        var session = ViewerSession(rules: rules)
        var (full, all) = (0, 0)
        for number in 0..<100 as Range<UInt64> {
            var server = ViewerSimulation(seed: number)
            server.latencyNS = 1...1000
            let books = try server.run(&session, number: number)
            var before: Set<TileID> = []
            var place = 0
            var wasFull = true
            for (end, view) in zip(books.ends, views(rules, number)) {
                let tiles = tilesShown(rules, view, tileZoom: view.z)
                var asked: [TileID] = []
                while place < books.asks.count, books.asks[place].atNS < end.startNS + view.dwellNS
                {
                    if !books.asks[place].isAhead { asked.append(books.asks[place].tile) }
                    place += 1
                }
                all += 1
                if !end.isAbandoned, wasFull {
                    full += 1
                    try #require(Set(asked) == tiles.subtracting(before), "\(number) \(end)")
                    try #require(asked.count == Set(asked).count)
                    try #require(end.held == tiles.intersection(before).count)
                    if end.held == end.tiles { #expect(end.timeNS == 0) }
                }
                wasFull = !end.isAbandoned
                before = tiles
            }
        }
        #expect(full > all * 9 / 10)
    }

    @Test func tilesOnTheWayStayOnTheWay() throws {
        // One step to the side: what was asked for and is still in view is not asked for again.
        let rules = try viewerRules(zooms: 12...12) { viewers, _ in
            (viewers.moves.zoomIn, viewers.moves.zoomOut) = (0, 0)
            viewers.dwellNS = 100_000_000
        }
        var session = ViewerSession(rules: rules)
        var server = ViewerSimulation(seed: 3)
        server.latencyNS = 60_000_000_000...60_000_000_000
        var cancelled = 0
        for number in 0..<50 as Range<UInt64> {
            let books = try server.run(&session, number: number)
            #expect(books.asks.count == books.cancels.count)
            #expect(books.ends.allSatisfy { $0.isAbandoned })
            cancelled += books.cancels.count
        }
        #expect(cancelled > 1000)
    }

    /// Going home at any moment ends the session, and only the view that was open.
    @Test(arguments: [true, false])
    func leavingAtAnyTime(cancels: Bool) throws {
        let rules = try viewerRules(zooms: 3...15) { viewers, _ in
            viewers.dwellNS = 200_000_000
            viewers.cancels = cancels
        }
        var random = TestRandom(seed: 91)
        var open = 0
        for number in 0..<400 as Range<UInt64> {
            let path = views(rules, number)
            var hand = HandDriven(rules, number: number)
            let whole = path.reduce(0) { $0 + $1.dwellNS }
            let leaveNS = UInt64.random(in: 0...whole, using: &random)
            var nowNS: UInt64 = 0
            while nowNS < leaveNS {
                _ = hand.turn(nowNS)
                for tile in hand.underWay where Bool.random(using: &random) {
                    hand.end(tile, nowNS)
                }
                nowNS = min(nowNS + 20_000_000, leaveNS)
            }
            for _ in 0..<Int.random(in: 0...8, using: &random) { _ = hand.step(nowNS) }
            let view = hand.session.openView(nowNS: nowNS)
            let ended = hand.ends.count
            if let view {
                open += 1
                try #require(view.missing >= 0 && view.endNS >= view.startNS)
            }
            hand.session.leave(nowNS: nowNS)
            let (asked, ahead, cancelled) = hand.turn(nowNS)
            try #require(asked.isEmpty && ahead.isEmpty)
            try #require(hand.ends.count <= ended + 1)
            if let view { try #require(hand.ends.last == view || hand.ends.count == ended) }
            if cancels {
                try #require(hand.underWay.isEmpty)
            } else {
                try #require(cancelled.isEmpty)
                for tile in hand.underWay { hand.end(tile, nowNS) }
            }
            try #require(hand.session.next(nowNS: nowNS) == .over)
            hand.session.begin(session: number + 1, atNS: nowNS)
            try #require(hand.session.underWay == 0)
        }
        #expect(open > 50)
    }
}
