import Metrics

/// What products say in headers of their own.
extension CacheHeaders {
    /// Cloudflare, whose words for "not looked up" mean something else elsewhere.
    static func cloudflare(_ value: UnsafeBufferPointer<UInt8>) -> CacheReading {
        let word = value.trimmed
        if word.hasPrefix("none") || word.equals("unknown") { return CacheReading(.dynamic) }
        return CacheWord.reading(word)
    }

    /// Vercel, whose REVALIDATED is an answer of the origin that also refreshed the cache.
    static func vercel(_ value: UnsafeBufferPointer<UInt8>) -> CacheReading {
        let word = value.trimmed
        return word.equals("revalidated") ? CacheReading(.miss) : CacheWord.reading(word)
    }

    /// Akamai's "Miss from child, Hit from parent": the child is the nearest to the client.
    static func readAkamai(_ value: UnsafeBufferPointer<UInt8>, into chain: inout CacheChain) {
        forEachMember(of: value) { member in
            let reading = CacheWord.reading(member)
            if member.hasSuffix("parent") {
                chain.setUpstream(reading)
            } else {
                chain.append(reading)
            }
        }
    }

    /// Apache's X-Cache-Detail: a sentence.
    static func apacheDetail(_ value: UnsafeBufferPointer<UInt8>) -> CacheReading {
        if value.contains("stale content") { return CacheReading(.staleHit) }
        if value.contains("unwilling to store") { return CacheReading(.bypass) }
        if value.contains("conditional cache hit") { return CacheReading(.revalidated) }
        if value.contains("cache hit") { return CacheReading(.hit) }
        if value.contains("cache miss") { return CacheReading(.miss) }
        return .nothing
    }

    /// Varnish: its own transaction, and on a hit also the one that filled the cache.
    static func varnish(_ member: UnsafeBufferPointer<UInt8>) -> CacheReading {
        var ids = 0
        var start = 0
        while start < member.count {
            var end = start
            while end < member.count, member[end] != 0x20, member[end] != 0x09 { end += 1 }
            if end > start {
                guard member.part(start..<end).decimal != nil else { return .nothing }
                ids += 1
            }
            start = end + 1
        }
        return ids == 0 ? .nothing : CacheReading(ids == 1 ? .miss : .hit)
    }

    /// An age above 0 means that a copy was kept somewhere. An age of 0 means nothing.
    static func age(_ value: UnsafeBufferPointer<UInt8>) -> CacheReading {
        let first = value.part(0..<value.end(of: UInt8(ascii: ","), from: 0)).trimmed
        let isAbove0 =
            !first.isEmpty && first.allSatisfy { $0 &- UInt8(ascii: "0") < 10 }
            && first.contains { $0 != UInt8(ascii: "0") }
        return isAbove0 ? CacheReading(.hit) : .nothing
    }
}
