package import JSONText
package import TileModel

/// The document that a target's sources were read from.
package struct DocumentPlan: Sendable {
    package var kind: SourceDocument.Kind
    /// Its key in `target`, and what stands there.
    package var written: JSONNode
    /// Where it is: the address that was asked, or the path of a file; nil for a WMTS without
    /// capabilities.
    package var location: String?
    package var title: String?
    /// What the scenario says over the document: scheme, tile size, deepest zoom, as written.
    package var overrides: [JSONMember] = []
    /// Nobody has fetched it: the sources are not known.
    package var isUnread = false

    package init(kind: SourceDocument.Kind, written: JSONNode) {
        self.kind = kind
        self.written = written
    }
}

/// What is wanted of whoever fetches a document for a plan.
package struct DocumentRequest: Sendable {
    /// An absolute URL inside the fence.
    package var url: String
    /// The same with `{token}` and `{token.NAME}` where the tiles have them.
    package var template: String
    /// Connection, credentials, headers and fence as far as they are known before the document.
    package var plan: Plan

    package init(url: String, template: String, plan: Plan) {
        self.url = url
        self.template = template
        self.plan = plan
    }
}

/// A document as it came.
package struct FetchedDocument: Sendable {
    package var bytes: [UInt8]
    package var contentType: String?
    /// After redirects.
    package var url: String

    package init(bytes: [UInt8], contentType: String? = nil, url: String) {
        self.bytes = bytes
        self.contentType = contentType
        self.url = url
    }
}

/// Why a document could not be had; the text holds no secret.
package struct DocumentFailure: Error, Sendable {
    package var message: String
    package var hint: String?

    package init(_ message: String, hint: String? = nil) {
        self.message = message
        self.hint = hint
    }
}

/// Fetches a document; blocks until it is there.
package typealias DocumentFetch = (DocumentRequest) -> Result<FetchedDocument, DocumentFailure>
