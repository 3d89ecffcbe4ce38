import Testing
import TileModel

@testable import Workload

/// Views of a target with several sources.
struct ViewSourceTests {
    /// 256 pixels, 512 pixels, a shallow one and one of a box.
    private func rules(_ viewport: (Int, Int) = (1000, 700)) throws -> ViewerRules {
        let box = try GeoBounds(west: 0, south: 40, east: 20, north: 60)
        return try viewerRules(.leaflet, viewport: viewport, zooms: 2...16) { _, target in
            target.perHostMax = 1000
            var large = RequestStream.everything
            large.tileSize = 512
            var shallow = RequestStream.everything
            (shallow.minZoom, shallow.maxZoom) = (4, 9)
            var boxed = RequestStream.everything
            (boxed.bounds, boxed.stated) = (box, .bounds)
            target.sources += [large, shallow, boxed]
        }
    }

    /// Every visible tile of every source is asked for once, and no other.
    @Test func aViewCoversTheViewportInEachSource() throws {
        let rules = try rules()
        var (deep, high, inside) = (0, 0, 0)
        for number in 0..<300 as Range<UInt64> {
            let view = try #require(views(rules, number).first)
            var session = ViewerSession(rules: rules)
            session.begin(session: number, atNS: 5)
            var asked: [[TileID]] = [[], [], [], []]
            var end: ViewEnd?
            loop: while true {
                switch session.next(nowNS: 5) {
                case .ask(let tile, let source, _):
                    asked[Int(source)].append(tile)
                    session.tileEnded(tile, source: source, isGood: true, nowNS: 6)
                case .viewEnded(let facts): end = facts
                case .cancel: Issue.record("nothing is given up")
                case .wait, .over: break loop
                }
            }
            let wanted: [Set<TileID>] = (0..<4).map { source in
                guard let zoom = rules.sources[source].tileZoom(of: view.z) else { return [] }
                return tilesShown(rules, view, tileZoom: zoom)
                    .filter { rules.sources[source].has($0) }
            }
            try #require(asked.map(Set.init) == wanted, "session \(number)")
            try #require(asked.map(\.count) == wanted.map(\.count), "session \(number)")
            let all = wanted.reduce(0) { $0 + $1.count }
            try #require(end?.tiles == all && end?.missing == 0)
            if view.z > 9 { deep += 1 }
            if view.z < 4 { high += 1 }
            if !wanted[3].isEmpty { inside += 1 }
            #expect(wanted[1].allSatisfy { Int($0.z) == Int(view.z) - 1 })
            #expect(wanted[2].isEmpty == (view.z < 4))
            #expect(wanted[2].allSatisfy { $0.z == min(view.z, 9) })
        }
        #expect(deep > 20 && high > 3 && inside > 3, "\(deep) \(high) \(inside)")
    }

    /// What leaves the view is given up in its own source, and the books stay right.
    @Test func sessionsGiveUpWhatTheyAskedFor() throws {
        let rules = try rules((600, 600))
        var random = TestRandom(seed: 17)
        var (asks, cancels) = (0, 0)
        for number in 0..<60 as Range<UInt64> {
            var session = ViewerSession(rules: rules)
            var underWay: Set<TileChoice> = []
            var nowNS: UInt64 = 0
            session.begin(session: number, atNS: 0)
            loop: while true {
                switch session.next(nowNS: nowNS) {
                case .ask(let tile, let source, _):
                    asks += 1
                    try #require(underWay.insert(TileChoice(tile: tile, source: source)).inserted)
                case .cancel(let tile, let source):
                    cancels += 1
                    try #require(underWay.remove(TileChoice(tile: tile, source: source)) != nil)
                case .viewEnded: break
                case .wait(let untilNS):
                    try #require(session.underWay == underWay.count)
                    if let tile = underWay.randomElement(using: &random),
                        Bool.random(using: &random)
                    {
                        underWay.remove(tile)
                        session.tileEnded(
                            tile.tile, source: tile.source, isGood: true, nowNS: nowNS)
                    } else {
                        nowNS = untilNS
                    }
                case .over: break loop
                }
            }
            try #require(underWay.isEmpty)
        }
        #expect(asks > 3000 && cancels > 300, "\(asks) \(cancels)")
    }

    /// Each source's tiles count against the connections of their own host.
    @Test func hostsOfSources() throws {
        let rules = try viewerRules(.leaflet, viewport: (1500, 1500), zooms: 6...6) {
            $1.sources += [RequestStream.everything, RequestStream.everything]
            $1.hostsBySum = [[0, 1], [2]]
            $1.perHostMax = 4
        }
        var session = ViewerSession(rules: rules)
        session.begin(session: 3, atNS: 0)
        var counts: [[Int]: Int] = [:]
        var asks: [(tile: TileID, source: UInt16)] = []
        while case .ask(let tile, let source, _) = session.next(nowNS: 0) {
            counts[
                [min(Int(source), 1), source == 0 ? Int(tile.x + tile.y) % 2 : 0], default: 0] += 1
            asks.append((tile, source))
        }
        #expect(counts == [[0, 0]: 4, [0, 1]: 4, [1, 0]: 4])
        for _ in 0..<2 {
            // Who comes next is of the host that has room again.
            let ended = asks.removeFirst()
            session.tileEnded(ended.tile, source: ended.source, isGood: true, nowNS: 1)
            guard case .ask(let tile, let source, _) = session.next(nowNS: 1) else {
                Issue.record("there are more tiles of that host")
                return
            }
            #expect(
                rules.host(tile, source: Int(source))
                    == rules.host(ended.tile, source: Int(ended.source)))
        }
    }

    /// The owner may lift the limit: streams share a connection.
    @Test func theOwnersLimit() throws {
        let rules = try viewerRules(.leaflet, viewport: (1500, 1500), zooms: 6...6)
        for (most, expected) in [(nil, 6), (2, 2), (.max, nil)] as [(Int?, Int?)] {
            var session = ViewerSession(rules: rules)
            if let most { session.perHostMax = most }
            session.begin(session: 3, atNS: 0)
            var asks = 0
            while case .ask = session.next(nowNS: 0) { asks += 1 }
            if let expected { #expect(asks == expected) } else { #expect(asks >= 36) }
        }
    }

    /// Sessions begin where the first source has tiles, deeper than it goes too.
    @Test func sessionsBeginWhereTheSourceIs() throws {
        let box = try GeoBounds(west: 10, south: 45, east: 12, north: 47)
        let rules = try viewerRules(zooms: 4...16) {
            ($1.sources[0].bounds, $1.sources[0].stated) = (box, .bounds)
            $1.sources[0].maxZoom = 9
        }
        var deep = 0
        for number in 0..<300 as Range<UInt64> {
            let view = views(rules, number)[0]
            if view.z > 9 { deep += 1 }
            let tile = rules.starts.tile(at: number)
            #expect(box.tileRanges(z: tile.z).contains { $0.contains(tile) })
        }
        #expect(deep > 30, "\(deep)")
    }
}
