/// A set of status codes as one bit each: looked at for every answer.
package struct StatusSet: Sendable {
    private var bits = InlineArray<16, UInt64>(repeating: 0)

    package init(_ statuses: some Sequence<Int>) {
        for status in statuses where (0..<1024).contains(status) {
            bits[status >> 6] |= 1 << UInt64(status & 63)
        }
    }

    package func contains(_ status: Int) -> Bool {
        status >= 0 && status < 1024 && bits[status >> 6] >> UInt64(status & 63) & 1 == 1
    }
}
