import JSONText

extension ScenarioReader {
    private static let fileBytesMax = 1 << 20

    /// The text with `${NAME}` and `${NAME:-default}` replaced; nil when that was not possible.
    mutating func expand(_ text: String, isSecret: Bool, _ spot: Spot) -> String? {
        guard text.utf8.contains(UInt8(ascii: "$")) else { return text }
        var result = ""
        var rest = Substring(text)
        while let dollar = rest.firstIndex(of: "$") {
            result += rest[..<dollar]
            rest = rest[dollar...]
            guard rest.hasPrefix("${") else {
                result += "$"
                rest = rest.dropFirst()
                continue
            }
            guard let end = rest.firstIndex(of: "}") else {
                report(spot, "`${` without its `}`")
                return nil
            }
            let inside = rest[rest.index(rest.startIndex, offsetBy: 2)..<end]
            guard let value = variable(inside, isSecret: isSecret, spot) else { return nil }
            result += value
            rest = rest[rest.index(after: end)...]
        }
        return result + rest
    }

    private mutating func variable(
        _ inside: Substring, isSecret: Bool, _ spot: Spot
    ) -> String? {
        var name = inside
        var standard: Substring?
        if let colon = inside.firstIndex(of: ":"), inside[colon...].hasPrefix(":-") {
            name = inside[..<colon]
            standard = inside[colon...].dropFirst(2)
        }
        guard ScenarioReader.isVariableName(name) else {
            report(
                spot, "`${\(inside)}` names no variable",
                hint: "as ${NAME} or ${NAME:-default}: letters, digits and _")
            return nil
        }
        if hasOrigin, name == "ORIGIN" { return Plan.originVariable }
        let value = environment[String(name)]
        // As in a shell, `:-` also stands in for a variable that is set to nothing.
        guard let found = standard != nil && value == "" ? nil : value else {
            if let standard {
                if isSecret { hide(String(standard)) }
                return String(standard)
            }
            report(
                spot, "the variable `\(name)` is not set",
                hint: "set it, or give a default as ${\(name):-default}")
            return nil
        }
        if isSecret { hide(found) }
        return found
    }

    /// Text with a character out of place is no name, thus nothing to quote a hint with.
    private static func isVariableName(_ name: Substring) -> Bool {
        guard let first = name.utf8.first, !(48...57).contains(first) else { return false }
        return name.utf8.allSatisfy { byte in
            (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
                || byte == UInt8(ascii: "_")
        }
    }

    /// Short numbers, such as a port, would be found in every figure of a report.
    private mutating func hide(_ value: String) {
        let isShortNumber =
            value.utf8.count < 6 && value.utf8.allSatisfy { (48...57).contains($0) }
        if !isShortNumber { secrets.add(value) }
    }

    /// The content of `{"file": "path"}` without the newline at its end.
    mutating func fileText(_ node: JSONNode, _ kind: ScenarioKind, _ spot: Spot) -> String? {
        guard let inner = node["file"], let written = inner.string else { return nil }
        let innerSpot = spot.child("file", inner.place)
        guard let expanded = expand(written, isSecret: true, innerSpot) else { return nil }
        let path = InputFile.join(directory, expanded)
        let bytes: [UInt8]
        do throws(InputFile.Failure) {
            bytes = try InputFile.read(path, bytesMax: ScenarioReader.fileBytesMax)
        } catch {
            report(innerSpot, "cannot read `\(path)`: \(error.reason)")
            return nil
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            report(innerSpot, "`\(path)` is not UTF-8 text")
            return nil
        }
        var end = text.unicodeScalars.endIndex
        while end > text.unicodeScalars.startIndex {
            let before = text.unicodeScalars.index(before: end)
            guard ["\n", "\r"].contains(text.unicodeScalars[before]) else { break }
            end = before
        }
        let content = String(text.unicodeScalars[..<end])
        if kind.isText { hide(content) }
        return content
    }
}
