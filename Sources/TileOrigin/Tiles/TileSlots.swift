import CMicrohttpd
import CZlib

/// Ready answers of one shard.
///
/// A tile's place is a set of eight slots chosen by its hash; in a full set a clock hand passes
/// over the slots used since its last visit. libmicrohttpd counts the uses of an answer: one that
/// is dropped here while it is being sent lives until it is sent.
struct TileSlots: ~Copyable {
    static let ways = 8

    /// The forms in which one tile is answered.
    private struct Slot {
        /// ``OriginTile/packed``; 0: empty.
        var key: UInt64 = 0
        var tag: UInt64 = 0
        var bodyBytes = 0
        var used = false
        var ok: OpaquePointer?
        var okFromEdge: OpaquePointer?
        var notModified: OpaquePointer?
        var notModifiedFromEdge: OpaquePointer?

        func drop() {
            for answer in [ok, okFromEdge, notModified, notModifiedFromEdge] {
                if let answer { MHD_destroy_response(answer) }
            }
        }
    }

    let renderer: TileRenderer
    private let cacheControl: String?
    private let allowsAnyOrigin: Bool
    private let seed: UInt64
    private let sets: Int
    private let slots: UnsafeMutablePointer<Slot>
    private let hands: UnsafeMutablePointer<UInt8>

    init(_ options: OriginOptions, capacity: Int) {
        renderer = TileRenderer(bytesWanted: options.bytes)
        cacheControl = options.cacheControl
        allowsAnyOrigin = options.isReferee
        seed = options.seed
        sets = max(capacity / TileSlots.ways, 1)
        slots = .allocate(capacity: sets * TileSlots.ways)
        slots.initialize(repeating: Slot(), count: sets * TileSlots.ways)
        hands = .allocate(capacity: sets)
        hands.initialize(repeating: 0, count: sets)
    }

    deinit {
        for index in 0..<sets * TileSlots.ways { slots[index].drop() }
        slots.deallocate()
        hands.deallocate()
    }

    /// nil: the transport did not take the answer.
    mutating func answer(
        _ tile: OriginTile, hash: UInt64, to connection: OpaquePointer, edge: EdgeClass,
        ifNoneMatch: UnsafeBufferPointer<CChar>?
    ) -> SentAnswer? {
        let slot = find(tile.packed, hash: hash)
        slot.pointee.used = true
        if slot.pointee.key == 0 {
            slot.pointee.key = tile.packed
            make(tile, edge: edge, in: slot)
        }
        if let ifNoneMatch, EntityTag.matches(slot.pointee.tag, list: ifNoneMatch) {
            let answer = notModified(tile, edge: edge, in: slot)
            let taken = MHD_queue_response(connection, UInt32(MHD_HTTP_NOT_MODIFIED), answer)
            return taken == .YES ? SentAnswer(status: 304, bodyBytes: 0) : nil
        }
        if (edge == .hit ? slot.pointee.okFromEdge : slot.pointee.ok) == nil {
            make(tile, edge: edge, in: slot)
        }
        let answer = edge == .hit ? slot.pointee.okFromEdge : slot.pointee.ok
        let taken = MHD_queue_response(connection, UInt32(MHD_HTTP_OK), answer)
        return taken == .YES
            ? SentAnswer(status: 200, bodyBytes: slot.pointee.bodyBytes) : nil
    }

    /// The tile's slot, or an empty one for it.
    private func find(_ key: UInt64, hash: UInt64) -> UnsafeMutablePointer<Slot> {
        let set = Int(hash & 0xFFFF_FFFF) % sets
        let first = slots + set * TileSlots.ways
        for way in 0..<TileSlots.ways where first[way].key == key { return first + way }
        for way in 0..<TileSlots.ways where first[way].key == 0 { return first + way }
        while true {
            let slot = first + Int(hands[set])
            hands[set] = (hands[set] + 1) % UInt8(TileSlots.ways)
            if !slot.pointee.used {
                slot.pointee.drop()
                slot.pointee = Slot()
                return slot
            }
            slot.pointee.used = false
        }
    }

    private func make(
        _ tile: OriginTile, edge: EdgeClass, in slot: UnsafeMutablePointer<Slot>
    ) {
        renderer.render(tile) { body in
            // Two checksums of the body: other bytes, another tag.
            let sum = crc32(0, body.baseAddress, UInt32(body.count))
            let other = adler32(1, body.baseAddress, UInt32(body.count))
            slot.pointee.tag = UInt64(sum) << 32 | UInt64(other)
            slot.pointee.bodyBytes = body.count
            let answer = ReadyAnswer.make(body)
            ReadyAnswer.add("Content-Type", tile.contentType, to: answer)
            describe(tile, edge: edge, tag: slot.pointee.tag, answer)
            if edge == .hit { slot.pointee.okFromEdge = answer } else { slot.pointee.ok = answer }
        }
    }

    private func notModified(
        _ tile: OriginTile, edge: EdgeClass, in slot: UnsafeMutablePointer<Slot>
    ) -> OpaquePointer? {
        let kept = edge == .hit ? slot.pointee.notModifiedFromEdge : slot.pointee.notModified
        if let kept { return kept }
        let answer = ReadyAnswer.make(UnsafeMutableBufferPointer(start: nil, count: 0))
        describe(tile, edge: edge, tag: slot.pointee.tag, answer)
        if edge == .hit {
            slot.pointee.notModifiedFromEdge = answer
        } else {
            slot.pointee.notModified = answer
        }
        return answer
    }

    /// The headers that 200 and 304 share.
    private func describe(
        _ tile: OriginTile, edge: EdgeClass, tag: UInt64, _ answer: OpaquePointer?
    ) {
        ReadyAnswer.add("ETag", "\"\(tag.hexDigits16)\"", to: answer)
        if let cacheControl { ReadyAnswer.add("Cache-Control", cacheControl, to: answer) }
        if allowsAnyOrigin { ReadyAnswer.allowAnyOrigin(answer) }
        switch edge {
        case .none: break
        case .miss: ReadyAnswer.add("X-Cache", "MISS", to: answer)
        case .hit:
            // One age per tile, so that its answer can be kept: below the default max-age of 60.
            let age = 1 + Int(OriginDraw.uniform(seed, .age, tile.packed) * 58)
            ReadyAnswer.add("X-Cache", "HIT", to: answer)
            ReadyAnswer.add("Age", String(age), to: answer)
        }
    }
}
