import TileModel

/// A credential as a URL holds it, percent-encoded, in memory that template writing can point at.
/// Takes none before it has a credential. Reactor thread only.
struct CredentialText: ~Copyable {
    private var bytes: UnsafeMutablePointer<UInt8>?
    private var spans: UnsafeMutablePointer<UnsafeBufferPointer<UInt8>>?
    private var partCount = 0

    init() {}

    deinit { free() }

    private func free() {
        bytes?.deallocate()
        spans?.deallocate()
    }

    mutating func set(_ credential: Credential) {
        free()
        let texts = ([credential.text] + credential.parts).map { Array(percentEncoded($0).utf8) }
        partCount = credential.parts.count
        let bytes = UnsafeMutablePointer<UInt8>.allocate(
            capacity: max(1, texts.reduce(0) { $0 + $1.count }))
        let spans = UnsafeMutablePointer<UnsafeBufferPointer<UInt8>>.allocate(
            capacity: texts.count)
        var next = bytes
        for (index, text) in texts.enumerated() {
            next.initialize(from: text, count: text.count)
            (spans + index).initialize(to: UnsafeBufferPointer(start: next, count: text.count))
            next += text.count
        }
        self.bytes = bytes
        self.spans = spans
    }

    /// What `{token}` stands for.
    var token: UnsafeBufferPointer<UInt8> {
        spans?.pointee ?? UnsafeBufferPointer(start: nil, count: 0)
    }

    /// What each `{token.NAME}` stands for.
    var parts: UnsafeBufferPointer<UnsafeBufferPointer<UInt8>> {
        UnsafeBufferPointer(start: spans.map { $0 + 1 }, count: partCount)
    }
}
