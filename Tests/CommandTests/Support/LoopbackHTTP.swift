import Foundation
import Glibc

/// An answer, as it came.
struct LoopbackAnswer: Sendable {
    let status: Int
    /// Names in lower case; of two with one name the last.
    let headers: [String: String]
    let body: [UInt8]

    var text: String { String(decoding: body, as: UTF8.self) }
}

/// One request over one plain socket to 127.0.0.1: the smallest client, so that what it finds is
/// the server's doing. Blocking calls stay on a thread outside the test pool.
enum LoopbackHTTP {
    private static let streamKind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)

    static func request(
        _ method: String = "GET", port: Int, path: String, headers: [String: String] = [:],
        timeoutS: Int = 30
    ) async throws -> LoopbackAnswer {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(
                    with: Result {
                        try send(
                            method, port: port, path: path, headers: headers, timeoutS: timeoutS)
                    })
            }
        }
    }

    /// Whether something accepts connections there.
    static func accepts(port: Int) -> Bool {
        guard let descriptor = try? connect(port: port, timeoutS: 1) else { return false }
        close(descriptor)
        return true
    }

    /// A port nobody uses at this moment. Another process can take it before it is bound again, so
    /// whoever uses it must be ready to try the next.
    static func freePort() throws -> Int {
        let descriptor = socket(AF_INET, streamKind, 0)
        defer { close(descriptor) }
        var address = loopback(port: 0)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, size) == 0 ? getsockname(descriptor, $0, &size) : -1
            }
        }
        guard code == 0 else { throw failure("bind") }
        return Int(UInt16(bigEndian: address.sin_port))
    }

    private static func send(
        _ method: String, port: Int, path: String, headers: [String: String], timeoutS: Int
    ) throws -> LoopbackAnswer {
        let descriptor = try connect(port: port, timeoutS: timeoutS)
        defer { close(descriptor) }
        var request = "\(method) \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n"
        if method == "POST" { request += "Content-Length: 0\r\n" }
        for (name, value) in headers { request += "\(name): \(value)\r\n" }
        let bytes = Array((request + "\r\n").utf8)
        guard
            Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
        else { throw failure("send") }
        return try parse(receiveAll(descriptor))
    }

    private static func receiveAll(_ descriptor: Int32) throws -> [UInt8] {
        var received: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            if count < 0 { throw failure("recv") }
            if count == 0 { return received }
            received += buffer[..<count]
        }
    }

    private static func parse(_ bytes: [UInt8]) throws -> LoopbackAnswer {
        guard let end = Data(bytes).range(of: Data("\r\n\r\n".utf8)) else {
            throw ProcessFailure(
                description: "closed after \(bytes.count) bytes, without an answer")
        }
        let head = String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
        let lines = head.components(separatedBy: "\r\n")
        let words = lines[0].split(separator: " ")
        guard words.count >= 2, let status = Int(words[1]) else {
            throw ProcessFailure(description: "not an HTTP answer: \(lines[0])")
        }
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { continue }
            let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
            headers[line[..<colon].lowercased()] = value
        }
        return LoopbackAnswer(
            status: status, headers: headers, body: Array(bytes[end.upperBound...]))
    }

    private static func connect(port: Int, timeoutS: Int) throws -> Int32 {
        let descriptor = socket(AF_INET, streamKind, 0)
        var limit = timeval(tv_sec: timeoutS, tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, size)
        var address = loopback(port: port)
        let code = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        if code != 0 {
            let error = failure("connect")
            close(descriptor)
            throw error
        }
        return descriptor
    }

    private static func loopback(port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        return address
    }

    private static func failure(_ call: String) -> ProcessFailure {
        ProcessFailure(description: "\(call): \(String(cString: strerror(errno)))")
    }
}
