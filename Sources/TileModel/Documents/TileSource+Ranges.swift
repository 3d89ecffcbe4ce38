extension TileSource {
    /// The matrix of a zoom; nil when the source has none of its own or none at this zoom.
    package func matrix(_ zoom: UInt8) -> TileMatrix? { matrices.first { $0.zoom == zoom } }

    /// The tiles of a zoom that exist by zoom range, bounds and limits, and touch the area when one
    /// is given. No tile is in two of the ranges. Rows count from the north, whatever the scheme.
    package func ranges(zoom: UInt8, within area: GeoBounds? = nil) -> [TileRange] {
        guard minZoom <= zoom, zoom <= maxZoom, zoom <= TileID.zoomMax else { return [] }
        guard !matrices.isEmpty else {
            let own = bounds.tileRanges(z: zoom)
            return area.map { intersection(own, $0.tileRanges(z: zoom)) } ?? own
        }
        guard let matrix = matrix(zoom) else { return [] }
        var ranges = [matrix.limits]
        for bounds in [stated.contains(.bounds) ? bounds : nil, area].compactMap({ $0 }) {
            ranges = intersection(
                ranges,
                followsWebMercator
                    ? bounds.tileRanges(z: zoom) : matrix.ranges(bounds, coordinateSystem))
        }
        return ranges
    }

    /// How many tiles a zoom has.
    package func pyramidSize(zoom: UInt8) -> UInt64 {
        ranges(zoom: zoom).reduce(0) { $0 + $1.count }
    }

    /// How many tiles all zooms have together.
    package var pyramidSize: UInt64 {
        guard minZoom <= maxZoom else { return 0 }
        return (minZoom...maxZoom).reduce(0) { $0 + pyramidSize(zoom: $1) }
    }

    /// The tile of a zoom in which a coordinate lies; nil when the source has none there.
    package func tile(longitude: Double, latitude: Double, zoom: UInt8) -> TileID? {
        guard zoom <= TileID.zoomMax, longitude.isFinite, latitude.isFinite else { return nil }
        let tile: TileID
        if followsWebMercator {
            tile = WebMercator.tile(longitude: longitude, latitude: latitude, z: zoom)
        } else {
            guard
                let own = matrix(zoom)?.tile(
                    longitude: longitude, latitude: latitude, coordinateSystem)
            else { return nil }
            tile = own
        }
        return ranges(zoom: zoom).contains { $0.contains(tile) } ? tile : nil
    }

    /// A tile that exists, to try the source with: at the map's own start when the document names
    /// one, else in the middle of a zoom that has some hundred tiles or is the deepest.
    package var sampleTile: TileID? {
        if let center,
            let tile = tile(
                longitude: center.longitude, latitude: center.latitude, zoom: center.zoom)
        {
            return tile
        }
        guard minZoom <= maxZoom else { return nil }
        let zooms = (minZoom...maxZoom).filter { pyramidSize(zoom: $0) > 0 }
        let zoom = zooms.first { pyramidSize(zoom: $0) >= 100 } ?? zooms.last
        guard let zoom, let range = ranges(zoom: zoom).max(by: { $0.count < $1.count }) else {
            return nil
        }
        return TileID(
            z: zoom, x: range.x.lowerBound + UInt32(range.x.count / 2),
            y: range.y.lowerBound + UInt32(range.y.count / 2))
    }
}

/// The tiles that are in a range of both lists, neither of which has a tile twice.
private func intersection(_ one: [TileRange], _ other: [TileRange]) -> [TileRange] {
    one.flatMap { left in
        other.compactMap { right in
            guard left.z == right.z, left.x.overlaps(right.x), left.y.overlaps(right.y) else {
                return nil
            }
            return TileRange(
                z: left.z, x: left.x.clamped(to: right.x), y: left.y.clamped(to: right.y))
        }
    }
}
