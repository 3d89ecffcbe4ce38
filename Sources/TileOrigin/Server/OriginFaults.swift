import Synchronization

/// Faults that are switched on and off while the server runs, each until a moment of the monotonic
/// clock. Read without a lock.
final class OriginFaults: Sendable {
    // The end in the upper 60 bits (36 years), the number of the fault, from 1, in the others; 0:
    // none.
    private let renewalWord = Atomic<UInt64>(0)
    private let tileWord = Atomic<UInt64>(0)

    private static let renewals = OriginOptions.RenewalFault.allCases
    private static let tiles = OriginOptions.TileFault.allCases

    func renewal(nowNS: UInt64) -> OriginOptions.RenewalFault? {
        OriginFaults.index(renewalWord.load(ordering: .relaxed), nowNS: nowNS)
            .map { OriginFaults.renewals[$0] }
    }

    @inline(__always)
    func tile(nowNS: UInt64) -> OriginOptions.TileFault? {
        let word = tileWord.load(ordering: .relaxed)
        return word == 0
            ? nil : OriginFaults.index(word, nowNS: nowNS).map { OriginFaults.tiles[$0] }
    }

    func set(renewal: OriginOptions.RenewalFault?, untilNS: UInt64) {
        let index = renewal.flatMap { OriginFaults.renewals.firstIndex(of: $0) }
        renewalWord.store(OriginFaults.word(index, untilNS: untilNS), ordering: .relaxed)
    }

    func set(tile: OriginOptions.TileFault?, untilNS: UInt64) {
        let index = tile.flatMap { OriginFaults.tiles.firstIndex(of: $0) }
        tileWord.store(OriginFaults.word(index, untilNS: untilNS), ordering: .relaxed)
    }

    private static func word(_ index: Int?, untilNS: UInt64) -> UInt64 {
        index.map { min(untilNS, 1 << 60 - 1) << 4 | UInt64($0 + 1) } ?? 0
    }

    private static func index(_ word: UInt64, nowNS: UInt64) -> Int? {
        word != 0 && nowNS < word >> 4 ? Int(word & 15) - 1 : nil
    }
}
