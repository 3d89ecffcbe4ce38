import JSONText

/// JSON in the body of an answer where a tile was asked for, whatever its content type says.
enum JSONBody {
    private static let callbackMax = 128

    /// What could be read of it; nil when it is no JSON. A body of which only the beginning is
    /// there gives what that holds. As JSONP it is `callback({…});`, also with `/**/` before it.
    static func node(_ prefix: UnsafeBufferPointer<UInt8>) -> JSONNode? {
        let start = TileBytes.textStart(prefix)
        guard start < prefix.count else { return nil }
        let text = prefix.part(start..<prefix.count)
        guard let json = isOpening(text[0]) ? text : afterCallback(text) else { return nil }
        // ArcGIS answers nest three deep; what nests deeper is no error message.
        return JSONReader.parse(json, comments: false, depthLimit: 32).node
    }

    private static func isOpening(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[")
    }

    /// What stands behind the opening parenthesis of a call; nil when there is no call.
    private static func afterCallback(
        _ text: UnsafeBufferPointer<UInt8>
    ) -> UnsafeBufferPointer<UInt8>? {
        var index = text.hasPrefix("/**/") ? 4 : 0
        let end = min(text.count, index + callbackMax)
        while index < end, isCallbackName(text[index]) { index += 1 }
        while index < end, UnsafeBufferPointer.isBlank(text[index]) { index += 1 }
        guard index > 0, index < end, text[index] == UInt8(ascii: "(") else { return nil }
        index += 1
        while index < text.count, UnsafeBufferPointer.isBlank(text[index]) { index += 1 }
        guard index < text.count, isOpening(text[index]) else { return nil }
        return text.part(index..<text.count)
    }

    /// A name, also of a member: `a.b[0]`, `$cb`.
    private static func isCallbackName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"),
            UInt8(ascii: "."), UInt8(ascii: "["), UInt8(ascii: "]"):
            true
        default:
            false
        }
    }
}
