import Testing
import TileModel

@testable import Workload

/// Rules made from as little as a test cares about.
func viewerRules(
    _ client: ViewerClient = .maplibreGL, viewport: (Int, Int) = (1280, 800),
    zooms: ClosedRange<Int> = 0...19, bounds: GeoBounds? = nil, places: [PlacePlan] = [],
    seed: UInt64 = 1, change: (inout ViewerPlan, inout ViewerRules.Target) -> Void = { _, _ in }
) throws -> ViewerRules {
    var viewers = ViewerPlan()
    viewers.client = client
    (viewers.viewportWidthPixels, viewers.viewportHeightPixels) = viewport
    var target = ViewerRules.Target()
    change(&viewers, &target)
    var workload = WorkloadPlan(kind: .viewers(viewers))
    workload.zooms = zooms
    workload.bounds = bounds
    workload.places = places
    return try ViewerRules(viewers: viewers, workload: workload, target: target, seed: seed)
}

/// The first source's, which is the only one in most tests.
extension ViewerRules {
    var tileZoomMax: UInt8 { sources[0].tileZoom(of: TileID.zoomMax) ?? 0 }
    var cells: Int { sources[0].cells }
    var viewCells: Int { sources[0].viewCells }
    func has(_ tile: TileID) -> Bool { sources[0].has(tile) }
}

/// All views of a session.
func views(_ rules: ViewerRules, _ session: UInt64) -> [ViewerPath.View] {
    var path = ViewerPath(rules: rules, session: session)
    var views: [ViewerPath.View] = []
    while let view = path.next(rules) { views.append(view) }
    return views
}

/// The tiles of a view, found by looking at every tile near it: those of which the viewport shows
/// more than a line.
func tilesShown(
    _ rules: ViewerRules, _ view: ViewerPath.View, tileZoom: UInt8
) -> Set<TileID> {
    let side = Double(UInt64(1) << UInt64(tileZoom))
    let (width, height) = (rules.viewWidth(z: view.z), rules.viewHeight(z: view.z))
    var tiles: Set<TileID> = []
    let (west, east) = ((view.x - width / 2) * side, (view.x + width / 2) * side)
    let (north, south) = ((view.y - height / 2) * side, (view.y + height / 2) * side)
    for column in Int(west.rounded(.down)) - 1...Int(east.rounded(.up)) + 1 {
        for row in Int(north.rounded(.down)) - 1...Int(south.rounded(.up)) + 1 {
            guard row >= 0, row < Int(side),
                min(Double(column + 1), east) - max(Double(column), west) > 1e-8,
                min(Double(row + 1), south) - max(Double(row), north) > 1e-8
            else { continue }
            let wrapped = ((column % Int(side)) + Int(side)) % Int(side)
            tiles.insert(TileID(z: tileZoom, x: UInt32(wrapped), y: UInt32(row)))
        }
    }
    return tiles
}

/// A server that takes its time, and books of all that a session did.
struct ViewerSimulation {
    struct Books {
        var asks: [(tile: TileID, isAhead: Bool, atNS: UInt64)] = []
        var cancels: [TileID] = []
        var ends: [ViewEnd] = []
        var underWayMax = 0
        var overNS: UInt64 = 0
    }

    var latencyNS: ClosedRange<UInt64> = 1_000_000...30_000_000
    var failureShare = 0.0
    var random: TestRandom
    /// How late the owner is at each turn.
    var lagNS: ClosedRange<UInt64> = 0...0

    init(seed: UInt64) { random = TestRandom(seed: seed) }

    /// Runs a session to its end. Every rule that holds always is checked here.
    mutating func run(
        _ session: inout ViewerSession, number: UInt64, atNS: UInt64 = 1_000_000_000
    ) throws -> Books {
        let rules = session.rules
        var books = Books()
        var nowNS = atNS
        var underWay: [(tile: TileID, endNS: UInt64)] = []
        session.begin(session: number, atNS: atNS)
        while true {
            switch session.next(nowNS: nowNS) {
            case .ask(let tile, _, let isAhead):
                try #require(rules.has(tile) && tile.z <= rules.tileZoomMax, "\(tile)")
                if rules.cancels {
                    try #require(!underWay.contains { $0.tile == tile }, "asked twice: \(tile)")
                }
                let latency = UInt64.random(in: latencyNS, using: &random)
                underWay.append((tile, nowNS + latency))
                books.asks.append((tile, isAhead, nowNS))
                books.underWayMax = max(books.underWayMax, underWay.count)
                for host in 0..<rules.hosts {
                    let own = underWay.count { rules.host($0.tile, source: 0) == host }
                    try #require(own <= rules.perHostMax)
                }
            case .cancel(let tile, _):
                let place = try #require(underWay.firstIndex { $0.tile == tile })
                underWay.remove(at: place)
                books.cancels.append(tile)
            case .viewEnded(let end):
                books.ends.append(end)
            case .over:
                try #require(underWay.isEmpty && session.underWay == 0)
                books.overNS = nowNS
                return books
            case .wait(let untilNS):
                try #require(session.underWay == underWay.count)
                let first = underWay.indices.min { underWay[$0].endNS < underWay[$1].endNS }
                if let first, underWay[first].endNS <= untilNS {
                    let (tile, endNS) = underWay.remove(at: first)
                    nowNS = max(nowNS, endNS)
                    let isGood = Double.random(in: 0..<1, using: &random) >= failureShare
                    session.tileEnded(tile, isGood: isGood, nowNS: nowNS)
                } else {
                    try #require(untilNS != .max, "waits for nothing")
                    nowNS = max(nowNS, untilNS) + UInt64.random(in: lagNS, using: &random)
                }
            }
        }
    }
}

/// A session driven by hand: what is asked for stays under way until it is ended.
struct HandDriven: ~Copyable {
    var session: ViewerSession
    private(set) var underWay: [TileID] = []
    private(set) var ends: [ViewEnd] = []

    init(_ rules: ViewerRules, number: UInt64) {
        session = ViewerSession(rules: rules)
        session.begin(session: number, atNS: 0)
    }

    /// One action.
    mutating func step(_ nowNS: UInt64) -> ViewerAction {
        let action = session.next(nowNS: nowNS)
        switch action {
        case .ask(let tile, _, _): underWay.append(tile)
        case .cancel(let tile, _): underWay.removeAll { $0 == tile }
        case .viewEnded(let end): ends.append(end)
        case .wait, .over: break
        }
        return action
    }

    /// Does all that is to be done at a time; the tiles asked for, and those given up.
    mutating func turn(_ nowNS: UInt64) -> (asked: [TileID], ahead: [TileID], cancelled: [TileID]) {
        var (asked, ahead, cancelled): ([TileID], [TileID], [TileID]) = ([], [], [])
        while true {
            switch step(nowNS) {
            case .ask(let tile, _, let isAhead):
                if isAhead { ahead.append(tile) } else { asked.append(tile) }
            case .cancel(let tile, _): cancelled.append(tile)
            case .viewEnded: break
            case .wait, .over: return (asked, ahead, cancelled)
            }
        }
    }

    /// Without cancelling a tile may be under way twice.
    mutating func end(_ tile: TileID, isGood: Bool = true, _ nowNS: UInt64) {
        if let place = underWay.firstIndex(of: tile) { underWay.remove(at: place) }
        session.tileEnded(tile, isGood: isGood, nowNS: nowNS)
    }

    /// Ends what is under way, and what is asked for then, until nothing is.
    mutating func fill(_ nowNS: UInt64) -> Set<TileID> {
        var all: Set<TileID> = []
        _ = turn(nowNS)
        while !underWay.isEmpty {
            for tile in underWay {
                all.insert(tile)
                end(tile, nowNS)
            }
            _ = turn(nowNS)
        }
        return all
    }
}

/// The number of a session whose first two views last long enough for a test.
func calmSession(_ rules: ViewerRules, _ isWanted: ([ViewerPath.View]) -> Bool) throws -> UInt64 {
    try #require(
        (0..<20_000 as Range<UInt64>).first { number in
            let views = views(rules, number)
            return views.count > 1 && views[0].dwellNS > 1_000_000
                && views[1].dwellNS > 2 * ViewerRules.movingNS && isWanted(views)
        })
}
