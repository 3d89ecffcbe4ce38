import JSONText
import Reporting
import TileModel
import Workload

extension Inspection {
    private static let layersShown = 50

    /// For a person.
    var text: String {
        var text =
            target.document.kind.phrase.prefix(1).uppercased()
            + target.document.kind.phrase.dropFirst()
        if let title = target.document.title { text += " \"\(title)\"" }
        text += "\n"
        addLayers(&text)
        for source in sources { add(source, &text) }
        if !notes.isEmpty { text += "\n" }
        for note in notes { text += "note: \(Self.plain(note))\n" }
        return text
    }

    private func addLayers(_ text: inout String) {
        let layers = target.document.layers
        guard !layers.isEmpty else { return }
        text += "\nLayers\n"
        for layer in layers.prefix(Self.layersShown) {
            text += "  \(Self.plain(layer.name))"
            if let title = layer.title, title != layer.name { text += ": \(Self.plain(title))" }
            text += "\n"
            for (word, list) in [
                ("styles", layer.styles), ("formats", layer.formats), ("grids", layer.grids),
                ("dimensions", layer.dimensions),
            ] where !list.isEmpty {
                Self.line("  " + word, list.joined(separator: ", "), &text)
            }
            if let box = layer.bounds { Self.line("  bounds", Self.words(box), &text) }
        }
        if layers.count > Self.layersShown {
            text += "  and \(layers.count - Self.layersShown) more\n"
        }
    }

    private func add(_ source: Source, _ text: inout String) {
        let tiles = source.tiles
        text += "\nSource \(Self.plain(tiles.name))\n"
        for template in tiles.templates { Self.line("template", template, &text) }
        var kind = tiles.kind?.rawValue ?? "not said"
        if let format = tiles.format { kind += ", \(format)" }
        if let encoding = tiles.encoding { kind += ", \(encoding)" }
        Self.line("tiles", "\(kind); \(tiles.tileSize) pixels", &text)
        Self.line("scheme", tiles.scheme.rawValue, &text)
        Self.line("zooms", "\(tiles.minZoom) to \(tiles.maxZoom)", &text)
        Self.line("bounds", Self.words(tiles.bounds), &text)
        if !tiles.followsWebMercator { Self.line("grid", "of its own, no Web Mercator", &text) }
        if !tiles.vectorLayers.isEmpty {
            Self.line("layers", tiles.vectorLayers.map(\.id).joined(separator: ", "), &text)
        }
        Self.line("pyramid", TextNumbers.count(tiles.pyramidSize, "tile"), &text)
        Self.line("hosts", source.hosts.joined(separator: ", "), &text)
        if !source.refused.isEmpty {
            Self.line("refused", source.refused.joined(separator: ", "), &text)
        }
        guard let url = source.url, let tile = source.tile else { return }
        Self.line("tile", "\(tile) at \(url)", &text)
        if let status = source.status {
            Self.line("answer", "\(status), \(source.outcome ?? "")", &text)
        } else if let failure = source.failure {
            Self.line("answer", "none: \(failure)", &text)
        }
    }

    private static func line(_ label: String, _ value: String, _ text: inout String) {
        let gap = String(repeating: " ", count: max(1, 13 - label.count))
        text += "  \(label)\(gap)\(plain(value))\n"
    }

    /// A text of the document, on one line and without what would steer a terminal.
    private static func plain(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator:
                result.unicodeScalars.append("\u{FFFD}")
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    private static func words(_ box: GeoBounds) -> String {
        [box.west, box.south, box.east, box.north].map { TextNumbers.significant($0) }
            .joined(separator: ", ")
    }

    /// For a program.
    var json: JSONNode {
        var members: [(String, JSONNode)] = [("kind", .string(target.document.kind.rawValue))]
        if let title = target.document.title { members.append(("title", .string(title))) }
        members += [
            ("layers", .array(target.document.layers.map(Self.json))),
            ("sources", .array(sources.map(Self.json))),
            ("notes", .array(notes.map { .string($0) })),
        ]
        return .object(members)
    }

    private static func json(_ layer: SourceLayer) -> JSONNode {
        func list(_ texts: [String]) -> JSONNode { .array(texts.map { .string($0) }) }
        var members: [(String, JSONNode)] = [("name", .string(layer.name))]
        if let title = layer.title { members.append(("title", .string(title))) }
        members += [
            ("styles", list(layer.styles)), ("formats", list(layer.formats)),
            ("grids", list(layer.grids)), ("dimensions", list(layer.dimensions)),
        ]
        if let box = layer.bounds { members.append(("bounds", json(box))) }
        return .object(members)
    }

    private static func json(_ source: Source) -> JSONNode {
        let tiles = source.tiles
        var members: [(String, JSONNode)] = [("name", .string(tiles.name))]
        if let kind = tiles.kind { members.append(("type", .string(kind.rawValue))) }
        members += [
            ("tiles", .array(tiles.templates.map { .string($0) })),
            ("scheme", .string(tiles.scheme.rawValue)), ("tile_size", .int(tiles.tileSize)),
            ("zooms", .array([.int(Int(tiles.minZoom)), .int(Int(tiles.maxZoom))])),
            ("bounds", json(tiles.bounds)), ("web_mercator", .bool(tiles.followsWebMercator)),
            ("pyramid_tiles", .uint(tiles.pyramidSize)),
            ("vector_layers", .array(tiles.vectorLayers.map { .string($0.id) })),
            ("hosts", .array(source.hosts.map { .string($0) })),
            ("refused_hosts", .array(source.refused.map { .string($0) })),
        ]
        if let tile = source.tile, let url = source.url {
            members += [("tile", .string("\(tile)")), ("tile_url", .string(url))]
        }
        if let status = source.status { members.append(("tile_status", .int(status))) }
        if let outcome = source.outcome { members.append(("tile_outcome", .string(outcome))) }
        if let failure = source.failure { members.append(("tile_failure", .string(failure))) }
        return .object(members)
    }

    private static func json(_ box: GeoBounds) -> JSONNode {
        .array([box.west, box.south, box.east, box.north].map { .double($0) })
    }
}
