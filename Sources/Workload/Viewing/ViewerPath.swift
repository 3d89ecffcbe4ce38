import Glibc
import TileModel

/// What somebody looks at, one view after the other: a function of the rules, the seed and the
/// session's number alone, whatever the answers do.
struct ViewerPath: Sendable {
    struct View: Sendable, Hashable {
        /// The centre, on the square of Web Mercator whose sides are 1.
        var x: Double
        var y: Double
        var z: UInt8
        /// Number of the place in which the session began; 0 without places.
        var place: UInt16
        /// Counts from 0 within the session.
        var number: UInt32
        /// From the request of this view to that of the next one, or to the end.
        var dwellNS: UInt64
    }

    private enum Move { case pan, zoomIn, zoomOut }

    private var draws: SeededRandom.Draws
    private let session: UInt64
    private var viewsLeft: UInt32
    private var view: View?

    init(rules: ViewerRules, session: UInt64) {
        self.session = session
        draws = rules.random.draws(at: session)
        // Even from 1 to twice the mean less 1: no figure of map sessions is known.
        viewsLeft = UInt32(1 + draws.below(UInt64(2 * rules.viewsMean - 1)))
    }

    /// Nil: the session is over.
    mutating func next(_ rules: ViewerRules) -> View? {
        guard viewsLeft > 0 else { return nil }
        viewsLeft -= 1
        guard let last = view else {
            view = first(rules)
            return view
        }
        guard let move = drawMove(rules, last) else {
            viewsLeft = 0
            return nil
        }
        var next = last
        switch move {
        case .pan:
            let direction = 2 * Double.pi * draws.unit()
            // A quarter of the viewport up to all of it.
            let share = 0.25 + 0.75 * draws.unit()
            next.x += cos(direction) * share * rules.viewWidth(z: last.z)
            next.y += sin(direction) * share * rules.viewHeight(z: last.z)
        case .zoomIn, .zoomOut:
            // Around a point of the viewport, as a wheel or two fingers do.
            let across = (draws.unit() - 0.5) * rules.viewWidth(z: last.z)
            let down = (draws.unit() - 0.5) * rules.viewHeight(z: last.z)
            let share = move == .zoomIn ? 0.5 : -1
            next.x += share * across
            next.y += share * down
            next.z = move == .zoomIn ? last.z + 1 : last.z - 1
        }
        next.number += 1
        settle(&next, rules)
        view = next
        return next
    }

    /// No further view comes.
    mutating func stop() { viewsLeft = 0 }

    private mutating func first(_ rules: ViewerRules) -> View {
        let start = rules.starts.choice(at: session)
        let region = rules.region(place: start.place)
        let (across, down) = (draws.unit(), draws.unit())
        let (x, y) = region.point(in: start.tile, across, down)
        var view = View(x: x, y: y, z: start.tile.z, place: start.place, number: 0, dwellNS: 0)
        settle(&view, rules)
        return view
    }

    /// Draws the time; brings the centre into the region, and the viewport into the world as far as
    /// it fits.
    private mutating func settle(_ view: inout View, _ rules: ViewerRules) {
        // Exponential: short and long looks about a mean.
        let dwell = -log(1 - draws.unit()) * Double(rules.dwellNS)
        view.dwellNS = UInt64(min(dwell, 0x1p62))
        (view.x, view.y) = rules.region(place: view.place).clamping(x: view.x, y: view.y)
        let half = rules.viewHeight(z: view.z) / 2
        view.y = half < 0.5 ? min(max(view.y, half), 1 - half) : 0.5
    }

    private mutating func drawMove(_ rules: ViewerRules, _ view: View) -> Move? {
        let moves = rules.moves
        let pan = moves.pan
        let zoomIn = view.z < rules.zoomLast ? moves.zoomIn : 0
        let zoomOut = view.z > rules.zoomFirst ? moves.zoomOut : 0
        let sum = pan + zoomIn + zoomOut
        let share = draws.unit() * sum
        guard sum > 0 else { return nil }
        if share < pan { return .pan }
        return share < pan + zoomIn || zoomOut == 0 ? .zoomIn : .zoomOut
    }
}
