/// `ADDRESS:PORT` of a flag: `127.0.0.1:8080`, `[::1]:8080`, `:8080` and `8080` (on loopback).
struct ListenAddress: Sendable, Hashable {
    var address = "127.0.0.1"
    var port: UInt16 = 8080

    init() {}

    /// Nil when it cannot be read.
    init?(_ text: String) {
        var portText = Substring(text)
        if let colon = text.lastIndex(of: ":") {
            var host = text[..<colon]
            portText = text[text.index(after: colon)...]
            if host.hasPrefix("["), host.hasSuffix("]") {
                host = host.dropFirst().dropLast()
            } else if host.contains(":") {
                // An IPv6 address without brackets: where its port begins nobody can tell.
                return nil
            }
            if !host.isEmpty { address = host == "localhost" ? "127.0.0.1" : String(host) }
        }
        guard let port = UInt16(portText) else { return nil }
        self.port = port
    }
}
