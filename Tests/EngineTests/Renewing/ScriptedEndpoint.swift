import Foundation
import Glibc
import Synchronization

/// A token endpoint on loopback that answers as a test says. One connection, one request.
final class ScriptedEndpoint: Sendable {
    struct Request: Sendable {
        /// "GET /token?x=1 HTTP/1.1".
        var line: String
        var headers: [(name: String, value: String)]
        var body: String
        /// Which request it is, from 0.
        var number: Int
        /// Requests that have come to the endpoint by now.
        fileprivate var countRequests: @Sendable () -> Int = { 0 }

        /// Holds the answer until another request has come after this one; for 30 s at most.
        func waitForAnother() {
            for _ in 0..<30_000 where countRequests() <= number + 1 { usleep(1000) }
        }

        func header(_ name: String) -> String? {
            headers.first { $0.name.lowercased() == name.lowercased() }?.value
        }
    }
    enum Answer: Sendable {
        case json(String, headers: [String] = [])
        case status(Int, String, headers: [String] = [])
        /// Keeps the connection open until the client leaves.
        case hang
        case close
    }

    let port: Int
    private let descriptor: Int32
    private let script: @Sendable (Request) -> Answer
    private struct Books {
        var requests: [Request] = []
        var open = 0
        var openMax = 0
    }
    private let books = Mutex(Books())

    var url: String { "http://127.0.0.1:\(port)/token" }
    var requests: [Request] { books.withLock { $0.requests } }
    /// Requests that were there at one time.
    var openMax: Int { books.withLock { $0.openMax } }

    init(_ script: @escaping @Sendable (Request) -> Answer) {
        self.script = script
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        descriptor = listener
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let (bound, named) = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                (bind(listener, $0, length), getsockname(listener, $0, &length))
            }
        }
        precondition(bound == 0 && named == 0 && listen(listener, 1024) == 0)
        port = Int(UInt16(bigEndian: address.sin_port))
        Thread.detachNewThread { [self] in accepting() }
    }

    /// Nobody is answered from now on.
    func stop() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    private func accepting() {
        while true {
            let client = accept(descriptor, nil, nil)
            guard client >= 0 else { break }
            Thread.detachNewThread { [self] in serve(client) }
        }
        close(descriptor)
    }

    private func serve(_ client: Int32) {
        defer { close(client) }
        guard var request = Self.read(client) else { return }
        request = books.withLock { [request] books in
            var request = request
            request.number = books.requests.count
            request.countRequests = { [self] in self.books.withLock { $0.requests.count } }
            books.requests.append(request)
            books.open += 1
            books.openMax = max(books.openMax, books.open)
            return request
        }
        let answer = script(request)
        // Before it is sent: the next request may follow at once.
        if case .hang = answer {} else { books.withLock { $0.open -= 1 } }
        var text: String
        switch answer {
        case .json(let body, let headers):
            text = Self.head(200, body, ["Content-Type: application/json"] + headers)
        case .status(let status, let body, let headers):
            text = Self.head(status, body, headers)
        case .close:
            return
        case .hang:
            var byte: UInt8 = 0
            while recv(client, &byte, 1, 0) > 0 {}
            return
        }
        text.withUTF8 { _ = send(client, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    }

    private static func head(_ status: Int, _ body: String, _ headers: [String]) -> String {
        let lines =
            ["HTTP/1.1 \(status) X", "Content-Length: \(body.utf8.count)", "Connection: close"]
            + headers
        return lines.joined(separator: "\r\n") + "\r\n\r\n" + body
    }

    private static func read(_ client: Int32) -> Request? {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        var bodyStart: Int?
        var length = 0
        var request = Request(line: "", headers: [], body: "", number: 0)
        while true {
            if bodyStart == nil, let end = bytes.ranges(of: Array("\r\n\r\n".utf8)).first {
                bodyStart = end.upperBound
                let head = String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
                let lines = head.components(separatedBy: "\r\n")
                request.line = lines[0]
                for line in lines.dropFirst() {
                    let parts = line.split(separator: ":", maxSplits: 1)
                    let value = parts.last?.trimmingCharacters(in: .whitespaces) ?? ""
                    request.headers.append((String(parts[0]), value))
                }
                length = Int(request.header("content-length") ?? "") ?? 0
            }
            if let bodyStart, bytes.count >= bodyStart + length {
                request.body = String(decoding: bytes[bodyStart...], as: UTF8.self)
                return request
            }
            let count = recv(client, &buffer, buffer.count, 0)
            guard count > 0 else { return nil }
            bytes += buffer[..<count]
        }
    }
}
