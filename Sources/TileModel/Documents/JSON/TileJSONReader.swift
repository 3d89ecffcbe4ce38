import JSONText

/// Reads TileJSON 2.x and 3.0.0 (mapbox/tilejson-spec); 1.0.0 differs in nothing that is read.
struct TileJSONReader {
    private var keys: DocumentKeys
    private let url: String
    /// The first number of `tilejson`.
    private let major: Int

    static func read(_ node: JSONNode, url: String) throws(DocumentRemark) -> TileSource {
        var reader = try TileJSONReader(node, url: url)
        return try reader.source()
    }

    private init(_ node: JSONNode, url: String) throws(DocumentRemark) {
        keys = DocumentKeys(node)
        self.url = url
        guard let version = keys["tilejson"] else {
            throw keys.remark(nil, "`tilejson`, the version of the specification, is missing")
        }
        guard let text = version.string, let major = TileJSONReader.major(text) else {
            throw keys.remark("tilejson", "the version is not of the form \"3.0.0\"")
        }
        guard (1...3).contains(major) else {
            throw keys.remark("tilejson", "version \(quoted(text)) is not known; 2.x and 3.0.0 are")
        }
        self.major = major
    }

    private mutating func source() throws(DocumentRemark) -> TileSource {
        let templates: [String]
        do throws(TemplateRefusal) {
            templates = try keys.templates(url: url)
        } catch {
            throw error.remark
        }
        var source = TileSource(
            name: quoted(keys.text("name") ?? "tiles"), templates: templates,
            maxZoom: TileID.zoomMax,
            tileSize: 256)
        let (low, high) = keys.zooms()
        if let low {
            source.minZoom = low
            source.stated.insert(.minZoom)
        }
        if let high {
            source.maxZoom = high
            source.stated.insert(.maxZoom)
        }
        if let bounds = keys.bounds("bounds") {
            source.bounds = bounds
            source.stated.insert(.bounds)
        } else {
            source.bounds = TileJSONReader.defaultBounds(major: major)
        }
        source.scheme = scheme() ?? .xyz
        source.format = keys.text("format")
        source.encoding = keys.text("encoding")
        let isRaster = kind(source).map { $0 != .vector } ?? false
        source.vectorLayers = try vectorLayers(isRaster: isRaster)
        source.kind = kind(source)
        if source.kind == .vector { source.tileSize = 512 }
        if let size = keys.whole("tileSize", in: 1...16_384) {
            source.tileSize = size
            source.stated.insert(.tileSize)
        }
        readPlaces(into: &source)
        if major == 3, source.kind == .vector, keys["vector_layers"] == nil {
            keys.notes.add(keys.remark(nil, "vector tiles of version 3 name their `vector_layers`"))
        }
        if let version = keys.text("version"), TileJSONReader.major(version) == nil {
            keys.ignore("version", "\"\(quoted(version))\" is not of the form \"1.0.0\"")
        }
        source.otherKeys = (keys.node.members ?? []).filter {
            !TileJSONReader.known.contains($0.name)
        }
        source.notes = keys.notes.list
        return source
    }

    /// The specification's keys, of all versions, and those that are read besides.
    private static let known: Set<String> = [
        "attribution", "bounds", "center", "data", "description", "encoding", "fillzoom", "format",
        "grids", "legend", "maxzoom", "minzoom", "name", "scheme", "template", "tileSize",
        "tilejson", "tiles", "vector_layers", "version",
    ]

    /// 2.2 says the whole globe, 3.0 where Web Mercator ends; tiles are the same.
    private static func defaultBounds(major: Int) -> GeoBounds {
        let latitude = major >= 3 ? 85.05112877980659 : 90
        return (try? GeoBounds(west: -180, south: -latitude, east: 180, north: latitude)) ?? .world
    }

    private mutating func scheme() -> TemplateOptions.Scheme? {
        guard let text = keys.text("scheme") else { return nil }
        guard let scheme = TemplateOptions.Scheme(rawValue: text) else {
            keys.ignore("scheme", "\"\(quoted(text))\" is neither xyz nor tms")
            return nil
        }
        return scheme
    }

    /// `fillzoom` and `center`, which must be within the zooms and bounds.
    private mutating func readPlaces(into source: inout TileSource) {
        let zooms = Int(source.minZoom)...Int(source.maxZoom)
        source.fillZoom = keys.whole("fillzoom", in: zooms).map { UInt8($0) }
        guard let value = keys["center"] else { return }
        let numbers = (value.array ?? []).compactMap(\.double)
        guard numbers.count == 3, value.array?.count == 3, let zoom = value.array?[2].int else {
            return keys.ignore("center", "this is not longitude, latitude and a whole zoom")
        }
        let box = source.bounds
        let isInside =
            (box.west...box.east).contains(numbers[0])
            && (box.south...box.north).contains(numbers[1]) && zooms.contains(zoom)
        guard isInside else { return keys.ignore("center", "this is outside the bounds or zooms") }
        source.center = TileSource.Center(
            longitude: numbers[0], latitude: numbers[1], zoom: UInt8(zoom))
    }

    /// Required for vector tiles since 3.0, with `id` and `fields`; unknown to 2.x and without
    /// meaning for images, where an invalid one is as if absent.
    private mutating func vectorLayers(
        isRaster: Bool
    ) throws(DocumentRemark) -> [TileSource.VectorLayer] {
        guard let value = keys["vector_layers"] else { return [] }
        var layers: [TileSource.VectorLayer] = []
        do throws(DocumentRemark) {
            guard let elements = value.array else {
                throw keys.remark("vector_layers", "\(value.kindName) where an array is expected")
            }
            for (index, element) in elements.enumerated() {
                var layer = DocumentKeys(element, pointer: "/vector_layers/\(index)")
                guard let id = layer["id"]?.string else {
                    throw layer.remark(nil, "a layer has an `id`, which is text")
                }
                guard layer["fields"]?.members != nil || major < 3 else {
                    throw layer.remark(nil, "a layer has `fields`, which is an object")
                }
                let (low, high) = layer.zooms()
                keys.notes.add(layer.notes)
                layers.append(TileSource.VectorLayer(id: id, minZoom: low, maxZoom: high))
            }
        } catch {
            guard major < 3 || isRaster else { throw error }
            var note = error
            note.message += ", so vector_layers is as if absent"
            keys.notes.add(note)
            return []
        }
        return layers
    }

    private func kind(_ source: TileSource) -> TileSource.Kind? {
        if !source.vectorLayers.isEmpty || ["mvt", "mlt"].contains(source.encoding) {
            return .vector
        }
        if ["terrarium", "mapbox"].contains(source.encoding) { return .rasterDEM }
        return source.format.flatMap { SourceTemplate.kind(format: $0) }
            ?? source.templates.lazy.compactMap { SourceTemplate.kind($0) }.first
    }

    /// The first number of a version by semver.org; nil when it is none.
    private static func major(_ text: String) -> Int? {
        let core = text.prefix { $0 != "-" && $0 != "+" }
        let numbers = core.split(separator: ".", omittingEmptySubsequences: false)
        let isVersion =
            numbers.count == 3
            && numbers.allSatisfy { number in
                !number.isEmpty && number.utf8.allSatisfy { (0x30...0x39).contains($0) }
                    && (number == "0" || number.first != "0")
            }
        return isVersion ? Int(numbers[0]) : nil
    }
}
