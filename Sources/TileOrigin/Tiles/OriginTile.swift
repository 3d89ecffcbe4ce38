import TileModel

/// A tile that the server can serve: its place in the pyramid, its format and its pixel ratio.
struct OriginTile: Equatable {
    enum Format: UInt64 {
        case png
        case mvt
    }

    let id: TileID
    let format: Format
    /// 1, or 2 for a PNG of 512 pixels ("@2x").
    let ratio: Int

    /// A number of its own for every tile, never 0: the tile's position in the pyramid (the marker
    /// bit says the zoom), then two bits for ratio and format.
    var packed: UInt64 {
        let position =
            UInt64(1) << (2 * UInt64(id.z)) + (UInt64(id.x) << UInt64(id.z) | UInt64(id.y))
        return position << 2 | UInt64(ratio - 1) << 1 | format.rawValue
    }

    var contentType: String {
        format == .png ? "image/png" : "application/vnd.mapbox-vector-tile"
    }

    var label: String { "\(id.z)/\(id.x)/\(id.y)" }
}
