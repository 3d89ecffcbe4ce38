import TileModel
import Workload

/// What client caches know an answer by: its URL without the token and without the query
/// parameters that `cache.client.strip` names, as a number of 64 bits. Two of ten million URLs
/// share one with a probability of 0.0003 %.
///
/// Two sources that give the same URL share an entry, and `{random}` makes a new one each time, as
/// with a browser. Reactor thread only; it outlives no run.
final class CacheKeys {
    private let context: RunContext
    private let buffer: UnsafeMutableBufferPointer<UInt8>
    /// What each `{token.NAME}` stands for: nothing.
    private let noParts: UnsafeMutableBufferPointer<UnsafeBufferPointer<UInt8>>
    /// Lower case.
    private let stripped: WordSet

    init(context: RunContext) {
        self.context = context
        buffer = .allocate(capacity: Transport.urlMax)
        noParts = .allocate(capacity: context.templates.tokenNames.count)
        noParts.initialize(repeating: UnsafeBufferPointer(start: nil, count: 0))
        stripped = WordSet(context.plan.cache.strip)
    }

    deinit {
        buffer.deallocate()
        noParts.deallocate()
        stripped.free()
    }

    func key(_ choice: TileChoice, index: UInt64) -> UInt64 {
        var values = TemplateValues(random: context.random(index: index))
        values.tokenParts = UnsafeBufferPointer(noParts)
        let length = context.runText.withUnsafeBufferPointer { run in
            values.run = run
            return context.templates.write(
                choice.tile, source: choice.source, values: values, into: buffer)
        }
        precondition(length >= 0, "a URL longer than \(Transport.urlMax) bytes")
        return hash(UnsafeBufferPointer(rebasing: buffer[..<length]))
    }

    private func hash(_ url: UnsafeBufferPointer<UInt8>) -> UInt64 {
        var hash = URLHash()
        let queryMark = UInt8(ascii: "?")
        var end = 0
        while end < url.count, url[end] != queryMark { end += 1 }
        hash.add(url.part(0..<end))
        var start = end + 1
        while start < url.count {
            var parameterEnd = start
            while parameterEnd < url.count, url[parameterEnd] != UInt8(ascii: "&") {
                parameterEnd += 1
            }
            let parameter = url.part(start..<parameterEnd)
            if !stripped.contains(parameter.part(0..<nameEnd(parameter))) {
                hash.add(byte: queryMark)
                hash.add(parameter)
            }
            start = parameterEnd + 1
        }
        return hash.value
    }

    private func nameEnd(_ parameter: UnsafeBufferPointer<UInt8>) -> Int {
        var end = 0
        while end < parameter.count, parameter[end] != UInt8(ascii: "=") { end += 1 }
        return end
    }
}

/// FNV-1a with the finalizer of SplitMix64, which spreads the last bytes over all bits.
struct URLHash {
    private var state: UInt64 = 0xCBF2_9CE4_8422_2325

    mutating func add(byte: UInt8) { state = (state ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }

    mutating func add(_ bytes: UnsafeBufferPointer<UInt8>) {
        for byte in bytes { add(byte: byte) }
    }

    var value: UInt64 {
        var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
