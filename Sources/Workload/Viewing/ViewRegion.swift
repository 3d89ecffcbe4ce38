import Glibc
import TileModel

/// Where the centre of a view may be, on the square of Web Mercator whose sides are 1.
struct ViewRegion: Sendable, Hashable {
    static let world = ViewRegion(.world)

    /// The western edge, 0 ..< 1.
    let west: Double
    /// 1: all around the globe.
    let width: Double
    let north: Double
    let height: Double

    init(_ bounds: GeoBounds) {
        let (left, top) = WebMercator.position(longitude: bounds.west, latitude: bounds.north)
        let (right, bottom) = WebMercator.position(
            longitude: bounds.east, latitude: bounds.south)
        west = ViewRegion.wrapped(left)
        width = min(max(bounds.crossesAntimeridian ? right + 1 - left : right - left, 0), 1)
        north = min(max(top, 0), 1)
        height = min(max(bottom, north), 1) - north
    }

    /// The part of a coordinate that counts from the antimeridian, 0 ..< 1.
    static func wrapped(_ x: Double) -> Double {
        let share = x - x.rounded(.down)
        return share < 1 ? share : 0
    }

    /// The nearest centre that is inside.
    func clamping(x: Double, y: Double) -> (x: Double, y: Double) {
        let row = min(max(y, north), north + height)
        guard width < 1 else { return (ViewRegion.wrapped(x), row) }
        // How far east of the region's middle, -0.5 ..< 0.5.
        let away = ViewRegion.wrapped(x - west - width / 2 + 0.5) - 0.5
        let column = west + width / 2 + min(max(away, -width / 2), width / 2)
        return (ViewRegion.wrapped(column), row)
    }

    /// A point of a tile that is in the region too, each as likely as the next; the region's point
    /// that is nearest when they have none in common.
    ///
    /// - Parameters: two numbers of 0 ..< 1.
    func point(in tile: TileID, _ across: Double, _ down: Double) -> (x: Double, y: Double) {
        let size = 1 / Double(tile.side)
        let top = max(Double(tile.y) * size, north)
        let bottom = max(min(Double(tile.y + 1) * size, north + height), top)
        let row = top + down * (bottom - top)
        // The tile counted from the region's western edge; it may begin before the region's end
        // and reach beyond the edge once more.
        let start = ViewRegion.wrapped(Double(tile.x) * size - west)
        let first = max(min(start + size, width) - start, 0)
        let second = max(min(start + size - 1, width), 0)
        let place = across * (first + second)
        let column = place < first ? start + place : place - first
        return clamping(x: west + column, y: row)
    }
}
