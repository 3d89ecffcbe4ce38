import Glibc
import TileModel

/// The hosts that asks of a run go to, and their requests as bytes. Reactor thread only.
struct RequestWriter: ~Copyable {
    /// One host: where it is dialled, and its line in a request.
    struct Host {
        /// `scheme://host[:port]` and a zero byte.
        let origin: UnsafeMutableBufferPointer<UInt8>
        /// ` HTTP/1.1`, a line end and `Host: …` with its line end.
        let lines: UnsafeMutableBufferPointer<UInt8>
    }

    /// How URLs of a host begin: its name may be written in capitals, its port with zeros or though
    /// it goes without saying.
    private struct Spelling {
        let bytes: UnsafeMutableBufferPointer<UInt8>
        let host: Int32
    }

    let hosts: [Host]
    private let origins: [String]
    private var spellings: [Spelling] = []
    /// Where URLs are written, and the requests made of them.
    let url = UnsafeMutablePointer<UInt8>.allocate(capacity: Transport.urlMax)
    private var room: UnsafeMutableBufferPointer<UInt8>

    /// - Parameters:
    ///   - origins: `scheme://host[:port]` of each host.
    ///   - writesHost: false when the scenario has a `Host` of its own.
    init(origins: [String], writesHost: Bool) {
        self.origins = origins
        hosts = origins.map { origin in
            // An origin has no port that goes without saying (RFC 9110, 7.2).
            let host = writesHost ? "Host: \(origin.split(separator: "/").last ?? "")\r\n" : ""
            return Host(
                origin: Self.bytes(origin + "\0"), lines: Self.bytes(" HTTP/1.1\r\n" + host))
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
        for spelling in spellings { spelling.bytes.deallocate() }
    }

    private static func bytes(_ text: String) -> UnsafeMutableBufferPointer<UInt8> {
        let bytes = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: text.utf8.count)
        _ = bytes.initialize(from: text.utf8)
        return bytes
    }

    /// Which host the URL that was written is of, and where its path begins; nil: none.
    mutating func host() -> (number: Int32, length: Int)? {
        var number = 0
        while number < spellings.count {
            let bytes = spellings[number].bytes
            if let start = bytes.baseAddress, memcmp(start, url, bytes.count) == 0,
                Self.endsAuthority(url[bytes.count])
            {
                return (spellings[number].host, bytes.count)
            }
            number += 1
        }
        return learn()
    }

    /// Reads a beginning that was not met before.
    private mutating func learn() -> (number: Int32, length: Int)? {
        let text = String(cString: url)
        guard let place = origin(of: text), let number = origins.firstIndex(of: place),
            let mark = text.firstRange(of: "://")
        else { return nil }
        var length = text.utf8.distance(from: text.startIndex, to: mark.upperBound)
        while !Self.endsAuthority(url[length]) { length += 1 }
        let bytes = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: length)
        _ = bytes.initialize(from: UnsafeBufferPointer(start: url, count: length))
        spellings.append(Spelling(bytes: bytes, host: Int32(number)))
        return (Int32(number), length)
    }

    /// A path, a query, a fragment or nothing follows.
    private static func endsAuthority(_ byte: UInt8) -> Bool {
        byte == 0x2F || byte == 0x3F || byte == 0x23 || byte == 0
    }

    /// The request for the URL that was written, which is of that host and whose path begins there;
    /// until the next one is made.
    mutating func request(
        _ host: (number: Int32, length: Int), headers: HeaderSet.Lines
    ) -> UnsafeBufferPointer<UInt8> {
        let target = url + host.length
        var length = 0
        while target[length] != 0, target[length] != 0x23 { length += 1 }
        let lines = UnsafeBufferPointer(hosts[Int(host.number)].lines)
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
