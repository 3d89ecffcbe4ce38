/// What is wanted of a body: its length, and its first bytes for checks to look at, unpacked where
/// they come packed. Where the whole body came plain and with one read they stay where they were
/// read; else they are copied into memory of their own, taken once.
package struct BodyPrefix {
    package static let bytesMax = 2048

    private var start: UnsafePointer<UInt8>?
    private var own: UnsafeMutablePointer<UInt8>?
    private var isOwn = false
    package private(set) var count = 0
    /// Of the whole body, unpacked.
    package private(set) var plainBytes: UInt64 = 0
    private var decoder: BodyDecoder?
    /// It does not come as its head promised.
    package private(set) var isDamaged = false

    package init() {}

    package var bytes: UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: start, count: count)
    }

    /// For another body; nil: it is taken as it comes.
    mutating func reset() {
        start = nil
        isOwn = false
        count = 0
        plainBytes = 0
        decoder = nil
        isDamaged = false
    }

    /// The body will come packed like that, and is to be unpacked.
    mutating func unpack(with decoder: BodyDecoder) { self.decoder = decoder }

    /// Who unpacks it; it is free for another body.
    mutating func takeDecoder() -> BodyDecoder? {
        defer { decoder = nil }
        return decoder
    }

    /// It is packed in a way that nobody here knows.
    mutating func noteUnknownPacking() { isDamaged = true }

    /// The next part of the body, whose memory stays until `keep` is called.
    mutating func append(_ part: UnsafeBufferPointer<UInt8>) {
        guard let decoder else { return take(part) }
        guard !isDamaged else { return }
        isDamaged = !decoder.decode(part) { plain in
            take(plain)
            // The decoder writes to the same memory again.
            keep()
        }
    }

    private mutating func take(_ part: UnsafeBufferPointer<UInt8>) {
        plainBytes &+= UInt64(part.count)
        let taken = min(part.count, Self.bytesMax - count)
        guard taken > 0 else { return }
        if count == 0 {
            start = part.baseAddress
            count = taken
            return
        }
        keep()
        guard let own, let from = part.baseAddress else { return }
        (own + count).update(from: from, count: taken)
        count += taken
    }

    /// The memory that was read into is about to be written again.
    mutating func keep() {
        guard count > 0, !isOwn, let start else { return }
        let room = own ?? .allocate(capacity: Self.bytesMax)
        room.update(from: start, count: count)
        own = room
        isOwn = true
        self.start = UnsafePointer(room)
    }

    package mutating func free() {
        own?.deallocate()
        own = nil
        reset()
    }
}
