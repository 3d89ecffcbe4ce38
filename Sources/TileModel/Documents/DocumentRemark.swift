package import JSONText

/// Something about a place in a document: thrown when it is why the document is refused, kept as a
/// note when that place alone is ignored.
package struct DocumentRemark: Error, Sendable, Hashable, CustomStringConvertible {
    /// A JSON pointer, or an XML element as `<Layer>`; "" for the whole document.
    package var path: String
    /// Where in the text; nil when it is about no place of it.
    package var place: JSONPlace?
    package var message: String
    /// What to do about it.
    package var hint: String?

    package init(
        path: String = "", place: JSONPlace? = nil, _ message: String, hint: String? = nil
    ) {
        self.path = path
        self.place = place
        self.message = message
        self.hint = hint
    }

    init(_ problem: JSONProblem) {
        self.init(
            path: problem.pointer, place: problem.place, problem.message, hint: problem.hint)
    }

    /// "line 3, column 5, /tiles/0: message (hint)", without what is not known.
    package var description: String {
        let parts = [place?.description, path.isEmpty ? nil : path].compactMap { $0 }
        let prefix = parts.isEmpty ? "" : parts.joined(separator: ", ") + ": "
        return prefix + message + (hint.map { " (\($0))" } ?? "")
    }
}

/// Remarks on what was ignored. A document may give cause for millions; a person reads some.
struct DocumentNotes {
    private(set) var list: [DocumentRemark] = []

    mutating func add(_ remark: DocumentRemark) {
        if list.count < DocumentLimits.notesMax {
            list.append(remark)
        } else if list.count == DocumentLimits.notesMax {
            list.append(
                DocumentRemark("more was ignored than these \(DocumentLimits.notesMax) notes say"))
        }
    }

    mutating func add(_ other: DocumentNotes) {
        for remark in other.list { add(remark) }
    }
}

/// What a description of tiles may cost. Nothing here is reached by a document of a real service.
package enum DocumentLimits {
    /// The longest capabilities documents of public services have about 10 MB. Whoever fetches a
    /// document stops here.
    package static let bytesMax = 32 << 20
    /// A tree of JSON takes up to thirty times its text; the longest styles have 2 MB.
    package static let jsonBytesMax = 8 << 20
    /// Arrays, objects and elements inside each other. A walk over a tree takes stack for each.
    static let depthMax = 64
    /// Elements of XML that are kept, each about 200 bytes. A service with a thousand layers and
    /// all that is read of them has 50,000.
    static let elementsMax = 400_000
    /// Sources of a style.
    static let sourcesMax = 1000
    /// Entries of `tiles`: a host each, as a rule. Every one is compiled.
    static let templatesMax = 100
    /// No server takes a longer request line.
    static let templateBytesMax = 16 << 10
    /// Notes that are kept.
    static let notesMax = 50
    /// Characters of a text of the document that a message repeats.
    static let quotedMax = 80
    /// Names that a message lists to choose from.
    static let listedMax = 20
}

/// A text of a document for a message: on one line, not endless.
func quoted(_ text: some StringProtocol) -> String {
    var result = ""
    for (index, scalar) in text.unicodeScalars.enumerated() {
        if index == DocumentLimits.quotedMax { return result + "…" }
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned:
            result.unicodeScalars.append("\u{FFFD}")
        default: result.unicodeScalars.append(scalar)
        }
    }
    return result
}

/// Names to choose from, for a message: "a, b, c and 12 more".
func listed(_ names: [String]) -> String {
    let shown = names.prefix(DocumentLimits.listedMax).map { "\"\(quoted($0))\"" }
    let rest = names.count - shown.count
    return shown.joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
}
