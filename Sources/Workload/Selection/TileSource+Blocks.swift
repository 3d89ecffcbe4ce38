import TileModel

/// A source's tiles as a stream draws them.
extension TileSource {
    /// Whether the source has every tile of the Web Mercator pyramid between its zooms.
    var coversWorld: Bool {
        let world = GeoBounds.world
        let hasWorld =
            !stated.contains(.bounds)
            || bounds.west <= -179.9 && bounds.east >= 179.9 && bounds.south <= world.south + 0.1
                && bounds.north >= world.north - 0.1
        return hasWorld && followsWebMercator
            && matrices.allSatisfy { matrix in
                matrix.limits.count == 1 << (2 * UInt64(matrix.zoom))
            }
    }

    /// The zoom whose tiles are asked for where tiles of a zoom are wanted: above the deepest zoom
    /// that is the deepest, whose tiles a client enlarges. Nil: there are none.
    func servedZoom(_ wanted: UInt8) -> UInt8? {
        guard wanted >= minZoom, minZoom <= maxZoom else { return nil }
        let zoom = min(wanted, maxZoom, TileID.zoomMax)
        guard !matrices.isEmpty else { return zoom }
        return matrices.last { $0.zoom <= zoom && $0.zoom >= minZoom }?.zoom
    }

    /// The zooms that are asked for where these are wanted, each once, ascending.
    func servedZooms(_ wanted: [UInt8]) -> [UInt8] {
        Set(wanted.compactMap(servedZoom)).sorted()
    }

    /// The tiles of a zoom, those that touch the area when one is given. No tile is in two blocks.
    func blocks(zoom: UInt8, within area: GeoBounds? = nil) -> [TileBlock] {
        if coversWorld { return [TileBlock(bounds: area ?? .world, z: zoom)] }
        if matrices.isEmpty, area == nil { return [TileBlock(bounds: bounds, z: zoom)] }
        return TileBlock.blocks(of: ranges(zoom: zoom, within: area))
    }
}

/// Which tile of a source stands for a tile that is wanted.
struct ServedTiles {
    private let source: TileSource
    /// By zoom; empty: the source has every tile between its zooms.
    private let blocks: [[TileBlock]]

    init(_ source: TileSource) {
        self.source = source
        blocks =
            source.coversWorld
            ? [] : (0...TileID.zoomMax).map { source.blocks(zoom: $0) }
    }

    /// The tile itself, above the deepest zoom the tile that covers it; nil when the source has
    /// none. On a grid of its own no tile covers the same ground as one of another zoom.
    func tile(for wanted: TileID) -> TileID? {
        guard let zoom = source.servedZoom(wanted.z),
            source.followsWebMercator || zoom == wanted.z
        else { return nil }
        let tile = wanted.ancestor(zoom: zoom)
        guard !blocks.isEmpty else { return tile }
        return blocks[Int(zoom)].contains { $0.contains(tile) } ? tile : nil
    }
}
