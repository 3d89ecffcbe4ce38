import JSONText
import TileModel

/// What a scenario says of the sources that a document describes.
extension PlanBuilder {
    /// A run keeps figures for each source.
    static let sourcesMax = 64

    /// What is taken of a WMTS or WMS.
    func choice(_ kind: SourceDocument.Kind, _ section: Section) -> SourceChoice {
        var choice = SourceChoice()
        choice.layer = section.text(kind == .wms ? "layers" : "layer")
        choice.style = section.text(kind == .wms ? "styles" : "style")
        choice.format = section.text("format")
        choice.tileMatrixSet = section.text("tileMatrixSet")
        choice.crs = section.text("crs")
        for member in section.node["dimensions"]?.members ?? [] {
            if let value = member.node.string { choice.dimensions[member.name] = value }
        }
        if let size = scenario.values["target"]?["tile_size"]?.int,
            scenario.isWritten("target", "tile_size")
        {
            choice.tileSize = size
        }
        return choice
    }

    /// Keys of the two forms of a WMTS exclude each other; some keys of `target` have no meaning
    /// for services that say themselves how they count.
    mutating func checkDocumentKeys(_ kind: SourceDocument.Kind, _ section: Section) {
        if kind == .wmts { checkWMTS(section) }
        if kind == .wms, !section.has("url"), !isBroken(section.path) {
            report(section.path, "`url` is missing", hint: "the address of the service")
        }
        guard ![.tilejson, .style].contains(kind), scenario.isWritten("target", "scheme") else {
            return
        }
        report(["target", "scheme"], "has no meaning for target.\(kind.rawValue)")
    }

    private mutating func checkWMTS(_ section: Section) {
        let hasTemplate = section.has("template")
        if hasTemplate == section.has("capabilities") {
            report(
                section.path,
                hasTemplate
                    ? "`capabilities` and `template` exclude each other"
                    : "needs `capabilities` or `template`",
                hint: #""capabilities": "https://…", or "template": "https://…/{TileMatrix}/…""#)
        }
        let others =
            hasTemplate
            ? ["layer", "style", "tileMatrixSet", "format", "dimensions"] : ["matrix"]
        for key in others where section.has(key) && scenario.isWritten(at: section.path + [key]) {
            report(
                section.path + [key],
                hasTemplate
                    ? "`\(key)` chooses from capabilities; a template has it written in it"
                    : "`\(key)` is for `template`: capabilities name their matrices")
        }
    }

    /// What the scenario says goes over what the document says; sources outside the fence go.
    mutating func finishSources(_ target: Section) {
        guard problems.isEmpty, plan.target.document?.isUnread == false else {
            plan.target.document?.isUnread = true
            return
        }
        for index in plan.target.sources.indices { applyTarget(target, index) }
        plan.target.sources.removeAll { $0.minZoom > $0.maxZoom }
        guard !plan.target.sources.isEmpty else {
            return report(["target", "max_zoom"], "no source has a zoom as low as that")
        }
        refuseStrangers()
        guard plan.target.sources.count <= PlanBuilder.sourcesMax else {
            return report(
                documentPath,
                "\(plan.target.sources.count) sources, more than \(PlanBuilder.sourcesMax)")
        }
    }

    private mutating func applyTarget(_ target: Section, _ index: Int) {
        var source = plan.target.sources[index]
        if scenario.isWritten("target", "scheme") { source.scheme = plan.target.options.scheme }
        if scenario.isWritten("target", "tile_size"), let size = target.int("tile_size") {
            source.tileSize = size
        }
        if scenario.isWritten("target", "max_zoom"), let zoom = target.int("max_zoom") {
            source.maxZoom =
                source.matrices.isEmpty ? UInt8(clamping: zoom) : min(source.maxZoom, UInt8(zoom))
        } else if !source.stated.contains(.maxZoom), source.matrices.isEmpty {
            source.maxZoom = max(source.minZoom, min(source.maxZoom, TargetPlan.zoomMax))
        }
        plan.target.sources[index] = source
    }

    /// Sources whose tiles are on hosts that the scenario does not name are left out as a whole: a
    /// part of their addresses would be other tiles than a map asks for.
    private mutating func refuseStrangers() {
        var kept: [TileSource] = []
        for source in plan.target.sources {
            let hosts = hosts(of: source)
            let strange = hosts.filter { !$0.isIn(plan.target.hosts) }.map(\.fenceText)
            if strange.isEmpty { kept.append(source) } else { leaveOut(source.name, strange) }
        }
        guard kept.isEmpty else {
            plan.target.sources = kept
            return
        }
        let names = hostsRefused.map { "`\($0)`" }.joined(separator: ", ")
        let all = (plan.target.hosts + hostsRefused).map { "\"\($0)\"" }.joined(separator: ", ")
        report(
            documentPath,
            "its tiles come from \(names), which the scenario does not name",
            hint: "if you may ask there: --set 'target.hosts=[\(all)]', or the same in the"
                + " scenario")
    }

    private func hosts(of source: TileSource) -> [HostAddress] {
        guard
            let set = try? TileTemplateSet(
                source.templates, options: source.templateOptions(plan.target.options))
        else { return [] }
        return set.hosts().map { HostAddress(origin: $0) }
    }

    /// The zooms that a document's sources have, as far as they say; nil: nothing is known.
    var documentZooms: ClosedRange<Int>? {
        guard let document = plan.target.document, !document.isUnread else { return nil }
        let sources = plan.target.sources
        let first = sources.map(\.minZoom).min() ?? 0
        let stated = sources.filter { $0.stated.contains(.maxZoom) || !$0.matrices.isEmpty }
        let last = stated.map(\.maxZoom).max() ?? UInt8(WorkloadPlan.zoomLast)
        return Int(first)...Int(max(first, last))
    }
}
