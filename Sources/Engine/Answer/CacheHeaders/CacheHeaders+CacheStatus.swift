import Metrics

/// Cache-Status, RFC 9211.
extension CacheHeaders {
    /// The parameters of one member that say what its cache did.
    private struct Parameters {
        var isHit = false
        var isForwarded = false
        var isStale = false
        var isOutside = false
        var isNegativeTTL = false
        /// -1: not said.
        var forwardStatus: Int64 = -1

        mutating func note(
            key: UnsafeBufferPointer<UInt8>, value: UnsafeBufferPointer<UInt8>
        ) {
            if key.equals("hit") {
                isHit = !value.equals("?0")
            } else if key.equals("fwd") {
                isForwarded = !value.equals("?0")
                isStale = value.equals("stale")
                isOutside =
                    value.equals("bypass") || value.equals("method") || value.equals("request")
            } else if key.equals("fwd-status") {
                forwardStatus = value.decimal ?? -1
            } else if key.equals("ttl") {
                isNegativeTTL =
                    value.count > 1 && value[0] == UInt8(ascii: "-")
                    && value.contains { $0 &- UInt8(ascii: "1") < 9 }
            }
        }

        var reading: CacheReading {
            if isHit { return CacheReading(isNegativeTTL ? .staleHit : .hit) }
            guard isForwarded else { return .nothing }
            if isOutside { return CacheReading(.bypass) }
            guard isStale else { return CacheReading(.miss) }
            if forwardStatus < 0 { return .forwardedStale }
            if forwardStatus == 304 { return CacheReading(.revalidated) }
            return forwardStatus >= 500 ? .forwardedStaleFailed : CacheReading(.miss)
        }
    }

    /// One member: the name of a cache and its parameters.
    static func cacheStatus(_ member: UnsafeBufferPointer<UInt8>) -> CacheReading {
        let semicolon = UInt8(ascii: ";")
        let nameEnd = member.end(of: semicolon, from: 0)
        // Google's `Cache-Status: {cdn_cache_status}` is a bare word, whatever the RFC says.
        if nameEnd == member.count { return CacheWord.reading(member) }
        var parameters = Parameters()
        var start = nameEnd + 1
        while start < member.count {
            let end = member.end(of: semicolon, from: start)
            let parameter = member.part(start..<end).trimmed
            let keyEnd = parameter.end(of: UInt8(ascii: "="), from: 0)
            let valueStart = min(keyEnd + 1, parameter.count)
            parameters.note(
                key: parameter.part(0..<keyEnd).trimmed,
                value: parameter.part(valueStart..<parameter.count).trimmed.unquoted)
            start = end + 1
        }
        return parameters.reading
    }
}
