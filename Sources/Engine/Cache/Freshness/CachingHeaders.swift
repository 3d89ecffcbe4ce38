/// What the headers of an answer say about keeping it: RFC 9111, or the little of it that MapLibre
/// Native reads. Plain memory, since it stands in every entry of a cache; it takes line by line
/// and allocates nothing.
package struct CachingHeaders {
    struct Flags: OptionSet {
        let rawValue: UInt16

        static let noStore = Flags(rawValue: 1 << 0)
        static let noCache = Flags(rawValue: 1 << 1)
        static let mustRevalidate = Flags(rawValue: 1 << 2)
        static let isPublic = Flags(rawValue: 1 << 3)
        static let hasCacheControl = Flags(rawValue: 1 << 4)
        /// `Pragma: no-cache`, which counts where there is no Cache-Control.
        static let pragmaNoCache = Flags(rawValue: 1 << 5)
        static let hasVary = Flags(rawValue: 1 << 6)
        /// `Vary: *`
        static let variesAlways = Flags(rawValue: 1 << 7)
        /// `Vary` names a header that the token stands in. All others are the same in each request.
        static let variesWithToken = Flags(rawValue: 1 << 8)
    }

    /// Said, but no date: RFC 9111 section 5.3 takes it as a time in the past.
    static let invalidExpiresS: Int64 = 0
    /// What a number that is too large stands for (RFC 9111 section 1.2.2).
    static let secondsMax: Int32 = .max

    var flags: Flags = []
    /// Seconds; -1: not said, where several are said the first. One that is no number is 0.
    var maxAgeS: Int32 = -1
    var staleWhileRevalidateS: Int32 = 0
    /// Seconds; -1: not said, or not valid.
    var ageS: Int32 = -1
    /// Seconds since 1970; -1: not said.
    var expiresS: Int64 = -1
    /// Seconds since 1970; -1: not said, or not valid.
    var dateS: Int64 = -1
    var lastModifiedS: Int64 = -1

    package init() {}

    /// One header, by RFC 9111.
    mutating func note(
        name: UnsafeBufferPointer<UInt8>, value: UnsafeBufferPointer<UInt8>,
        changing: WordSet
    ) {
        switch name.count {
        case 3 where name.equals("age"):
            noteAge(value)
        case 4 where name.equals("date"):
            dateS = HTTPDate.epochSeconds(value) ?? -1
        case 4 where name.equals("vary"):
            noteVary(value, changing)
        case 6 where name.equals("pragma"):
            if value.contains("no-cache") { flags.insert(.pragmaNoCache) }
        case 7 where name.equals("expires"):
            if expiresS < 0 { expiresS = HTTPDate.epochSeconds(value) ?? Self.invalidExpiresS }
        case 13 where name.equals("cache-control"):
            flags.insert(.hasCacheControl)
            CacheHeaders.forEachMember(of: value) { noteDirective($0) }
        case 13 where name.equals("last-modified"):
            lastModifiedS = HTTPDate.epochSeconds(value) ?? -1
        default:
            break
        }
    }

    /// Section 5.1: of several the first member, and an invalid one is ignored.
    private mutating func noteAge(_ value: UnsafeBufferPointer<UInt8>) {
        guard ageS < 0 else { return }
        let first = value.part(0..<value.end(of: UInt8(ascii: ","), from: 0)).trimmed
        ageS = Self.seconds(first) ?? -1
    }

    private mutating func noteVary(
        _ value: UnsafeBufferPointer<UInt8>, _ changing: WordSet
    ) {
        flags.insert(.hasVary)
        CacheHeaders.forEachMember(of: value) { member in
            if member.equals("*") { flags.insert(.variesAlways) }
            if changing.contains(member) { flags.insert(.variesWithToken) }
        }
    }

    private mutating func noteDirective(_ directive: UnsafeBufferPointer<UInt8>) {
        let nameEnd = directive.end(of: UInt8(ascii: "="), from: 0)
        let name = directive.part(0..<nameEnd).trimmed
        let value = directive.part(min(nameEnd + 1, directive.count)..<directive.count)
            .trimmed.unquoted
        switch name.count {
        case 6 where name.equals("public"):
            flags.insert(.isPublic)
        case 7 where name.equals("max-age"):
            // Section 4.2.1: of several the first, and what is no number means stale.
            if maxAgeS < 0 { maxAgeS = Self.seconds(value) ?? 0 }
        // With a list of fields too, which section 5.2.2.4 leaves to the cache.
        case 8 where name.equals("no-cache"):
            flags.insert(.noCache)
        case 8 where name.equals("no-store"):
            flags.insert(.noStore)
        case 15 where name.equals("must-revalidate"):
            flags.insert(.mustRevalidate)
        case 22 where name.equals("stale-while-revalidate"):
            staleWhileRevalidateS = Self.seconds(value) ?? 0
        default:
            break
        }
    }

    /// Digits and nothing else; however many.
    private static func seconds(_ text: UnsafeBufferPointer<UInt8>) -> Int32? {
        guard !text.isEmpty, text.allSatisfy({ $0 &- UInt8(ascii: "0") < 10 }) else { return nil }
        return text.decimal.map { Int32(clamping: $0) } ?? secondsMax
    }

    // MARK: MapLibre Native

    /// One header, as MapLibre Native reads it: of Cache-Control `max-age` and `must-revalidate`
    /// alone, written exactly so; `Expires` overrides it (as on Darwin and Android, whatever the
    /// order); no Age, no Vary, no Date.
    mutating func noteMapLibreNative(
        name: UnsafeBufferPointer<UInt8>, value: UnsafeBufferPointer<UInt8>
    ) {
        switch name.count {
        case 7 where name.equals("expires"):
            expiresS = HTTPDate.epochSeconds(value) ?? Self.invalidExpiresS
        case 13 where name.equals("cache-control"):
            // The line that comes last replaces those before.
            maxAgeS = -1
            flags.remove(.mustRevalidate)
            CacheHeaders.forEachMember(of: value) { noteExactDirective($0) }
        case 13 where name.equals("last-modified"):
            lastModifiedS = HTTPDate.epochSeconds(value) ?? -1
        default:
            break
        }
    }

    private mutating func noteExactDirective(_ directive: UnsafeBufferPointer<UInt8>) {
        if directive.isExactly("must-revalidate") { flags.insert(.mustRevalidate) }
        let nameEnd = directive.end(of: UInt8(ascii: "="), from: 0)
        guard nameEnd < directive.count, directive.part(0..<nameEnd).trimmed.isExactly("max-age")
        else { return }
        let value = directive.part(nameEnd + 1..<directive.count).trimmed
        if let seconds = value.decimal { maxAgeS = Int32(clamping: seconds) }
    }

    // MARK: 304

    /// A 304 replaces what it says (RFC 9111 sections 3.2 and 4.3.4). Age and Date are always its
    /// own: an age that was kept would count twice.
    mutating func freshen(with answer: CachingHeaders) {
        if answer.flags.contains(.hasCacheControl) {
            let directives: Flags = [
                .noStore, .noCache, .mustRevalidate, .isPublic, .hasCacheControl,
            ]
            flags.subtract(directives)
            flags.formUnion(answer.flags.intersection(directives))
            maxAgeS = answer.maxAgeS
            staleWhileRevalidateS = answer.staleWhileRevalidateS
        }
        if answer.flags.contains(.hasVary) {
            let vary: Flags = [.hasVary, .variesAlways, .variesWithToken]
            flags.subtract(vary)
            flags.formUnion(answer.flags.intersection(vary))
        }
        if answer.expiresS >= 0 { expiresS = answer.expiresS }
        if answer.lastModifiedS >= 0 { lastModifiedS = answer.lastModifiedS }
        ageS = answer.ageS
        dateS = answer.dateS
    }
}

extension UnsafeBufferPointer where Element == UInt8 {
    /// As `equals`, the case of letters included.
    fileprivate func isExactly(_ word: StaticString) -> Bool {
        equals(word) && !contains { $0 &- UInt8(ascii: "A") < 26 }
    }
}
