import Glibc

/// Reads one HTTP/1.1 answer as its bytes come (RFC 9112), however they are split: interim answers,
/// the head, and the body by length, in chunks, or until the connection closes. No clock, no
/// descriptor, no memory of its own: what it has not taken is offered again with more behind it.
package struct ResponseReader {
    package enum Stage: UInt8, Sendable {
        case head, length, chunkSize, chunk, chunkEnd, trailers, untilClose, done
    }
    /// What no client can go on from.
    package enum Defect: UInt8, Sendable {
        case notHTTP, header, contentLength, encoding, chunk, headTooLong, upgrade
    }
    /// Of a head with its interim answers, and of all trailers: what libcurl takes too.
    package static let headBytesMax = 100 * 1024

    package private(set) var stage = Stage.head
    package private(set) var defect: Defect?
    /// 0: no status line came yet.
    package private(set) var status = 0
    package private(set) var isHTTP10 = false
    /// The connection can carry another request.
    package private(set) var keepsAlive = true
    /// Bytes of all heads, line ends included.
    package private(set) var headBytes = 0
    /// Bytes of the body as framed, without the chunks' own lines.
    package private(set) var bodyBytes: UInt64 = 0
    private var trailerBytes = 0
    private var remaining: UInt64 = 0
    private var hasLength = false
    private var isChunked = false
    /// The head has just ended, and a body follows it: a moment to prepare for that.
    package private(set) var beginsBody = false

    package init() {}

    package var isDone: Bool { stage == .done }

    /// Takes what it can of the bytes.
    ///
    /// - Parameters:
    ///   - facts: hears each line of the head.
    ///   - body: hears each part of the body.
    /// - Returns: how many it took. The rest begins a line, or, once it `isDone`, is what came
    ///   after the answer; or, when it `beginsBody`, the body, for which it is to be called again.
    package mutating func read(
        _ bytes: UnsafeBufferPointer<UInt8>, facts: inout AnswerFacts, body: inout BodyPrefix
    ) -> Int {
        var place = 0
        beginsBody = false
        while defect == nil, !beginsBody {
            switch stage {
            case .head, .trailers, .chunkSize, .chunkEnd:
                guard let end = Self.lineEnd(bytes, from: place) else {
                    if bytes.count - place > Self.headBytesMax { defect = .headTooLong }
                    return place
                }
                take(line: bytes.part(place..<end), &facts)
                place = end
            case .length, .chunk:
                guard place < bytes.count else { return place }
                let count = Int(min(UInt64(bytes.count - place), remaining))
                body.append(bytes.part(place..<place + count))
                bodyBytes &+= UInt64(count)
                remaining &-= UInt64(count)
                place += count
                if remaining == 0 { stage = stage == .length ? .done : .chunkEnd }
            case .untilClose:
                guard place < bytes.count else { return place }
                body.append(bytes.part(place..<bytes.count))
                bodyBytes &+= UInt64(bytes.count - place)
                return bytes.count
            case .done:
                return place
            }
        }
        return place
    }

    /// The other side will send nothing more. True: the answer is whole.
    package mutating func close() -> Bool {
        if stage == .untilClose { stage = .done }
        return stage == .done
    }

    // MARK: lines

    /// One past the line feed that ends the line.
    @inline(__always)
    private static func lineEnd(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
        guard start < bytes.count, let base = bytes.baseAddress,
            let found = memchr(base + start, 0x0A, bytes.count - start)
        else { return nil }
        return UnsafeRawPointer(found) - UnsafeRawPointer(base) + 1
    }

    private mutating func take(line: UnsafeBufferPointer<UInt8>, _ facts: inout AnswerFacts) {
        switch stage {
        case .head:
            headBytes += line.count
            if headBytes > Self.headBytesMax {
                defect = .headTooLong
            } else if Self.isBlank(line) {
                endHead()
            } else if status == 0 {
                take(statusLine: line, &facts)
            } else {
                take(header: line, &facts)
            }
        case .trailers:
            trailerBytes += line.count
            if trailerBytes > Self.headBytesMax {
                defect = .headTooLong
            } else if Self.isBlank(line) {
                stage = .done
            }
        case .chunkSize: take(chunkSize: line)
        default:
            if Self.isBlank(line) { stage = .chunkSize } else { defect = .chunk }
        }
    }

    /// A line end alone; a bare line feed counts as one (RFC 9112, 2.2).
    private static func isBlank(_ line: UnsafeBufferPointer<UInt8>) -> Bool {
        line.count == 1 || line.count == 2 && line[0] == 0x0D
    }

    private mutating func take(
        statusLine line: UnsafeBufferPointer<UInt8>, _ facts: inout AnswerFacts
    ) {
        guard line.count >= 13, line.hasPrefix("http/1."), line[8] == 0x20, line[7] &- 0x30 < 2,
            let code = line.part(9..<12).decimal, code >= 100,
            UnsafeBufferPointer<UInt8>.isBlank(line[12])
        else {
            defect = .notHTTP
            return
        }
        status = Int(code)
        isHTTP10 = line[7] == 0x30
        keepsAlive = !isHTTP10
        facts.reset()
    }

    private mutating func take(header line: UnsafeBufferPointer<UInt8>, _ facts: inout AnswerFacts)
    {
        // A folded line goes on with the one before (RFC 9112, 5.2), and none of ours is folded.
        if line[0] == 0x20 || line[0] == 0x09 { return }
        guard let colon = line.firstIndex(of: 0x3A), colon > 0 else {
            defect = .header
            return
        }
        let name = line.part(0..<colon)
        let value = line.part(colon + 1..<line.count).trimmed
        switch name.count {
        case 10 where name.equals("connection"): take(connection: value)
        case 14 where name.equals("content-length"): take(contentLength: value)
        case 17 where name.equals("transfer-encoding"): take(transferEncoding: value)
        default: break
        }
        facts.note(name: name, value: value)
    }

    private mutating func take(connection value: UnsafeBufferPointer<UInt8>) {
        if value.contains("close") {
            keepsAlive = false
        } else if isHTTP10, value.contains("keep-alive") {
            keepsAlive = true
        }
    }

    private mutating func take(contentLength value: UnsafeBufferPointer<UInt8>) {
        guard let length = value.decimal, !hasLength || remaining == UInt64(length) else {
            defect = .contentLength
            return
        }
        hasLength = true
        remaining = UInt64(length)
    }

    private mutating func take(transferEncoding value: UnsafeBufferPointer<UInt8>) {
        if value.equals("chunked") {
            isChunked = true
        } else if !value.equals("identity") {
            defect = .encoding
        }
    }

    // MARK: framing

    /// What follows the head (RFC 9112, 6.3).
    private mutating func endHead() {
        switch status {
        case 0: defect = .notHTTP
        case 101: defect = .upgrade
        case 100..<200:
            let bytes = headBytes
            self = ResponseReader()
            headBytes = bytes
        case 204, 304: stage = .done
        default:
            beginsBody = true
            if isChunked {
                stage = .chunkSize
            } else if hasLength {
                stage = remaining == 0 ? .done : .length
                beginsBody = remaining > 0
            } else {
                stage = .untilClose
                keepsAlive = false
            }
        }
    }

    private mutating func take(chunkSize line: UnsafeBufferPointer<UInt8>) {
        var size: UInt64 = 0
        var digits = 0
        while digits < line.count, let digit = Self.hexDigit(line[digits]) {
            size = size << 4 | digit
            digits += 1
        }
        // Sixteen digits fill the number; an extension may follow, and says nothing to us.
        guard digits > 0, digits <= 16 else {
            defect = .chunk
            return
        }
        remaining = size
        stage = size == 0 ? .trailers : .chunk
    }

    private static func hexDigit(_ byte: UInt8) -> UInt64? {
        switch byte {
        case 0x30...0x39: UInt64(byte - 0x30)
        case 0x41...0x46: UInt64(byte - 0x37)
        case 0x61...0x66: UInt64(byte - 0x57)
        default: nil
        }
    }
}
