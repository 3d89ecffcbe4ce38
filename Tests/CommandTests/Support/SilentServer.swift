import Glibc

/// A port of 127.0.0.1 that takes connections and never says anything.
final class SilentServer: Sendable {
    let port: Int
    private let descriptor: Int32

    init() throws {
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor = socket(AF_INET, kind, 0)
        self.descriptor = descriptor
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, size) == 0 && listen(descriptor, 64) == 0
                    ? getsockname(descriptor, $0, &size) : -1
            }
        }
        port = Int(UInt16(bigEndian: address.sin_port))
        guard code == 0 else { throw ProcessFailure(description: "listen: errno \(errno)") }
    }

    deinit { close(descriptor) }

    /// Returns when somebody has connected, whose connection stays open.
    func waitForConnection() async throws {
        let isConnected = try await waitUntil(timeoutS: 60) { accept(descriptor, nil, nil) >= 0 }
        if !isConnected { throw ProcessFailure(description: "nobody connected") }
    }
}
