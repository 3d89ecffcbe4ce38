/// Something wrong in a JSON text or in what it says.
package struct JSONProblem: Sendable, Hashable, Error, CustomStringConvertible {
    /// Where in the tree (RFC 6901); "" for the whole value.
    package var pointer: String
    /// Where in the text; nil when the value came from elsewhere.
    package var place: JSONPlace?
    package var message: String
    /// What to do about it.
    package var hint: String?

    package init(
        pointer: String = "", place: JSONPlace? = nil, message: String, hint: String? = nil
    ) {
        self.pointer = pointer
        self.place = place
        self.message = message
        self.hint = hint
    }

    /// "line 3, column 5, /load/rate: message (hint)", without what is not known.
    package var description: String {
        var parts: [String] = []
        if let place { parts.append(place.description) }
        if !pointer.isEmpty { parts.append(pointer) }
        let prefix = parts.isEmpty ? "" : parts.joined(separator: ", ") + ": "
        return prefix + message + (hint.map { " (\($0))" } ?? "")
    }
}
