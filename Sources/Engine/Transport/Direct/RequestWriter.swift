import Glibc

/// The hosts that asks of a run go to, and their requests as bytes. Reactor thread only.
struct RequestWriter: ~Copyable {
    /// One host: what its URLs begin with, and its line in a request.
    struct Host {
        /// `scheme://host[:port]` and a zero byte.
        let origin: UnsafeMutableBufferPointer<UInt8>
        /// ` HTTP/1.1`, a line end and `Host: …` with its line end.
        let lines: UnsafeMutableBufferPointer<UInt8>
        let isTLS: Bool
    }

    let hosts: [Host]
    /// Where URLs are written, and the requests made of them.
    let url = UnsafeMutablePointer<UInt8>.allocate(capacity: Transport.urlMax)
    private var room: UnsafeMutableBufferPointer<UInt8>
    private let writesHost: Bool

    /// - Parameters:
    ///   - origins: `scheme://host[:port]` of each host.
    ///   - writesHost: false when the scenario has a `Host` of its own.
    init(origins: [String], writesHost: Bool) {
        self.writesHost = writesHost
        hosts = origins.map { origin in
            let isTLS = origin.hasPrefix("https:")
            var authority = origin.split(separator: "/").last ?? ""
            // The port that goes without saying is left out (RFC 9110, 7.2).
            let usual = isTLS ? ":443" : ":80"
            if authority.hasSuffix(usual) { authority = authority.dropLast(usual.count) }
            let host = writesHost ? "Host: \(authority)\r\n" : ""
            return Host(
                origin: Self.bytes(origin + "\0"), lines: Self.bytes(" HTTP/1.1\r\n" + host),
                isTLS: isTLS)
        }
        room = .allocate(capacity: Transport.urlMax + 4096)
    }

    deinit {
        url.deallocate()
        room.deallocate()
        for host in hosts {
            host.origin.deallocate()
            host.lines.deallocate()
        }
    }

    private static func bytes(_ text: String) -> UnsafeMutableBufferPointer<UInt8> {
        let bytes = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: text.utf8.count)
        _ = bytes.initialize(from: text.utf8)
        return bytes
    }

    /// Which host the URL that was written is of; nil: none.
    func host() -> Int32? {
        var number = 0
        while number < hosts.count {
            let length = hosts[number].origin.count - 1
            if let origin = hosts[number].origin.baseAddress, memcmp(origin, url, length) == 0,
                Self.endsAuthority(url[length])
            {
                return Int32(number)
            }
            number += 1
        }
        return nil
    }

    /// A path, a query, a fragment or nothing follows.
    private static func endsAuthority(_ byte: UInt8) -> Bool {
        byte == 0x2F || byte == 0x3F || byte == 0x23 || byte == 0
    }

    /// The request for the URL that was written, which is of that host; until the next one is made.
    mutating func request(
        _ host: Int32, headers: HeaderSet.Lines
    ) -> UnsafeBufferPointer<UInt8> {
        let origin = hosts[Int(host)].origin.count - 1
        let target = url + origin
        var length = 0
        while target[length] != 0, target[length] != 0x23 { length += 1 }
        let lines = UnsafeBufferPointer(hosts[Int(host)].lines)
        let most = length + lines.count + headers.wire.count + headers.sharedWire.count + 16
        if room.count < most {
            room.deallocate()
            room = .allocate(capacity: most)
        }
        var end = 0
        append("GET ", &end)
        if length == 0 || target[0] == 0x3F { append("/", &end) }
        append(UnsafeBufferPointer(start: target, count: length), &end)
        append(lines, &end)
        append(headers.wire, &end)
        append(headers.sharedWire, &end)
        append("\r\n", &end)
        return UnsafeBufferPointer(rebasing: room[0..<end])
    }

    @inline(__always)
    private func append(_ bytes: UnsafeBufferPointer<UInt8>, _ end: inout Int) {
        guard let from = bytes.baseAddress, let to = room.baseAddress else { return }
        (to + end).update(from: from, count: bytes.count)
        end += bytes.count
    }

    @inline(__always)
    private func append(_ word: StaticString, _ end: inout Int) {
        append(UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount), &end)
    }
}
