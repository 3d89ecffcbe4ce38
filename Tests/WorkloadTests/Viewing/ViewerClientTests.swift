import Metrics
import Testing
import TileModel

@testable import Workload

/// What distinguishes the clients.
struct ViewerClientTests {
    @Test(
        arguments: [
            (ViewerClient.maplibreGL, 16, 8), (.maplibreNative, 20, 20), (.leaflet, nil, nil),
            (.mapkit, nil, nil), (.openlayers, 16, 8),
        ] as [(ViewerClient, Int?, Int?)])
    func limits(client: ViewerClient, all: Int?, moving: Int?) {
        #expect((client.parallelMax, client.parallelMovingMax) == (all, moving))
        #expect(!client.summary.isEmpty)
    }

    @Test func whatIsNotKnownOfMapKitIsSaid() {
        #expect(ViewerClient.mapkit.summary.contains("Apple documents no limit"))
    }

    @Test func theParallelLimitRisesWhenTheMapRests() throws {
        for (client, moving, resting) in [
            (ViewerClient.maplibreGL, 8, 16), (.openlayers, 8, 16), (.maplibreNative, 20, 20),
        ] {
            let rules = try viewerRules(client, viewport: (2560, 1440), zooms: 10...10) {
                $1.perHostMax = 100
            }
            // A step of more than half the viewport, so that there is enough to ask for.
            let number = try calmSession(rules) { views in
                let across = abs(views[1].x - views[0].x) / rules.viewWidth(z: 10)
                return across > 0.7 && across < 1
            }
            let path = views(rules, number)
            var hand = HandDriven(rules, number: number)
            #expect(hand.turn(0).asked.count == resting)
            #expect(hand.fill(1).count >= 60)
            let moveNS = path[0].dwellNS
            #expect(hand.turn(moveNS).asked.count == moving)
            let restNS = moveNS + ViewerRules.movingNS
            let waits = hand.session.next(nowNS: moveNS)
            #expect(
                waits == .wait(untilNS: moving < resting ? restNS : moveNS + path[1].dwellNS))
            #expect(hand.turn(restNS - 1).asked.isEmpty)
            #expect(hand.turn(restNS).asked.count == resting - moving)
        }
    }

    @Test(arguments: [1, 2, 3, 8, 9])
    func connectionsAreCountedByHost(hosts: Int) throws {
        let rules = try viewerRules(.leaflet, viewport: (2560, 1440), zooms: 8...8) {
            $1.hostsBySum = [Array(0..<hosts)]
        }
        let number = try calmSession(rules) { _ in true }
        var hand = HandDriven(rules, number: number)
        let asked = hand.turn(0).asked
        guard hosts <= ViewerRules.hostsMax else {
            // Too many to count by: all at once.
            #expect(asked.count > 54)
            return
        }
        #expect(asked.count == 6 * hosts)
        for host in 0..<hosts {
            #expect(asked.count { (Int($0.x) + Int($0.y)) % hosts == host } == 6)
        }
        // A connection that is free again takes the next tile of its own host.
        let ended = asked[0]
        hand.end(ended, 5)
        let next = hand.turn(5).asked
        #expect(next.count == 1)
        #expect(next.allSatisfy { rules.host($0, source: 0) == rules.host(ended, source: 0) })
    }

    @Test func moreStreamsThanConnections() throws {
        let rules = try viewerRules(.leaflet, zooms: 8...8) { $1.perHostMax = 100 }
        var hand = HandDriven(rules, number: 0)
        #expect(hand.turn(0).asked.count >= 20)
    }

    /// Leaflet keeps two tiles around the view: a step back finds them. The others do not.
    @Test func leafletKeepsAMargin() throws {
        for (client, isKept) in [(ViewerClient.leaflet, true), (.openlayers, false)] {
            let rules = try viewerRules(client, zooms: 12...12)
            var kept = 0
            for number in 0..<300 as Range<UInt64> {
                let path = views(rules, number)
                guard path.count > 2, path[..<3].allSatisfy({ $0.dwellNS > 1_000_000 }) else {
                    continue
                }
                let tiles = path.map { tilesShown(rules, $0, tileZoom: $0.z) }
                var hand = HandDriven(rules, number: number)
                _ = hand.fill(0)
                let second = hand.fill(path[0].dwellNS + 1)
                #expect(second == tiles[1].subtracting(tiles[0]))
                let third = hand.fill(path[0].dwellNS + path[1].dwellNS + 1)
                #expect(third.isSubset(of: tiles[2].subtracting(tiles[1])))
                // In the first view, not in the second one: asked for again or not in the third.
                let again = tiles[2].subtracting(tiles[1]).intersection(tiles[0])
                kept += again.subtracting(third).count
                if !isKept { #expect(again.isSubset(of: third)) }
            }
            #expect((kept > 50) == isKept, "\(client): \(kept)")
        }
    }

    /// MapLibre Native asks for the tiles four zooms up before those of the view, which does not
    /// wait for them.
    @Test func nativeFetchesAhead() throws {
        let rules = try viewerRules(.maplibreNative, zooms: 3...12) { $1.perHostMax = 100 }
        for number in 0..<200 as Range<UInt64> {
            let first = try #require(views(rules, number).first)
            let up = max(Int(first.z) - 4, 3)
            var hand = HandDriven(rules, number: number)
            let (asked, ahead, _) = hand.turn(0)
            guard up < first.z else {
                #expect(ahead.isEmpty)
                continue
            }
            #expect(Set(ahead) == tilesShown(rules, first, tileZoom: UInt8(up)))
            #expect(Array(hand.underWay.prefix(ahead.count)) == ahead)
            let tiles = tilesShown(rules, first, tileZoom: first.z)
            #expect(asked.count == min(20 - ahead.count, tiles.count))
            guard first.dwellNS > 1000 else { continue }
            for tile in asked { hand.end(tile, 7) }
            var left = tiles.subtracting(asked)
            while !left.isEmpty {
                let more = hand.turn(7).asked
                for tile in more { hand.end(tile, 7) }
                left.subtract(more)
            }
            _ = hand.turn(7)
            #expect(hand.ends.count == 1 && hand.ends.first?.endNS == 7)
            #expect(hand.session.underWay == ahead.count)
        }
    }

    /// Deeper than the source goes, the tile that covers them is asked for once per view.
    @Test func overzoom() throws {
        let rules = try viewerRules(zooms: 15...19) { $1.sources[0].maxZoom = 12 }
        for number in 0..<200 as Range<UInt64> {
            let path = views(rules, number)
            guard path[0].dwellNS > 1000 else { continue }
            var hand = HandDriven(rules, number: number)
            let tiles = hand.fill(0)
            #expect(tiles == tilesShown(rules, path[0], tileZoom: 12))
            #expect(tiles.count <= 4 && hand.ends.first?.tiles == tiles.count)
        }
    }

    @Test func nothingOutsideTheBounds() throws {
        let bounds = try GeoBounds(west: 8.4, south: 47.3, east: 8.6, north: 47.4)
        let rules = try viewerRules(zooms: 4...15, bounds: bounds)
        var session = ViewerSession(rules: rules)
        for number in 0..<100 as Range<UInt64> {
            var server = ViewerSimulation(seed: number)
            let books = try server.run(&session, number: number)
            for ask in books.asks {
                let inside = bounds.tileRanges(z: ask.tile.z).contains { $0.contains(ask.tile) }
                try #require(inside, "\(ask)")
            }
        }
    }

    @Test func failedTilesAreAskedForAgain() throws {
        let rules = try viewerRules(zooms: 12...12)
        let number = try calmSession(rules) { views in
            abs(views[1].x - views[0].x) < 0.5 * rules.viewWidth(z: 12)
                && abs(views[1].y - views[0].y) < 0.5 * rules.viewHeight(z: 12)
        }
        let path = views(rules, number)
        var hand = HandDriven(rules, number: number)
        var failed: Set<TileID> = []
        _ = hand.turn(0)
        while !hand.underWay.isEmpty {
            for (place, tile) in hand.underWay.enumerated() {
                let isGood = (Int(tile.x) + place) % 3 > 0
                if !isGood { failed.insert(tile) }
                hand.end(tile, isGood: isGood, 9)
            }
            _ = hand.turn(9)
        }
        #expect(hand.ends.first?.failed == failed.count && hand.ends.first?.isAbandoned == false)
        let again = hand.fill(path[0].dwellNS + ViewerRules.movingNS + 1)
        let shown = tilesShown(rules, path[1], tileZoom: 12)
        #expect(failed.intersection(shown).isSubset(of: again))
        #expect(!failed.intersection(shown).isEmpty)
    }

    @Test func memoryOfASessionIsSmallAndTakenOnce() throws {
        for (client, viewport, tile, most) in [
            (ViewerClient.maplibreGL, (1280, 800), 256, 1024), (.leaflet, (1280, 800), 256, 1024),
            (.maplibreNative, (1280, 800), 512, 1024), (.maplibreGL, (1920, 1080), 256, 1280),
            (.leaflet, (3840, 2160), 256, 3072),
        ] {
            let rules = try viewerRules(client, viewport: viewport) {
                $1.sources[0].tileSize = tile
            }
            #expect(rules.sessionBytes <= most, "\(client) \(viewport): \(rules.sessionBytes)")
        }
        let rules = try viewerRules(zooms: 4...15)
        var session = ViewerSession(rules: rules)
        var asks = 0
        var taken: UInt64 = 0
        for number in 0..<200 as Range<UInt64> {
            if number == 10 { taken = Jemalloc.threadAllocatedBytes() }
            var nowNS: UInt64 = 0
            session.begin(session: number, atNS: 0)
            loop: while true {
                switch session.next(nowNS: nowNS) {
                case .ask(let tile, _, _):
                    asks += 1
                    session.tileEnded(tile, isGood: true, nowNS: nowNS)
                case .wait(let untilNS): nowNS = untilNS
                case .over: break loop
                case .cancel, .viewEnded: break
                }
            }
        }
        taken = Jemalloc.threadAllocatedBytes() - taken
        #if !DEBUG
            #expect(taken == 0)
        #endif
        #expect(taken < UInt64(asks) * 1000, "\(taken) bytes for \(asks) asks")
    }
}
