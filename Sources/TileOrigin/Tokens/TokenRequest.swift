import CMicrohttpd
import TileModel

/// What a request to `/token` asks for.
struct TokenRequest: Sendable, Equatable {
    static let bodyBytesMax = 8192
    static let cellBytesMax = 256

    /// The name of the cell that the token shall belong to.
    var cell = ""
    var grant = ""
    var refreshToken: TokenKey?

    init() {}

    /// The cell is named by `cell` of the query, else by `username` or `client_id` of the form,
    /// else by the user of Basic credentials.
    init(_ connection: OpaquePointer, body: [UInt8]) {
        var form: [String: String] = [:]
        if let type = RequestFields.header("Content-Type", connection),
            String(type).lowercased().hasPrefix("application/x-www-form-urlencoded")
        {
            form = FormText.fields(body)
        }
        grant = form["grant_type"] ?? ""
        refreshToken = form["refresh_token"].flatMap { TokenKey(text: $0) }
        cell =
            RequestFields.query("cell", connection).map { String($0) }
            ?? form["username"] ?? form["client_id"]
            ?? RequestFields.header("Authorization", connection).flatMap {
                FormText.basicUser(String($0))
            } ?? ""
    }

    var isCellTooLong: Bool { cell.utf8.count > TokenRequest.cellBytesMax }
}

extension String {
    /// Text of libmicrohttpd, which does not look at its encoding.
    init(_ text: UnsafeBufferPointer<CChar>) {
        self.init(decoding: UnsafeRawBufferPointer(text), as: UTF8.self)
    }
}

/// The encodings of credentials in requests.
enum FormText {
    /// The fields of an `application/x-www-form-urlencoded` body; the first of a name counts.
    static func fields(_ body: [UInt8]) -> [String: String] {
        var fields: [String: String] = [:]
        for pair in body.split(separator: UInt8(ascii: "&")) {
            let parts = pair.split(
                separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            let name = decoded(parts[0])
            if fields[name] == nil { fields[name] = parts.count > 1 ? decoded(parts[1]) : "" }
        }
        return fields
    }

    private static func decoded(_ text: ArraySlice<UInt8>) -> String {
        let text = String(decoding: text, as: UTF8.self)
        return String(decoding: percentDecoded(text[...], plusIsBlank: true), as: UTF8.self)
    }

    /// The user of an Authorization header of the Basic scheme (RFC 7617).
    static func basicUser(_ header: String) -> String? {
        let parts = header.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "basic",
            let bytes = base64(parts[1].utf8)
        else { return nil }
        return String(decoding: bytes.prefix { $0 != UInt8(ascii: ":") }, as: UTF8.self)
    }

    /// nil: not base64 (RFC 4648, section 4); padding may be left out.
    private static func base64(_ text: Substring.UTF8View) -> [UInt8]? {
        var bytes: [UInt8] = []
        var bits = 0
        var word: UInt32 = 0
        for code in text where code != UInt8(ascii: "=") {
            let value: UInt8
            switch code {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): value = code - 65
            case UInt8(ascii: "a")...UInt8(ascii: "z"): value = code - 71
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = code + 4
            case UInt8(ascii: "+"): value = 62
            case UInt8(ascii: "/"): value = 63
            default: return nil
            }
            word = word << 6 | UInt32(value)
            bits += 6
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(truncatingIfNeeded: word >> UInt32(bits)))
            }
        }
        return bytes
    }
}
