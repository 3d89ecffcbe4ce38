import Metrics

/// The words that caches use for what they did: nginx, Varnish, Squid, Apache, CloudFront, Fastly,
/// Akamai, Azure, Google, Bunny, Vercel, Cloudflare and GeoWebCache share most of them.
enum CacheWord {
    private static let lettersMax = 48

    /// The class that the first word of `text` names.
    ///
    /// `TCP_REFRESH_HIT` and `RefreshHit` are one word: the prefix of Squid's log codes and the
    /// separators count for nothing.
    static func reading(_ text: UnsafeBufferPointer<UInt8>) -> CacheReading {
        let value = text.trimmed.unquoted
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: lettersMax) { letters in
            var count = 0
            for byte in value {
                if byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-") { continue }
                let isLetter = (byte | 0x20) &- UInt8(ascii: "a") < 26
                guard isLetter || byte == UInt8(ascii: "/"), count < lettersMax else { break }
                letters[count] = byte
                count += 1
            }
            var word = UnsafeBufferPointer(rebasing: letters[..<count])
            if word.hasPrefix("tcp") { word = word.part(3..<word.count) }
            return whole(word) ?? partly(word)
        }
    }

    private static func whole(_ word: UnsafeBufferPointer<UInt8>) -> CacheReading? {
        switch word.count {
        case 3:
            if word.equals("hit") { return CacheReading(.hit) }
            // GeoWebCache made the tile by a WMS request that passes its cache.
            if word.equals("wms") { return CacheReading(.bypass) }
            // Azure: the request was denied.
            if word.equals("n/a") { return CacheReading(.error) }
        case 4:
            if word.equals("miss") { return CacheReading(.miss) }
            if word.equals("pass") { return CacheReading(.bypass) }
        case 5:
            if word.equals("stale") { return CacheReading(.staleHit) }
            if word.equals("error") { return CacheReading(.error) }
            if word.equals("synth") { return CacheReading(.synthetic) }
        case 6:
            if word.equals("bypass") { return CacheReading(.bypass) }
            if word.equals("cached") { return CacheReading(.hit) }
            if word.equals("scarce") { return CacheReading(.miss) }
        case 7:
            if word.equals("expired") { return CacheReading(.miss) }
            if word.equals("dynamic") { return CacheReading(.dynamic) }
        case 8:
            if word.equals("updating") { return CacheReading(.staleHit) }
            // Google: no cache in use for this backend.
            if word.equals("disabled") { return CacheReading(.dynamic) }
            if word.equals("redirect") { return CacheReading(.synthetic) }
            if word.equals("uncached") { return CacheReading(.miss) }
        case 9:
            // Vercel: from static storage at the edge.
            if word.equals("prerender") { return CacheReading(.hit) }
        case 10:
            // Apache: the stored answer was thrown away and the origin asked.
            if word.equals("invalidate") { return CacheReading(.miss) }
        case 11:
            if word.equals("constructed") { return CacheReading(.synthetic) }
        default:
            break
        }
        return nil
    }

    /// Words put together of others: what says most about the answer is looked for first.
    private static func partly(_ word: UnsafeBufferPointer<UInt8>) -> CacheReading {
        if word.hasSuffix("miss") || word.hasSuffix("refreshmodified") {
            return CacheReading(.miss)
        }
        if word.contains("error") || word.contains("denied") || word.contains("deny")
            || word.contains("exceeded") || word.hasSuffix("failerr")
        {
            return CacheReading(.error)
        }
        if word.contains("generated") || word.hasPrefix("synth") || word.hasSuffix("redirect") {
            return CacheReading(.synthetic)
        }
        if word.contains("nocache") || word.contains("nostore") || word.hasSuffix("uncacheable")
            || word.hasSuffix("notcacheable")
        {
            return CacheReading(.bypass)
        }
        if word.contains("stale") || word.hasSuffix("failhit") || word.hasSuffix("failold") {
            return CacheReading(.staleHit)
        }
        if word.hasPrefix("revalidate") || word.hasSuffix("refreshhit")
            || word.hasSuffix("unmodified")
        {
            return CacheReading(.revalidated)
        }
        if word.hasSuffix("hit") || word.hasPrefix("hit") {
            let isFar = word.hasPrefix("remote") || word.contains("shield")
            return CacheReading(.hit, isShield: isFar)
        }
        return .nothing
    }
}
