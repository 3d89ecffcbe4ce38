package import JSONText

extension Secrets {
    private static let maskBytes = Array(mask.utf8)
    private static let blank = UInt8(ascii: " ")
    private static let quote = UInt8(ascii: "\"")

    /// The text without a secret: known values, values of secret query parameters and headers, and
    /// what stands before the host of a URL become `***`.
    package func masking(_ text: String) -> String {
        var bytes = Array(text.utf8)
        for pattern in patterns { bytes = replacing(pattern, in: bytes) }
        bytes = maskingParameters(bytes)
        bytes = maskingHeaders(bytes)
        bytes = maskingUsers(bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    package func masking(_ problem: JSONProblem) -> JSONProblem {
        var masked = problem
        masked.message = masking(problem.message)
        masked.hint = problem.hint.map { masking($0) }
        return masked
    }

    private func replacing(_ pattern: [UInt8], in bytes: [UInt8]) -> [UInt8] {
        guard bytes.count >= pattern.count, let first = pattern.first else { return bytes }
        var result: [UInt8] = []
        var index = 0
        var copied = 0
        while index + pattern.count <= bytes.count {
            if bytes[index] == first,
                bytes[index..<index + pattern.count].elementsEqual(pattern)
            {
                result += bytes[copied..<index]
                result += Secrets.maskBytes
                index += pattern.count
                copied = index
            } else {
                index += 1
            }
        }
        return copied == 0 ? bytes : result + bytes[copied...]
    }

    // MARK: - name=value

    private func maskingParameters(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var nameStart = 0
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            if byte == UInt8(ascii: "="), isSecretName(bytes[nameStart..<index]) {
                let end = endOfValue(bytes, from: index + 1)
                result.append(byte)
                result += shown(bytes[index + 1..<end])
                index = end
                nameStart = end
                continue
            }
            if !Secrets.isNameByte(byte) { nameStart = index + 1 }
            result.append(byte)
            index += 1
        }
        return result
    }

    private func isSecretName(_ name: ArraySlice<UInt8>) -> Bool {
        guard !name.isEmpty else { return false }
        return queryNames.contains(String(decoding: name, as: UTF8.self).lowercased())
    }

    private func endOfValue(_ bytes: [UInt8], from start: Int) -> Int {
        let ends = Set("&#\"'<>\\ \t\r\n".utf8)
        return bytes[start...].firstIndex { ends.contains($0) } ?? bytes.count
    }

    /// A placeholder is no secret, nor is nothing.
    private func shown(_ value: ArraySlice<UInt8>) -> [UInt8] {
        let isPlaceholder =
            value.first == UInt8(ascii: "{")
            && value.firstIndex(of: UInt8(ascii: "}")) == value.endIndex - 1
        return value.isEmpty || isPlaceholder ? Array(value) : Secrets.maskBytes
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
            || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
    }

    // MARK: - Name: value

    private func maskingHeaders(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var index = 0
        while index < bytes.count {
            result.append(bytes[index])
            index += 1
            guard bytes[index - 1] == UInt8(ascii: ":"),
                isSecretHeader(before: index - 1, in: bytes)
            else { continue }
            var start = index
            while start < bytes.count, bytes[start] == Secrets.blank { start += 1 }
            if start < bytes.count, bytes[start] == Secrets.quote { start += 1 }
            let end = bytes[start...].firstIndex { [10, 13, 34].contains($0) } ?? bytes.count
            let value = String(decoding: bytes[start..<end], as: UTF8.self)
            guard start < end, !value.contains("{token") else { continue }
            result += bytes[index..<start]
            result += Secrets.maskBytes
            index = end
        }
        return maskingBearers(result)
    }

    private func isSecretHeader(before colon: Int, in bytes: [UInt8]) -> Bool {
        let end = colon > 0 && bytes[colon - 1] == Secrets.quote ? colon - 1 : colon
        var start = end
        while start > 0, Secrets.isNameByte(bytes[start - 1]) { start -= 1 }
        // A JSON pointer that ends in a header's name is followed by a message.
        guard start < end, start == 0 || bytes[start - 1] != UInt8(ascii: "/") else { return false }
        return Secrets.isSecret(header: String(decoding: bytes[start..<end], as: UTF8.self))
    }

    /// `Bearer xyz` anywhere. A word of a sentence has no digit in it.
    private func maskingBearers(_ bytes: [UInt8]) -> [UInt8] {
        let word = Array("bearer ".utf8)
        guard bytes.count > word.count else { return bytes }
        var result: [UInt8] = []
        var index = 0
        while index < bytes.count {
            let rest = bytes[index...]
            let isWord =
                bytes[index] | 0x20 == word[0] && rest.count > word.count
                && zip(rest, word).allSatisfy { $0 == $1 || $0 | 0x20 == $1 }
            guard isWord else {
                result.append(bytes[index])
                index += 1
                continue
            }
            let start = index + word.count
            let end =
                bytes[start...].firstIndex {
                    !(Secrets.isNameByte($0) || "._~+/=%".utf8.contains($0))
                }
                ?? bytes.count
            let token = bytes[start..<end]
            let isToken = token.count >= 6 && token.contains { (48...57).contains($0) }
            result += bytes[index..<start]
            result += isToken ? Secrets.maskBytes : Array(token)
            index = end
        }
        return result
    }

    // MARK: - scheme://user:password@host

    private func maskingUsers(_ bytes: [UInt8]) -> [UInt8] {
        let mark = Array("://".utf8)
        var result: [UInt8] = []
        var index = 0
        while index < bytes.count {
            guard bytes[index] == mark[0], bytes[index...].starts(with: mark) else {
                result.append(bytes[index])
                index += 1
                continue
            }
            let start = index + mark.count
            let ends = Set("/?#\"'<> \r\n\t".utf8)
            let end = bytes[start...].firstIndex { ends.contains($0) } ?? bytes.count
            result += mark
            index = start
            if let at = bytes[start..<end].lastIndex(of: UInt8(ascii: "@")) {
                result += Secrets.maskBytes
                index = at
            }
        }
        return result
    }
}
