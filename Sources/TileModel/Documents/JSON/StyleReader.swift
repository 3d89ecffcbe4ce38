import JSONText

/// What a style says of tiles.
struct StyleSources: Sendable {
    var title: String?
    /// Sources with `tiles`, complete.
    var sources: [TileSource] = []
    /// Sources with a `url`.
    var references: [SourceReference] = []
    var notes: [DocumentRemark] = []
}

/// Reads the sources of a MapLibre style, version 8 (maplibre-style-spec).
struct StyleReader {
    private let url: String
    private var notes = DocumentNotes()
    private var style = StyleSources()

    static func read(_ node: JSONNode, url: String) throws(DocumentRemark) -> StyleSources {
        var reader = StyleReader(url: url)
        try reader.read(DocumentKeys(node))
        reader.style.notes = reader.notes.list
        return reader.style
    }

    private init(url: String) { self.url = url }

    private mutating func read(_ keys: DocumentKeys) throws(DocumentRemark) {
        guard keys["version"]?.int == 8 else {
            throw keys.remark(
                keys["version"] == nil ? nil : "version", "a style of version 8 is expected")
        }
        guard let sources = keys["sources"]?.members else {
            throw keys.remark(
                keys["sources"] == nil ? nil : "sources", "`sources` is not an object")
        }
        guard sources.count <= DocumentLimits.sourcesMax else {
            throw keys.remark(
                "sources", "more than \(DocumentLimits.sourcesMax) sources are not read")
        }
        style.title = keys["name"]?.string.map { quoted($0) }
        let used = StyleReader.usedSources(keys)
        for member in sources {
            let pointer = "/sources/" + JSONPointer.escape(quoted(member.name))
            let isRead = try read(
                DocumentKeys(member.node, pointer: pointer), name: quoted(member.name))
            if isRead, !used.contains(member.name) {
                note(member, "no visible layer uses the source; a map would not ask for its tiles")
            }
        }
        guard !style.sources.isEmpty || !style.references.isEmpty else {
            throw keys.remark(
                "sources", "the style has no vector, raster or raster-dem source that can be asked",
                hint: notes.list.first.map(\.description))
        }
    }

    /// Whether it is a source of tiles.
    private mutating func read(
        _ source: DocumentKeys, name: String
    ) throws(DocumentRemark) -> Bool {
        var keys = source
        guard keys.node.members != nil else {
            throw keys.remark(nil, "\(keys.node.kindName) where a source is expected")
        }
        guard let type = keys["type"]?.string else {
            throw keys.remark(nil, "a source has a `type`, which is text")
        }
        guard let kind = TileSource.Kind(rawValue: type) else {
            notes.add(
                keys.remark(nil, "a source of type \"\(quoted(type))\" has no tiles: ignored"))
            return false
        }
        let reference = self.reference(&keys, name: name, kind: kind)
        defer { notes.add(keys.notes) }
        if let address = keys["url"] {
            return try add(reference, address: address, &keys)
        }
        guard keys["tiles"] != nil else {
            notes.add(keys.remark(nil, "the source has neither `tiles` nor `url`: ignored"))
            return false
        }
        let templates: [String]
        do throws(TemplateRefusal) {
            templates = try keys.templates(url: url)
        } catch .scheme(let remark) {
            notes.add(remark)
            return false
        } catch {
            throw error.remark
        }
        var tiles = TileSource(name: name, templates: templates, maxZoom: 0, tileSize: 0)
        try reference.complete(&tiles)
        style.sources.append(tiles)
        return true
    }

    /// A source whose tiles another document names.
    private mutating func add(
        _ reference: SourceReference, address: JSONNode, _ keys: inout DocumentKeys
    ) throws(DocumentRemark) -> Bool {
        guard let text = address.string else {
            throw keys.remark("url", "\(address.kindName) where a URL is expected")
        }
        if keys["tiles"] != nil { keys.ignore("tiles", "`url` comes before it") }
        do throws(SourceTemplate.Trouble) {
            var reference = reference
            reference.url = try SourceTemplate.absolute(text, url: url)
            style.references.append(reference)
            return true
        } catch .scheme(let scheme) {
            notes.add(keys.remark("url", SourceTemplate.Trouble.scheme(scheme).message))
            return false
        } catch {
            throw keys.remark("url", error.message)
        }
    }

    /// What the style says of a source besides where its tiles are.
    private func reference(
        _ keys: inout DocumentKeys, name: String, kind: TileSource.Kind
    ) -> SourceReference {
        let (low, high) = keys.zooms()
        var scheme: TemplateOptions.Scheme?
        if let text = keys.text("scheme") {
            scheme = TemplateOptions.Scheme(rawValue: text)
            if scheme == nil { keys.ignore("scheme", "\"\(quoted(text))\" is neither xyz nor tms") }
        }
        return SourceReference(
            name: name, kind: kind, url: "", place: keys.node.place, minZoom: low, maxZoom: high,
            bounds: keys.bounds("bounds"), scheme: scheme,
            tileSize: keys.whole("tileSize", in: 1...16_384), encoding: keys.text("encoding"))
    }

    private mutating func note(_ member: JSONMember, _ message: String) {
        notes.add(
            DocumentRemark(
                path: "/sources/" + JSONPointer.escape(quoted(member.name)), place: member.place,
                message))
    }

    /// The sources of the layers that are not switched off, and of the terrain.
    private static func usedSources(_ keys: DocumentKeys) -> Set<String> {
        var used: Set<String> = []
        for layer in keys["layers"]?.array ?? []
        where layer["layout"]?["visibility"]?.string != "none" {
            if let source = layer["source"]?.string { used.insert(source) }
        }
        if let terrain = keys["terrain"]?["source"]?.string { used.insert(terrain) }
        return used
    }
}
