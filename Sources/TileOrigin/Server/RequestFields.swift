import CMicrohttpd
import Glibc

/// The methods that the server tells apart.
enum OriginMethod {
    case get
    case head
    case post
    case options
    case other

    @inline(__always)
    init(_ name: UnsafePointer<CChar>) {
        if strcmp(name, "GET") == 0 {
            self = .get
        } else if strcmp(name, "HEAD") == 0 {
            self = .head
        } else if strcmp(name, "POST") == 0 {
            self = .post
        } else if strcmp(name, "OPTIONS") == 0 {
            self = .options
        } else {
            self = .other
        }
    }
}

/// Looks up fields of a request without copying them; they live as long as the request.
enum RequestFields {
    static func header(
        _ name: StaticString, _ connection: OpaquePointer
    ) -> UnsafeBufferPointer<CChar>? {
        value(.HEADER_KIND, name, connection)
    }

    /// The host that the client used, with its port; nil: none, or nothing that a URL could hold.
    static func host(_ connection: OpaquePointer) -> String? {
        guard let value = header("Host", connection), !value.isEmpty, value.count <= 255 else {
            return nil
        }
        let isHost = value.allSatisfy { code in
            switch UInt8(bitPattern: code) {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: ":"), UInt8(ascii: "."), UInt8(ascii: "-"),
                UInt8(ascii: "_"), UInt8(ascii: "["), UInt8(ascii: "]"):
                true
            default: false
            }
        }
        return isHost ? String(value) : nil
    }

    /// Of the peer, as text.
    static func address(_ connection: OpaquePointer) -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { text in
            guard let start = text.baseAddress else { return "" }
            tb_mhd_connection_address(connection, start, 64)
            return String(cString: start)
        }
    }

    /// A parameter of the query, percent-decoded.
    static func query(
        _ name: StaticString, _ connection: OpaquePointer
    ) -> UnsafeBufferPointer<CChar>? {
        value(.GET_ARGUMENT_KIND, name, connection)
    }

    /// The token: `access_token` or `token` of the query, the Authorization header's Bearer
    /// credentials, or the cookie `access_token`. A client that does not put its token into the
    /// URL leaves `{token}` there as the documents have it.
    static func token(_ connection: OpaquePointer) -> UnsafeBufferPointer<CChar>? {
        filled(query("access_token", connection))
            ?? filled(query("token", connection))
            ?? bearer(connection)
            ?? value(.COOKIE_KIND, "access_token", connection)
    }

    private static func filled(
        _ token: UnsafeBufferPointer<CChar>?
    ) -> UnsafeBufferPointer<CChar>? {
        let place: StaticString = "{token}"
        guard let token, token.count == place.utf8CodeUnitCount, let text = token.baseAddress,
            memcmp(text, place.utf8Start, token.count) == 0
        else { return token }
        return nil
    }

    private static func bearer(_ connection: OpaquePointer) -> UnsafeBufferPointer<CChar>? {
        let scheme = "Bearer "
        guard let value = header("Authorization", connection), let text = value.baseAddress,
            value.count > scheme.utf8.count,
            strncasecmp(text, scheme, scheme.utf8.count) == 0
        else { return nil }
        return UnsafeBufferPointer(rebasing: value.dropFirst(scheme.utf8.count))
    }

    private static func value(
        _ kind: MHD_ValueKind, _ name: StaticString, _ connection: OpaquePointer
    ) -> UnsafeBufferPointer<CChar>? {
        var text: UnsafePointer<CChar>?
        var count = 0
        let found = name.utf8Start.withMemoryRebound(
            to: CChar.self, capacity: name.utf8CodeUnitCount
        ) {
            MHD_lookup_connection_value_n(
                connection, kind, $0, name.utf8CodeUnitCount, &text, &count)
        }
        guard found == .YES, let text else { return nil }
        return UnsafeBufferPointer(start: text, count: count)
    }
}
