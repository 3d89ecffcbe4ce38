/// ASCII helpers where Foundation would be used elsewhere.
extension StringProtocol {
    /// Letters A-Z made small; everything else as it is.
    package var lowercasedASCII: String {
        String(decoding: utf8.map { $0 >= 65 && $0 <= 90 ? $0 + 32 : $0 }, as: UTF8.self)
    }

    /// Without blanks, tabs and line ends at both ends.
    package var trimmedASCII: String {
        let blanks: [UInt8] = [9, 10, 13, 32]
        let bytes = Array(utf8)
        guard let first = bytes.firstIndex(where: { !blanks.contains($0) }),
            let last = bytes.lastIndex(where: { !blanks.contains($0) })
        else { return "" }
        return String(decoding: bytes[first...last], as: UTF8.self)
    }
}
