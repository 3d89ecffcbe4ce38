import JSONText
import TileModel

/// Targets whose tiles a document describes.
extension PlanBuilder {
    private static let notesMax = 10

    /// The document's key in `target`; nil when the target names its tiles itself.
    private var documentKind: SourceDocument.Kind? {
        SourceDocument.Kind.allCases.first { scenario.isWritten("target", $0.rawValue) }
    }

    var documentPath: [String] { ["target", documentKind?.rawValue ?? "tiles"] }

    /// Where the document is, as it is written; nil for a WMTS without capabilities.
    private var documentReference: (text: String, path: [String])? {
        guard let kind = documentKind, let target = scenario.values["target"] else { return nil }
        let key: String?
        switch kind {
        case .tilejson, .style, .arcgis: key = nil
        case .wmts: key = "capabilities"
        case .wms: key = "url"
        }
        let node = key.flatMap { target[kind.rawValue]?[$0] } ?? target[kind.rawValue]
        return node?.string.map { ($0, documentPath + (key.map { [$0] } ?? [])) }
    }

    /// The address that the document is asked at; nil when it is a file.
    var documentURL: String? {
        guard let kind = documentKind, let text = documentReference?.text,
            URLOrigin.isAbsolute(text)
        else { return nil }
        let version = scenario.values["target"]?["wms"]?["version"]?.string
        return SourceDocument.address(text, kind: kind, version: version)
    }

    /// `scheme://host[:port]` of the document; of a WMTS without capabilities that of its template.
    var documentOrigins: [String] {
        if let template = scenario.values["target"]?["wmts"]?["template"]?.string {
            return (try? TileTemplate(template))?.hosts() ?? []
        }
        return documentURL.flatMap { origin(of: $0) }.map { [$0] } ?? []
    }

    var documentHosts: [(HostAddress, [String])] {
        documentOrigins.map { (HostAddress(origin: $0), documentReference?.path ?? documentPath) }
    }

    /// Reads the sources of the document that the target names, if it names one.
    mutating func buildDocument(_ target: Section) {
        guard let kind = documentKind, let written = target.node[kind.rawValue] else { return }
        plan.target.document = DocumentPlan(kind: kind, written: written)
        plan.target.document?.overrides = (target.node.members ?? []).filter {
            ["scheme", "tile_size", "max_zoom"].contains($0.name)
                && scenario.isWritten("target", $0.name)
        }
        if let text = documentURL { hideQueryValues(of: text) }
        checkDocumentKeys(kind, target.section(kind.rawValue))
        // What is broken sends no request, not even one.
        guard problems.isEmpty else { return markUnread() }
        plan.target.hosts = hostsBeforeDocument()
        let inHeaders = plan.target.headers.flatMap { PlanBuilder.partNames(in: $0.value) }
        for name in partsInQuery + inHeaders
        where plan.auth?.partNames.contains(name) == false {
            plan.auth?.partNames.append(name)
        }
        guard problems.isEmpty else { return markUnread() }
        if kind == .wmts, let template = target.section("wmts").text("template") {
            readTemplate(template, target.section("wmts"))
        } else {
            readDocument(kind, target.section(kind.rawValue))
        }
        finishSources(target)
    }

    private mutating func markUnread() { plan.target.document?.isUnread = true }

    /// The fence that the document itself is fetched in: what its tiles need is known afterwards.
    private mutating func hostsBeforeDocument() -> [String] {
        if scenario.isWritten("target", "hosts") {
            let hosts = explicitHosts()
            for (address, path) in documentHosts where !address.isIn(hosts) {
                reportOutside(address, path)
            }
            return hosts
        }
        return (documentHosts + serviceHosts()).map(\.0.fenceText)
    }

    // MARK: - Reading

    private mutating func readTemplate(_ template: String, _ section: Section) {
        do throws(TemplateError) {
            plan.target.sources = [
                try TileSource(wmtsTemplate: template, matrix: section.text("matrix"))
            ]
        } catch {
            report(section.path + ["matrix"], error.description)
        }
    }

    private mutating func readDocument(_ kind: SourceDocument.Kind, _ section: Section) {
        guard let (text, path) = documentReference else { return }
        let location = documentURL ?? text
        plan.target.document?.location = location
        guard let document = document(text, kind, path) else { return }
        plan.target.document?.title = document.title
        note(remarks: document.notes)
        var sources: [TileSource]
        do throws(DocumentRemark) {
            sources = try document.sources(choice(kind, section))
        } catch {
            return report(path, remark: error)
        }
        for reference in document.references {
            if let source = source(of: reference, path) { sources.append(source) }
        }
        guard problems.isEmpty else { return }
        for source in sources { note(remarks: source.notes) }
        plan.target.sources = sources
    }

    /// Fetches or opens a document and reads it; problems are noted.
    private mutating func document(
        _ text: String, _ kind: SourceDocument.Kind, _ path: [String]
    ) -> SourceDocument? {
        guard let fetched = bytes(text, kind, path) else { return nil }
        let document: SourceDocument
        do throws(DocumentRemark) {
            document = try SourceDocument.read(
                fetched.bytes, contentType: fetched.contentType, url: fetched.url)
        } catch {
            report(path, remark: error)
            return nil
        }
        guard document.kind == kind else {
            report(
                path, "is \(document.kind.phrase), not \(kind.phrase)",
                hint: "write it as target.\(document.kind.rawValue)")
            return nil
        }
        return document
    }

    private mutating func bytes(
        _ text: String, _ kind: SourceDocument.Kind, _ path: [String]
    ) -> FetchedDocument? {
        guard URLOrigin.isAbsolute(text) else {
            let file = InputFile.join(scenario.directory, text)
            do throws(InputFile.Failure) {
                return FetchedDocument(
                    bytes: try InputFile.read(file, bytesMax: DocumentLimits.bytesMax), url: file)
            } catch {
                report(path, "cannot read `\(text)`: \(error.reason)")
                return nil
            }
        }
        let version = scenario.values["target"]?["wms"]?["version"]?.string
        let url = SourceDocument.address(text, kind: kind, version: version)
        guard let fetch else {
            markUnread()
            note("\(kind.phrase) is fetched when the run starts: its tiles are not checked here")
            return nil
        }
        switch fetch(DocumentRequest(url: url, template: placingToken(in: url), plan: plan)) {
        case .success(let fetched): return fetched
        case .failure(let failure):
            isUnreachable = true
            report(path, failure.message, hint: failure.hint)
            return nil
        }
    }

    /// A source of a style that names a TileJSON; nil when it is left out.
    private mutating func source(
        of reference: SourceReference, _ path: [String]
    ) -> TileSource? {
        guard plan.target.allows(url: reference.url) || !URLOrigin.isAbsolute(reference.url) else {
            let host = origin(of: reference.url).map { HostAddress(origin: $0).fenceText }
            leaveOut(reference.name, [host ?? reference.url])
            return nil
        }
        hideQueryValues(of: reference.url)
        guard let document = document(reference.url, .tilejson, path) else { return nil }
        do throws(DocumentRemark) {
            return try reference.source(from: document)
        } catch {
            report(path, remark: error)
            return nil
        }
    }

    func leftOut(_ name: String, _ hosts: [String]) -> String {
        let names = hosts.map { "`\($0)`" }.joined(separator: ", ")
        return "source \"\(name)\" is left out: it names \(names), which the scenario does not;"
            + " target.hosts lists every host that may get a request"
    }

    mutating func leaveOut(_ name: String, _ hosts: [String]) {
        note(leftOut(name, hosts))
        hostsRefused += hosts.filter { !hostsRefused.contains($0) }
    }

    // MARK: - Words

    private mutating func report(_ path: [String], remark: DocumentRemark) {
        report(path, remark.description)
    }

    private mutating func note(remarks: [DocumentRemark]) {
        for remark in remarks.prefix(PlanBuilder.notesMax) {
            note("the document: \(remark.description)")
        }
        if remarks.count > PlanBuilder.notesMax {
            note(
                "and \(remarks.count - PlanBuilder.notesMax) more about the document, which"
                    + " `tilebench inspect` shows")
        }
    }
}

extension SourceDocument.Kind {
    /// As the object of a sentence.
    package var phrase: String {
        switch self {
        case .tilejson: "a TileJSON"
        case .style: "a style"
        case .wmts: "a WMTS capabilities document"
        case .wms: "a WMS capabilities document"
        case .arcgis: "the description of an ArcGIS service"
        }
    }
}
