import Glibc
import JSONText
import Testing
import TileOrigin

/// One HTTP/1.1 connection to a server on 127.0.0.1, blocking, with a time limit on every read.
final class HTTPClient {
    struct Response {
        var status = 0
        /// Names in lower case.
        var headers: [String: String] = [:]
        var body: [UInt8] = []
        /// Whether the body had the length that was promised.
        var isWhole = true

        var text: String { String(decoding: body, as: UTF8.self) }
    }

    enum Failure: Error, Equatable {
        case connect(Int32)
        /// The connection ended before the head of an answer did.
        case closed
        case reset
        case timeout
    }

    private let descriptor: Int32
    private var received: [UInt8] = []

    init(port: UInt16, timeoutSeconds: Int = 60) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var limit = timeval(tv_sec: timeoutSeconds, tv_usec: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        inet_pton(AF_INET, "127.0.0.1", &address.sin_addr)
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else { throw Failure.connect(errno) }
    }

    deinit { close(descriptor) }

    func get(_ path: String, _ headers: [String] = []) throws -> Response {
        try request("GET", path, headers)
    }

    func request(
        _ method: String, _ path: String, _ headers: [String] = [], body: String? = nil
    ) throws -> Response {
        var head = "\(method) \(path) HTTP/1.1\r\nHost: test\r\n"
        for header in headers { head += header + "\r\n" }
        if let body { head += "Content-Length: \(body.utf8.count)\r\n" }
        try sendAll(head + "\r\n" + (body ?? ""))
        return try receive(hasBody: method != "HEAD")
    }

    func sendAll(_ text: String) throws {
        let bytes = Array(text.utf8)
        let sent = send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        if sent != bytes.count { throw Failure.closed }
    }

    func receive(hasBody: Bool) throws -> Response {
        var response = Response()
        let headEnd = try readHead()
        let lines = String(decoding: received[..<headEnd], as: UTF8.self)
            .split(separator: "\r\n")
        response.status = Int(lines[0].split(separator: " ")[1]) ?? 0
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            let value = parts.count > 1 ? parts[1].drop { $0 == " " } : ""
            response.headers[parts[0].lowercased()] = String(value)
        }
        received.removeFirst(headEnd + 4)
        guard hasBody, response.status != 304, response.status != 204,
            let length = response.headers["content-length"].flatMap({ Int($0) })
        else { return response }
        while received.count < length {
            do {
                try readMore()
            } catch Failure.closed, Failure.reset {
                response.isWhole = false
                break
            }
        }
        response.body = Array(received.prefix(length))
        received.removeFirst(response.body.count)
        return response
    }

    private func readHead() throws -> Int {
        var searched = 0
        while true {
            if received.count >= 4 {
                for index in searched..<received.count - 3
                where received[index] == 13 && received[index + 1] == 10
                    && received[index + 2] == 13 && received[index + 3] == 10
                {
                    return index
                }
                searched = received.count - 3
            }
            try readMore()
        }
    }

    private func readMore() throws {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        if count > 0 {
            received += buffer[..<count]
        } else if count == 0 {
            throw Failure.closed
        } else {
            throw errno == EAGAIN ? Failure.timeout : errno == ECONNRESET ? .reset : .closed
        }
    }
}

/// A running server and its options, for one test.
func withOrigin<R>(
    _ change: (inout OriginOptions) -> Void = { _ in }, _ body: (TileOrigin) throws -> R
) throws -> R {
    var options = OriginOptions()
    change(&options)
    let origin = try TileOrigin(options)
    defer { origin.stop() }
    return try body(origin)
}

/// Waits for what another thread does; throws after a minute.
func waitUntil(_ condition: () -> Bool) throws {
    let limitNS = nowNS() + 60_000_000_000
    while !condition() {
        if nowNS() > limitNS { throw HTTPClient.Failure.timeout }
        usleep(1_000)
    }
}

func nowNS() -> UInt64 {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return UInt64(now.tv_sec) * 1_000_000_000 + UInt64(now.tv_nsec)
}

/// JSON without a problem.
func parse(_ text: String) throws -> JSONNode {
    let (node, problems) = JSONReader.parse(Array(text.utf8), comments: false)
    #expect(problems.isEmpty, "\(text)")
    return try #require(node)
}
