/// Which edge location of a CDN answered, by the header that names it. Plain memory: it stands in
/// the facts of an answer and allocates nothing.
package struct EdgeName {
    static let bytesMax = 32

    private enum Header: UInt8 { case cloudflare, cloudFront, fastly, none }

    private var header = Header.none
    private var bytes = InlineArray<32, UInt8>(repeating: 0)
    private var count = 0

    package init() {}

    /// One header: of several that name a location the first in the order of `Header` counts.
    mutating func note(
        name: UnsafeBufferPointer<UInt8>, value: UnsafeBufferPointer<UInt8>
    ) {
        switch name.count {
        case 6 where name.equals("cf-ray"): set(.cloudflare, Self.afterLastDash(value))
        case 12 where name.equals("x-amz-cf-pop"): set(.cloudFront, value)
        case 11 where name.equals("x-served-by"): set(.fastly, Self.fastlySite(value))
        default: break
        }
    }

    private mutating func set(_ header: Header, _ text: UnsafeBufferPointer<UInt8>) {
        guard !text.isEmpty, header.rawValue <= self.header.rawValue else { return }
        self.header = header
        count = min(text.count, Self.bytesMax)
        for index in 0..<count { bytes[index] = text[index] }
    }

    /// Cloudflare's `8c1f0e3a5d2b1234-FRA`; nothing without a dash.
    private static func afterLastDash(
        _ value: UnsafeBufferPointer<UInt8>
    ) -> UnsafeBufferPointer<UInt8> {
        var start = value.count
        while start > 0, value[start - 1] != UInt8(ascii: "-") { start -= 1 }
        return start == 0 ? value.part(0..<0) : value.part(start..<value.count)
    }

    /// Each cache appends, the last is the nearest to the client. Fastly's are called
    /// `cache-fra-etou8220025-FRA`, of which the site is the end; others as they call themselves.
    private static func fastlySite(
        _ value: UnsafeBufferPointer<UInt8>
    ) -> UnsafeBufferPointer<UInt8> {
        var last = value.part(0..<0)
        CacheHeaders.forEachMember(of: value) { last = $0 }
        return last.hasPrefix("cache-") ? afterLastDash(last) : last
    }

    /// The name; empty when no header told one. The memory ends with the call.
    func use<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        bytes.span.withUnsafeBufferPointer { body(UnsafeBufferPointer(rebasing: $0[..<count])) }
    }

    /// For messages and tests: it allocates.
    package var text: String { use { String(decoding: $0, as: UTF8.self) } }
}
