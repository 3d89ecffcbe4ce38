import JSONText

/// RFC 4180: lines end in CR LF; fields with a comma, a quote or a line end are quoted.
enum CSV {
    static func append(_ fields: some Sequence<String>, to text: inout String) {
        var isFirst = true
        for field in fields {
            if !isFirst { text += "," }
            isFirst = false
            append(field: field, to: &text)
        }
        text += "\r\n"
    }

    /// A scalar as it stands in JSON, texts without their quotes; nothing for what is absent.
    static func field(_ node: JSONNode?) -> String {
        switch node?.value {
        case .string(let text): text
        case .number(let number): number.text
        case .bool(let flag): flag ? "true" : "false"
        case .null, .array, .object, nil: ""
        }
    }

    private static func append(field: String, to text: inout String) {
        // Bytes: "\r\n" is one Character, which equals neither of its halves.
        let isSpecial: (UInt8) -> Bool = { [0x22, 0x2C, 0x0D, 0x0A].contains($0) }
        guard field.utf8.contains(where: isSpecial) else {
            text += field
            return
        }
        text += "\""
        for scalar in field.unicodeScalars {
            if scalar == "\"" { text += "\"" }
            text.unicodeScalars.append(scalar)
        }
        text += "\""
    }
}
