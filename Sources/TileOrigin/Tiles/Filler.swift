/// Bytes that fill a tile up to a wanted size.
enum Filler {
    /// Repetition at this distance is out of sight of deflate, whose window is 32 KiB, so that a
    /// compressing proxy on the way does not shrink a padded tile to nothing.
    private static let blockBytes = 1 << 16

    /// Bytes that depend on the seed.
    static func bytes(_ count: Int, seed: UInt64) -> [UInt8] {
        let wanted = min(count, blockBytes)
        let block = [UInt8](unsafeUninitializedCapacity: wanted) { room, filled in
            var index = 0
            while index < wanted {
                var word = OriginDraw.mix(seed &+ UInt64(index))
                let end = min(index + 8, wanted)
                while index < end {
                    room[index] = UInt8(truncatingIfNeeded: word)
                    word >>= 8
                    index += 1
                }
            }
            filled = wanted
        }
        guard count > block.count else { return block }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        while bytes.count + block.count <= count { bytes += block }
        bytes += block[..<(count - bytes.count)]
        return bytes
    }
}
