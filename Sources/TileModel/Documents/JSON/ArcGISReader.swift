import Glibc
import JSONText

/// Reads what an ArcGIS map or vector tile service says of its tile cache (`?f=json`).
struct ArcGISReader {
    private var keys: DocumentKeys
    /// Where the service is, without the query.
    private let service: String
    /// The query of the document's URL without what asks for JSON: it may hold a key.
    private let query: String

    static func read(_ node: JSONNode, url: String) throws(DocumentRemark) -> TileSource {
        var reader = ArcGISReader(node, url: url)
        return try reader.source()
    }

    private init(_ node: JSONNode, url: String) {
        keys = DocumentKeys(node)
        let address = url[..<(url.firstIndex(of: "#") ?? url.endIndex)]
        let mark = address.firstIndex(of: "?") ?? address.endIndex
        let folder = address[..<mark]
        service = String(folder.hasSuffix("/") ? folder.dropLast() : folder)
        let kept = address[mark...].dropFirst().split(separator: "&").filter {
            !["f", "callback"].contains($0.prefix { $0 != "=" }.lowercased())
        }
        query = kept.isEmpty ? "" : "?" + kept.joined(separator: "&")
    }

    private mutating func source() throws(DocumentRemark) -> TileSource {
        guard URLReference.isWeb(service) else {
            throw DocumentRemark(
                "the tiles of an ArcGIS service are below its URL, and this document does not come"
                    + " from a web address")
        }
        guard let tiling = keys["tileInfo"], tiling.members != nil else {
            throw keys.remark(
                nil, "the service has no tile cache: there is no `tileInfo`",
                hint: "a service without one draws maps on request; ask it as a WMS")
        }
        let info = DocumentKeys(tiling, pointer: "/tileInfo")
        try checkSystem(info)
        let isVector = keys["tiles"] != nil || service.lowercased().hasSuffix("/vectortileserver")
        let levels = try levels(info)
        let matrixNames = ArcGISReader.names(levels)
        let zoom = matrixNames.isEmpty ? "{z}" : "{TileMatrix}"
        var source = TileSource(
            name: name, kind: isVector ? .vector : .raster,
            templates: [
                "\(service)/tile/\(zoom)/{y}/{x}\(isVector ? ".pbf" : "")\(query)"
            ], maxZoom: 0, tileSize: levels[0].tilePixels)
        source.matrixNames = matrixNames
        source.stated = [.minZoom, .maxZoom, .tileSize]
        source.minZoom = levels[0].zoom
        source.maxZoom = levels[levels.count - 1].zoom
        source.format = info["format"]?.string
        if let bounds = bounds() {
            source.bounds = bounds
            source.stated.insert(.bounds)
        }
        do throws(SourceTemplate.Trouble) {
            source.templates = [try SourceTemplate.absolute(source.templates[0], url: "")]
            try SourceTemplate.checkNamed(source.templates[0], source)
        } catch {
            throw DocumentRemark("the service's URL cannot be used: " + error.message)
        }
        source.notes = keys.notes.list
        return source
    }

    /// `mapName`, unless it is the empty or default one; else the service's name in its URL.
    private var name: String {
        if let name = keys["mapName"]?.string, !name.isEmpty, name != "Layers" { return name }
        let parts = service.split(separator: "/")
        return parts.dropLast().last.map(String.init) ?? "tiles"
    }

    // MARK: - Levels

    private struct Level {
        var level: Int
        var zoom: UInt8
        var tilePixels: Int
    }

    /// The tile grid must be Web Mercator's, whose north-west corner is the origin.
    private func checkSystem(_ info: DocumentKeys) throws(DocumentRemark) {
        let reference = info["spatialReference"] ?? keys["spatialReference"]
        guard ArcGISReader.isWebMercator(reference) else {
            let number = ArcGISReader.wkids(reference).first.map { "\($0)" } ?? "unknown"
            throw info.remark(
                "spatialReference",
                "the tiles are in coordinate system \(number), not in Web"
                    + " Mercator (3857 or 102100), the only one that is supported")
        }
        let half = CoordinateSystem.webMercator.worldWidth / 2
        let x = info["origin"]?["x"]?.double ?? .nan
        let y = info["origin"]?["y"]?.double ?? .nan
        // Esri writes the corner with more or fewer digits.
        guard abs(x + half) < 1, abs(y - half) < 1 else {
            throw info.remark(
                "origin", "the tiles do not begin at the north-west corner of Web Mercator")
        }
    }

    /// The levels that are served, by ascending zoom; at least one.
    private mutating func levels(_ info: DocumentKeys) throws(DocumentRemark) -> [Level] {
        guard let rows = info["rows"]?.int, let columns = info["cols"]?.int, rows == columns,
            (1...16_384).contains(rows)
        else {
            throw info.remark(nil, "`rows` and `cols`, the pixels of a tile, are not one number")
        }
        guard let list = info["lods"]?.array, !list.isEmpty else {
            throw info.remark("lods", "there is no level")
        }
        let first = keys.whole("minLOD", in: 0...Int(TileID.zoomMax))
        let last = keys.whole("maxLOD", in: 0...Int(TileID.zoomMax))
        var levels: [Level] = []
        for (index, node) in list.enumerated() {
            let lod = DocumentKeys(node, pointer: "/tileInfo/lods/\(index)")
            guard let level = lod["level"]?.int, let resolution = lod["resolution"]?.double,
                resolution > 0, level.magnitude < 1000
            else { throw lod.remark(nil, "a level has a `level` and a `resolution`") }
            let scale = lod["scale"]?.double
            guard level >= first ?? level, level <= last ?? level,
                first != nil || last != nil || isDrawn(scale)
            else { continue }
            let count = CoordinateSystem.webMercator.worldWidth / (resolution * Double(rows))
            let zoom = log2(count).rounded()
            // Off by less than a tenth of a tile at the far side of the world.
            guard zoom >= 0, zoom <= Double(TileID.zoomMax), abs(count - exp2(zoom)) < 0.1 else {
                throw lod.remark(
                    "resolution", "level \(level) is none of Web Mercator's zooms",
                    hint: "tiles of other scales are not supported")
            }
            guard UInt8(zoom) > levels.last?.zoom ?? 0 || levels.isEmpty else {
                throw lod.remark(nil, "level \(level) is not deeper than the one before")
            }
            levels.append(Level(level: level, zoom: UInt8(zoom), tilePixels: rows))
        }
        guard !levels.isEmpty else { throw info.remark("lods", "no level is served") }
        return levels
    }

    /// What `{TileMatrix}` stands for at each zoom; empty when every level is its zoom.
    private static func names(_ levels: [Level]) -> [String] {
        guard levels.contains(where: { $0.level != Int($0.zoom) }) else { return [] }
        let deepest = Int(levels[levels.count - 1].zoom)
        var names = [String](repeating: "", count: deepest + 1)
        for level in levels { names[Int(level.zoom)] = String(level.level) }
        return names
    }

    /// Whether a scale is within `minScale` and `maxScale`, 0 being none; a percent is rounding.
    private func isDrawn(_ scale: Double?) -> Bool {
        guard let scale else { return true }
        let widest = keys["minScale"]?.double ?? 0
        let closest = keys["maxScale"]?.double ?? 0
        return (widest <= 0 || scale <= widest * 1.01) && (closest <= 0 || scale >= closest * 0.99)
    }

    // MARK: - Extent

    /// `fullExtent` in degrees; nil, and noted, when it cannot be used.
    private mutating func bounds() -> GeoBounds? {
        guard let extent = keys["fullExtent"] else { return nil }
        let numbers = ["xmin", "ymin", "xmax", "ymax"].compactMap { extent[$0]?.double }
        guard numbers.count == 4 else {
            keys.ignore("fullExtent", "this is not four numbers xmin, ymin, xmax, ymax")
            return nil
        }
        let reference = extent["spatialReference"]
        var degrees = numbers
        if ArcGISReader.isWebMercator(reference) {
            let width = CoordinateSystem.webMercator.worldWidth
            for (index, place) in [(0, (numbers[0], numbers[1])), (2, (numbers[2], numbers[3]))] {
                let x = min(max(place.0 / width + 0.5, 0), 1)
                let y = min(max(0.5 - place.1 / width, 0), 1)
                (degrees[index], degrees[index + 1]) = WebMercator.coordinate(x: x, y: y)
            }
        } else if !ArcGISReader.wkids(reference).contains(4326) {
            keys.ignore("fullExtent", "this is neither in Web Mercator nor in degrees")
            return nil
        }
        do throws(GeoBoundsError) {
            let bounds = try GeoBounds(tolerant: degrees)
            guard !bounds.crossesAntimeridian else {
                keys.ignore("fullExtent", "xmin is greater than xmax")
                return nil
            }
            return bounds
        } catch {
            keys.ignore("fullExtent", error.description)
            return nil
        }
    }

    private static func wkids(_ reference: JSONNode?) -> [Int] {
        ["latestWkid", "wkid"].compactMap { reference?[$0]?.int }
    }

    private static func isWebMercator(_ reference: JSONNode?) -> Bool {
        wkids(reference).contains { CoordinateSystem(name: "EPSG:\($0)") == .webMercator }
    }
}
