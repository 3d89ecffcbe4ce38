import Glibc

/// A listening TCP socket, made here and not by libmicrohttpd so that each failure has its cause.
struct ListenSocket {
    let descriptor: Int32
    let port: UInt16
    let isVersion6: Bool

    /// A connection limit of thousands needs a queue for all of them at once.
    private static let backlog: Int32 = 16384

    /// `address`: numeric, version 4 or 6, or "localhost".
    init(address: String, port: UInt16) throws(OriginError) {
        func failure(_ what: String) -> OriginError {
            OriginError(
                address: address, port: port, cause: "\(what): \(String(cString: strerror(errno)))")
        }
        let numeric = address == "localhost" ? "127.0.0.1" : address
        var version4 = sockaddr_in()
        version4.sin_family = sa_family_t(AF_INET)
        version4.sin_port = port.bigEndian
        var version6 = sockaddr_in6()
        version6.sin6_family = sa_family_t(AF_INET6)
        version6.sin6_port = port.bigEndian
        let is4 = inet_pton(AF_INET, numeric, &version4.sin_addr) == 1
        guard is4 || inet_pton(AF_INET6, numeric, &version6.sin6_addr) == 1 else {
            throw OriginError(address: address, port: port, cause: "not an IP address")
        }
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = socket(is4 ? AF_INET : AF_INET6, kind, 0)
        guard descriptor >= 0 else { throw failure("socket") }
        var on: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
        let bound =
            is4
            ? withUnsafePointer(to: &version4) { ListenSocket.bind(descriptor, $0) }
            : withUnsafePointer(to: &version6) { ListenSocket.bind(descriptor, $0) }
        guard bound, listen(descriptor, ListenSocket.backlog) == 0 else {
            let error = failure(bound ? "listen" : "bind")
            close(descriptor)
            throw error
        }
        self.descriptor = descriptor
        self.port = ListenSocket.port(of: descriptor)
        isVersion6 = !is4
    }

    private static func bind<Address>(
        _ descriptor: Int32, _ address: UnsafePointer<Address>
    ) -> Bool {
        let size = socklen_t(MemoryLayout<Address>.size)
        return address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            Glibc.bind(descriptor, $0, size) == 0
        }
    }

    /// The port is at the same place in both versions of the address.
    private static func port(of descriptor: Int32) -> UInt16 {
        var address = sockaddr_in6()
        var size = socklen_t(MemoryLayout<sockaddr_in6>.size)
        let status = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getsockname(descriptor, $0, &size)
            }
        }
        precondition(status == 0, "a bound socket has a name")
        return UInt16(bigEndian: address.sin6_port)
    }
}
