/// What a URL takes besides the tile. The memory is the caller's and outlives the call.
package struct TemplateValues {
    /// What `{token}` stands for, percent-encoded already.
    package var token: UnsafeBufferPointer<UInt8>
    /// What `{token.NAME}` stands for, in the order of `tokenNames`, percent-encoded already.
    package var tokenParts: UnsafeBufferPointer<UnsafeBufferPointer<UInt8>>
    /// What `{run}` stands for.
    package var run: UnsafeBufferPointer<UInt8>
    /// What `{random}` stands for, written as sixteen hexadecimal digits.
    package var random: UInt64

    package init(
        token: UnsafeBufferPointer<UInt8> = UnsafeBufferPointer(start: nil, count: 0),
        tokenParts: UnsafeBufferPointer<UnsafeBufferPointer<UInt8>> =
            UnsafeBufferPointer(start: nil, count: 0),
        run: UnsafeBufferPointer<UInt8> = UnsafeBufferPointer(start: nil, count: 0),
        random: UInt64 = 0
    ) {
        self.token = token
        self.tokenParts = tokenParts
        self.run = run
        self.random = random
    }
}
