extension WMTSCapabilities {
    /// The tiles of a layer, in the style, format and matrix set that are chosen or default.
    ///
    /// - Throws: what the document does not offer, and what must be chosen and is not.
    func source(_ choice: SourceChoice) throws(DocumentRemark) -> TileSource {
        var notes = DocumentNotes()
        let layer = try chosenLayer(choice)
        let (set, system, link) = try matrixSet(layer, choice, &notes)
        let name = layer.text(of: "Identifier") ?? ""
        let style = try chosenStyle(layer, choice)
        let resources = layer.all("ResourceURL").filter { $0.attribute("resourceType") == "tile" }
        let usesKVP = try usesKVP(layer, resources, choice, &notes)
        let format = try chosenFormat(layer, usesKVP ? [] : resources, choice)
        let values = WMTSTemplate.Values(
            layer: name, style: style, tileMatrixSet: set.text(of: "Identifier") ?? "",
            format: format, dimensions: try dimensions(layer, choice))

        let matrices = try TileMatrixBuilder.matrices(of: set, link: link, system, &notes)
        var source = TileSource(
            name: name, kind: SourceTemplate.kind(format: format), templates: [],
            maxZoom: matrices.list[matrices.list.count - 1].zoom,
            tileSize: matrices.list[0].tileWidth)
        source.minZoom = matrices.list[0].zoom
        source.matrices = matrices.list
        source.followsWebMercator = matrices.followsWebMercator
        source.matrixNames = TileMatrixBuilder.names(matrices.list)
        source.coordinateSystem = system
        source.stated = [.minZoom, .maxZoom, .tileSize]
        source.format = format
        do throws(DocumentRemark) {
            if let bounds = try WMTSCapabilities.bounds(layer) {
                source.bounds = bounds
                source.stated.insert(.bounds)
            }
        } catch {
            notes.add(error)
        }
        source.templates =
            usesKVP
            ? try kvpTemplates(values, source)
            : try restfulTemplates(resources, values, source)
        source.notes = notes.list
        return source
    }

    // MARK: - Choosing

    private func chosenLayer(_ choice: SourceChoice) throws(DocumentRemark) -> XMLElement {
        let names = layers.map { $0.text(of: "Identifier") ?? "" }
        if let wanted = choice.layer {
            guard let index = names.firstIndex(of: wanted) else {
                throw DocumentRemark(
                    "there is no layer \"\(quoted(wanted))\"", hint: "there are \(listed(names))")
            }
            return layers[index]
        }
        guard layers.count == 1 else {
            throw DocumentRemark(
                "a layer must be chosen from \(names.count)", hint: "there are \(listed(names))")
        }
        return layers[0]
    }

    private func chosenStyle(
        _ layer: XMLElement, _ choice: SourceChoice
    ) throws(DocumentRemark) -> String {
        let styles = Array(layer.all("Style"))
        let names = styles.map { $0.text(of: "Identifier") ?? "" }
        if let wanted = choice.style {
            guard names.contains(wanted) else {
                throw layer.remark(
                    "the layer has no style \"\(quoted(wanted))\"",
                    hint: "there are \(listed(names))")
            }
            return wanted
        }
        let isDefault = styles.firstIndex {
            ["true", "1"].contains($0.attribute("isDefault") ?? "")
        }
        return names.isEmpty ? "" : names[isDefault ?? 0]
    }

    /// The format that is chosen, else the first; of a RESTful service the first that has a URL.
    private func chosenFormat(
        _ layer: XMLElement, _ resources: [XMLElement], _ choice: SourceChoice
    ) throws(DocumentRemark) -> String {
        var formats = layer.all("Format").map(\.text)
        let restful = resources.compactMap { $0.attribute("format") }
        if !restful.isEmpty {
            formats = formats.filter(restful.contains) + restful.filter { !formats.contains($0) }
        }
        if let wanted = choice.format {
            guard formats.contains(wanted) else {
                throw layer.remark(
                    "the layer has no format \"\(quoted(wanted))\"",
                    hint: "there are \(listed(formats))")
            }
            return wanted
        }
        guard let first = formats.first else { throw layer.remark("the layer has no <Format>") }
        return first
    }

    private func usesKVP(
        _ layer: XMLElement, _ resources: [XMLElement], _ choice: SourceChoice,
        _ notes: inout DocumentNotes
    ) throws(DocumentRemark) -> Bool {
        switch (choice.encoding, resources.isEmpty, kvpAddresses.isEmpty) {
        case (.restful, true, _): throw layer.remark("the layer has no <ResourceURL> of tiles")
        case (.kvp, _, true): throw layer.remark("the service takes no key-value pairs for GetTile")
        case (nil, true, true):
            throw layer.remark(
                "neither a <ResourceURL> nor an address of GetTile says where tiles are")
        case (nil, false, false):
            notes.add(
                layer.remark("is asked by its RESTful URL; key-value pairs are taken as well"))
            return false
        case (let encoding, let hasNoURL, _): return encoding == .kvp || hasNoURL
        }
    }

    /// The value of every dimension: what is chosen, the default, or the only one.
    private func dimensions(
        _ layer: XMLElement, _ choice: SourceChoice
    ) throws(DocumentRemark) -> [WMTSTemplate.Dimension] {
        var dimensions: [WMTSTemplate.Dimension] = []
        var unused = choice.dimensions
        for dimension in layer.all("Dimension") {
            let name = try dimension.required("Identifier").text
            let key = unused.keys.first { $0.lowercased() == name.lowercased() }
            let chosen = key.flatMap { unused.removeValue(forKey: $0) }
            let values = dimension.all("Value").map(\.text)
            let standard = dimension.text(of: "Default").flatMap { $0.isEmpty ? nil : $0 }
            guard let value = chosen ?? standard ?? (values.count == 1 ? values[0] : nil) else {
                throw dimension.remark(
                    "dimension \"\(quoted(name))\" has no default: a value must be chosen",
                    hint: "there are \(listed(values))")
            }
            dimensions.append(WMTSTemplate.Dimension(name: name, value: value))
        }
        if let name = unused.keys.sorted().first {
            throw layer.remark(
                "the layer has no dimension \"\(quoted(name))\"",
                hint: "there are \(listed(dimensions.map(\.name)))")
        }
        return dimensions
    }

    // MARK: - Matrix sets

    /// The set that is chosen, else the first in Web Mercator, else the first in degrees.
    private func matrixSet(
        _ layer: XMLElement, _ choice: SourceChoice, _ notes: inout DocumentNotes
    ) throws(DocumentRemark) -> (set: XMLElement, system: CoordinateSystem, link: XMLElement) {
        let links = Array(layer.all("TileMatrixSetLink"))
        let names = links.map { $0.text(of: "TileMatrixSet") ?? "" }
        guard !links.isEmpty else { throw layer.remark("the layer has no <TileMatrixSetLink>") }
        if let wanted = choice.tileMatrixSet {
            guard let index = names.firstIndex(of: wanted) else {
                throw layer.remark(
                    "the layer has no matrix set \"\(quoted(wanted))\"",
                    hint: "there are \(listed(names))")
            }
            let set = try matrixSet(named: wanted, links[index])
            let crs = set.text(of: "SupportedCRS") ?? ""
            guard let system = CoordinateSystem(name: crs) else {
                throw set.remark(
                    "its coordinate system \"\(quoted(crs))\" is not supported; Web Mercator,"
                        + " EPSG:4326 and CRS:84 are")
            }
            return (set, system, links[index])
        }
        var usable: [(set: XMLElement, system: CoordinateSystem, link: XMLElement)] = []
        for (name, link) in zip(names, links) {
            let set = try matrixSet(named: name, link)
            if let system = CoordinateSystem(name: set.text(of: "SupportedCRS") ?? "") {
                usable.append((set, system, link))
            }
        }
        guard let best = usable.first(where: { !$0.system.isGeographic }) ?? usable.first else {
            throw layer.remark(
                "none of the layer's matrix sets is in Web Mercator, EPSG:4326 or CRS:84",
                hint: "there are \(listed(names))")
        }
        if names.count > 1 {
            let name = best.set.text(of: "Identifier") ?? ""
            notes.add(
                layer.remark("matrix set \"\(quoted(name))\" is taken out of \(listed(names))"))
        }
        return best
    }

    private func matrixSet(
        named name: String, _ link: XMLElement
    ) throws(DocumentRemark) -> XMLElement {
        guard let set = matrixSets.first(where: { $0.text(of: "Identifier") == name }) else {
            throw link.remark("there is no matrix set \"\(quoted(name))\" in the document")
        }
        return set
    }

    // MARK: - Templates

    private func restfulTemplates(
        _ resources: [XMLElement], _ values: WMTSTemplate.Values, _ source: TileSource
    ) throws(DocumentRemark) -> [String] {
        let own = resources.filter { $0.attribute("format") ?? values.format == values.format }
        guard own.count <= DocumentLimits.templatesMax else {
            throw own[0].remark("more than \(DocumentLimits.templatesMax) URLs for one tile")
        }
        var templates: [String] = []
        for resource in own {
            guard let text = resource.attribute("template") else {
                throw resource.remark("has no template")
            }
            do throws(SourceTemplate.Trouble) {
                let filled = try WMTSTemplate.restful(text, values)
                let template = try SourceTemplate.absolute(filled, url: url)
                try SourceTemplate.checkNamed(template, source)
                templates.append(template)
            } catch {
                throw resource.remark(error.message)
            }
        }
        guard !templates.isEmpty else {
            throw resources[0].remark("no <ResourceURL> is for format \"\(quoted(values.format))\"")
        }
        return templates
    }

    private func kvpTemplates(
        _ values: WMTSTemplate.Values, _ source: TileSource
    ) throws(DocumentRemark) -> [String] {
        guard kvpAddresses.count <= DocumentLimits.templatesMax else {
            throw kvpAddresses[0].remark("more than \(DocumentLimits.templatesMax) addresses")
        }
        var templates: [String] = []
        for address in kvpAddresses {
            do throws(SourceTemplate.Trouble) {
                let base = try SourceTemplate.absolute(address.attribute("href") ?? "", url: url)
                let template = WMTSTemplate.kvp(base, values)
                try SourceTemplate.checkNamed(template, source)
                if !templates.contains(template) { templates.append(template) }
            } catch {
                throw address.remark(error.message)
            }
        }
        return templates
    }
}
