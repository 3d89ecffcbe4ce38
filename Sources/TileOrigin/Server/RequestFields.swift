import CMicrohttpd
import Glibc

/// The methods that the server tells apart.
enum OriginMethod {
    case get
    case head
    case post
    case other

    @inline(__always)
    init(_ name: UnsafePointer<CChar>) {
        if strcmp(name, "GET") == 0 {
            self = .get
        } else if strcmp(name, "HEAD") == 0 {
            self = .head
        } else if strcmp(name, "POST") == 0 {
            self = .post
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

    /// A parameter of the query, percent-decoded.
    static func query(
        _ name: StaticString, _ connection: OpaquePointer
    ) -> UnsafeBufferPointer<CChar>? {
        value(.GET_ARGUMENT_KIND, name, connection)
    }

    /// The token: `access_token` or `token` of the query, the Authorization header's Bearer
    /// credentials, or the cookie `access_token`.
    static func token(_ connection: OpaquePointer) -> UnsafeBufferPointer<CChar>? {
        query("access_token", connection)
            ?? query("token", connection)
            ?? bearer(connection)
            ?? value(.COOKIE_KIND, "access_token", connection)
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
