extension TemplateCompiler {
    /// More alternatives than this are a slip, and each may be a host to connect to.
    private static let choicesMax = 1000

    /// `{token}` and `{token.NAME}`. Returns whether the name is one of them.
    mutating func appendToken(_ name: String, at offset: Int) throws(TemplateError) -> Bool {
        if name == "token" {
            program.append(.token)
            return true
        }
        guard name.hasPrefix("token.") else { return false }
        let part = String(name.dropFirst("token.".count))
        guard !part.isEmpty else { throw error("{token.} has no name", at: offset) }
        program.append(tokenPart: part)
        return true
    }

    /// `{switch:a,b}`, `{a-c}`, `{0-3}`. Returns whether the name is of such a form.
    mutating func appendParameterised(
        _ name: String, at offset: Int
    ) throws(TemplateError) -> Bool {
        if name.hasPrefix("switch:") {
            let texts = name.dropFirst("switch:".count)
                .split(separator: ",", omittingEmptySubsequences: false).map(String.init)
            guard !texts.contains("") else {
                throw error("{\(name)} has an empty alternative", at: offset)
            }
            program.append(.choice, texts: texts)
            return true
        }
        guard let texts = try range(name, at: offset) else { return false }
        program.append(.choice, texts: texts)
        return true
    }

    /// The alternatives of `{a-c}` or `{8-11}`; nil when the name is no range.
    private func range(_ name: String, at offset: Int) throws(TemplateError) -> [String]? {
        let ends = name.split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2 else { return nil }
        if let first = Int(ends[0]), let last = Int(ends[1]) {
            guard String(first) == ends[0], String(last) == ends[1] else {
                throw error(
                    "{\(name)}: write the numbers without leading zeros, or as {switch:...}",
                    at: offset)
            }
            guard first <= last, last - first < TemplateCompiler.choicesMax else {
                throw error(
                    "{\(name)}: a range ascends and has at most"
                        + " \(TemplateCompiler.choicesMax) entries", at: offset)
            }
            return (first...last).map(String.init)
        }
        guard let first = letter(ends[0]), let last = letter(ends[1]) else { return nil }
        guard first <= last, isLower(first) == isLower(last) else {
            throw error("{\(name)}: a range ascends within one case", at: offset)
        }
        return (first...last).map { String(UnicodeScalar($0)) }
    }

    private func letter(_ text: Substring) -> UInt8? {
        guard text.utf8.count == 1, let byte = text.utf8.first else { return nil }
        return isLower(byte) || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte : nil
    }

    private func isLower(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
    }
}
