/// Memory for what a transport would hand over.
enum Bytes {
    /// The beginning of a picture: PNG's signature and its first chunk's header.
    static let png: [UInt8] = [
        0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52,
    ]

    /// A copy that the caller gives back.
    static func copy(_ bytes: [UInt8]) -> UnsafeMutableBufferPointer<UInt8> {
        let memory = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: bytes.count)
        _ = memory.initialize(from: bytes)
        return memory
    }
}
