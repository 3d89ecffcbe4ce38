import CExpat
import JSONText

/// Reads XML by Expat into a tree of the elements of interest.
///
/// Nothing outside the document is read and nothing in it is expanded: a declaration of an entity
/// is refused at once, so that there is nothing to multiply (Expat's own limits, which need no
/// setting, are behind that), and attributes a DTD would add do not count. A DOCTYPE itself is
/// allowed, since WMS 1.1.1 requires one. Time is linear in the length of the text, memory bounded
/// by `DocumentLimits`.
enum XMLReader {
    /// The root element, with the descendants whose names, and whose ancestors' names, are in
    /// `names`.
    static func parse(
        _ bytes: [UInt8], keeping names: Set<String>
    ) throws(DocumentRemark) -> XMLElement {
        try run(bytes, XMLTreeBuilder(names: names, stopsAtRoot: false))
    }

    /// The root element alone: what follows it is not looked at.
    static func root(_ bytes: [UInt8]) throws(DocumentRemark) -> XMLElement {
        try run(bytes, XMLTreeBuilder(names: [], stopsAtRoot: true))
    }

    private static func run(
        _ bytes: [UInt8], _ builder: XMLTreeBuilder
    ) throws(DocumentRemark) -> XMLElement {
        guard bytes.count <= DocumentLimits.bytesMax else {
            throw DocumentRemark(
                "the document has \(bytes.count) bytes; at most \(DocumentLimits.bytesMax) are"
                    + " read")
        }
        guard let parser = XML_ParserCreate(nil) else {
            throw DocumentRemark("no memory for an XML parser")
        }
        defer { XML_ParserFree(parser) }
        builder.parser = parser
        XML_SetUserData(parser, Unmanaged.passUnretained(builder).toOpaque())
        XML_SetElementHandler(
            parser, { XMLTreeBuilder.of($0)?.start($1, $2) },
            { data, _ in XMLTreeBuilder.of(data)?.end() })
        XML_SetCharacterDataHandler(parser) { XMLTreeBuilder.of($0)?.append($1, $2) }
        XML_SetEntityDeclHandler(parser) { data, _, _, _, _, _, _, _, _ in
            XMLTreeBuilder.of(data)?.refuse("declares an entity, which no capabilities need")
        }
        XML_SetSkippedEntityHandler(parser) { data, _, _ in XMLTreeBuilder.of(data)?.skipEntity() }
        // One call, so that a token of any length is looked at once.
        let status = bytes.withUnsafeBytes { all in
            XML_Parse(
                parser, all.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(all.count), 1)
        }
        if let problem = builder.problem { throw problem }
        if let root = builder.root, status == XML_STATUS_OK || builder.stopsAtRoot { return root }
        let reason = XML_ErrorString(XML_GetErrorCode(parser)).map { String(cString: $0) }
        throw DocumentRemark(place: builder.place, "the XML is broken: \(reason ?? "no root")")
    }
}

/// What Expat calls while it reads; lives for one call of `XMLReader.run`.
private final class XMLTreeBuilder {
    private let names: Set<String>
    let stopsAtRoot: Bool
    var parser: XML_Parser?
    private(set) var root: XMLElement?
    private(set) var problem: DocumentRemark?
    /// The kept elements that are open, and the text of the innermost.
    private var opened: [XMLElement] = []
    private var texts: [[UInt8]] = []
    /// Open elements that are not kept, all inside the innermost kept one.
    private var skipped = 0
    private var kept = 0
    /// One copy of each name, since long ones have memory of their own.
    private var interned: [String: String] = [:]

    init(names: Set<String>, stopsAtRoot: Bool) {
        self.names = names
        self.stopsAtRoot = stopsAtRoot
        for name in names { interned[name] = name }
    }

    static func of(_ data: UnsafeMutableRawPointer?) -> XMLTreeBuilder? {
        data.map { Unmanaged<XMLTreeBuilder>.fromOpaque($0).takeUnretainedValue() }
    }

    var place: JSONPlace {
        JSONPlace(
            line: Int(XML_GetCurrentLineNumber(parser)),
            column: Int(XML_GetCurrentColumnNumber(parser)) + 1)
    }

    func refuse(_ message: String) {
        if problem == nil {
            problem = DocumentRemark(
                path: opened.last.map { "<\($0.name)>" } ?? "", place: place, message)
        }
        XML_StopParser(parser, XML_Bool(0))
    }

    func start(
        _ name: UnsafePointer<CChar>?,
        _ attributes: UnsafeMutablePointer<UnsafePointer<CChar>?>?
    ) {
        // Expat may still call once after it was told to stop.
        guard let name, problem == nil, root == nil else { return }
        guard opened.count + skipped < DocumentLimits.depthMax else {
            return refuse("elements stand more than \(DocumentLimits.depthMax) deep in each other")
        }
        guard skipped == 0 else {
            skipped += 1
            return
        }
        let full = String(cString: name)
        let local = XMLTreeBuilder.local(full)
        guard opened.isEmpty || names.contains(local) else {
            skipped = 1
            return
        }
        kept += 1
        guard kept <= DocumentLimits.elementsMax else {
            return refuse("more than \(DocumentLimits.elementsMax) elements describe layers")
        }
        opened.append(
            XMLElement(
                name: interned[local] ?? local, place: place,
                attributes: read(attributes, declaring: full.dropLast(local.count))))
        texts.append([])
        if stopsAtRoot {
            root = opened.last
            XML_StopParser(parser, XML_Bool(0))
        }
    }

    /// The attributes of interest of all documents. Few enough that no element can hold many.
    private static let attributeNames: Set<String> = [
        "CRS", "SRS", "code", "exceptionCode", "format", "href", "isDefault", "locator", "maxx",
        "maxy", "minx", "miny", "name", "resourceType", "template", "version", "xmlns",
    ]

    /// Those that are written in the document; names and values alternate. The declaration of the
    /// element's own prefix, which ends in a colon or is empty, is kept as `xmlns`.
    private func read(
        _ attributes: UnsafeMutablePointer<UnsafePointer<CChar>?>?, declaring prefix: Substring
    ) -> [XMLElement.Attribute] {
        let declaration = prefix.isEmpty ? "xmlns" : "xmlns:" + prefix.dropLast()
        var list: [XMLElement.Attribute] = []
        for index in stride(from: 0, to: Int(XML_GetSpecifiedAttributeCount(parser)), by: 2) {
            guard let name = attributes?[index], let value = attributes?[index + 1] else { break }
            let full = String(cString: name)
            let isNamespace = full == "xmlns" || full.hasPrefix("xmlns:")
            guard !isNamespace || full == declaration else { continue }
            let local = isNamespace ? "xmlns" : XMLTreeBuilder.local(full)
            guard XMLTreeBuilder.attributeNames.contains(local),
                !list.contains(where: { $0.name == local })
            else { continue }
            list.append(XMLElement.Attribute(name: local, value: String(cString: value)))
        }
        return list
    }

    func append(_ text: UnsafePointer<CChar>?, _ count: Int32) {
        guard skipped == 0, !texts.isEmpty, let text else { return }
        texts[texts.count - 1].append(
            contentsOf: UnsafeRawBufferPointer(start: text, count: Int(count)))
    }

    /// A reference to an entity that an external DTD, which is not read, may declare.
    func skipEntity() {
        if skipped == 0 { refuse("refers to an entity that the document does not declare") }
    }

    func end() {
        guard problem == nil, root == nil else { return }
        guard skipped == 0 else {
            skipped -= 1
            return
        }
        guard var element = opened.popLast(), let text = texts.popLast() else { return }
        if element.children.isEmpty { element.text = XMLTreeBuilder.trimmed(text) }
        if opened.isEmpty {
            root = element
        } else {
            opened[opened.count - 1].children.append(element)
        }
    }

    private static func local(_ name: String) -> String {
        guard let colon = name.utf8.lastIndex(of: UInt8(ascii: ":")) else { return name }
        return String(name[name.index(after: colon)...])
    }

    private static func trimmed(_ text: [UInt8]) -> String {
        let isBlank: (UInt8) -> Bool = { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
        guard let first = text.firstIndex(where: { !isBlank($0) }),
            let last = text.lastIndex(where: { !isBlank($0) })
        else { return "" }
        return String(decoding: text[first...last], as: UTF8.self)
    }
}
