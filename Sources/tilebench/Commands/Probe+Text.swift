import Engine
import JSONText
import Reporting
import TileModel
import Workload

/// Lays one exchange out for a person, secrets masked.
struct ProbeText {
    /// Bytes of a body that are shown.
    static let bytesShown = 64

    private var secrets: Secrets
    private(set) var text = ""

    init(secrets: Secrets) {
        self.secrets = secrets
    }

    /// Keeps a text out of everything laid out from now on, as it is and as a URL holds it.
    mutating func hide(_ secret: String) {
        secrets.add(secret)
        secrets.add(percentEncoded(secret))
    }

    mutating func title(_ title: String) {
        text += (text.isEmpty ? "" : "\n") + secrets.masking(title) + "\n"
    }

    mutating func line(_ label: String, _ value: String) {
        let gap = String(repeating: " ", count: max(1, 11 - label.count))
        text += "  \(label)\(gap)\(secrets.masking(value))\n"
    }

    /// Everything but the body. `verifies`: whether TLS certificates are checked.
    mutating func exchange(_ answer: OneShot.Answer, verifies: Bool) {
        for line in answer.sentHead.split(whereSeparator: \.isNewline).map(String.init) {
            text += "  > \(secrets.masking(line))\n"
        }
        if !answer.address.isEmpty { line("address", answer.address) }
        if answer.status > 0 {
            let tls = answer.tlsNS == 0 && answer.tls.isEmpty ? "no TLS" : tls(answer, verifies)
            line("protocol", answer.version + ", " + tls)
        }
        line("times", times(answer))
        if let failure = answer.failure { line("failed", failure) }
        guard answer.status > 0 else { return }
        text += "  < \(answer.version) \(answer.status)\n"
        for header in answer.headers {
            text += "  < \(secrets.masking("\(header.name): \(header.value)"))\n"
        }
    }

    /// The first bytes, in hexadecimal and as text.
    mutating func body(_ answer: OneShot.Answer) {
        line("body", "\(answer.bodyBytes) bytes as received")
        let shown = answer.body.prefix(Self.bytesShown)
        // Text is masked as a whole before it is cut, so that no half of a secret is left.
        let isText = shown.allSatisfy { (0x20..<0x7F).contains($0) || [9, 10, 13].contains($0) }
        if isText, !shown.isEmpty {
            let whole = secrets.masking(String(decoding: answer.body, as: UTF8.self))
            let cut = whole.prefix(2 * Self.bytesShown).split(whereSeparator: \.isNewline)
            for part in cut { text += "    \(part)\n" }
            return
        }
        for start in stride(from: shown.startIndex, to: shown.endIndex, by: 16) {
            let row = shown[start..<min(start + 16, shown.endIndex)]
            var hex = ""
            var characters = ""
            for byte in row {
                hex += (byte < 16 ? "0" : "") + String(byte, radix: 16) + " "
                let isPrintable = (0x20..<0x7F).contains(byte)
                characters += isPrintable ? String(UnicodeScalar(byte)) : "."
            }
            let gap = String(repeating: " ", count: 48 - hex.count)
            text += "    \(hex)\(gap) |\(characters)|\n"
        }
    }

    /// A token answer holds secrets: only what it is made of is shown.
    mutating func tokenBody(_ answer: OneShot.Answer) {
        let members = JSONReader.parse(answer.body, comments: false).node?.members
        let kind = members.map { members in
            "JSON with "
                + (members.isEmpty ? "nothing" : members.map(\.name).joined(separator: ", "))
        }
        line("body", "\(answer.bodyBytes) bytes, \(kind ?? "no JSON object")")
    }

    private func tls(_ answer: OneShot.Answer, _ verifies: Bool) -> String {
        let name = answer.tls.isEmpty ? "TLS" : answer.tls
        return name + (verifies ? ", certificate verified" : ", certificate not verified")
    }

    /// The steps that happened, each by itself; libcurl gives them from the start on.
    private func times(_ answer: OneShot.Answer) -> String {
        var parts: [String] = []
        var last: UInt64 = 0
        for (name, end) in [
            ("name look-up", answer.nameLookupNS), ("connect", answer.connectNS),
            ("TLS", answer.tlsNS), ("first byte", answer.firstByteNS),
            ("rest", answer.totalNS),
        ] where end > 0 {
            parts.append("\(name) \(time(end > last ? end - last : 0))")
            last = max(last, end)
        }
        return parts.joined(separator: ", ") + "; in all \(time(answer.totalNS))"
    }

    private func time(_ ns: UInt64) -> String { TextNumbers.duration(ns: Double(ns)) }
}
