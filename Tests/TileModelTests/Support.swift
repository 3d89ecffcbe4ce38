import Foundation
import TileModel

/// A file of test vectors next to the tests.
func vectors<Content: Decodable>(_ name: String, as type: Content.Type) throws -> Content {
    let url = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "Vectors/\(name).json")
    return try JSONDecoder().decode(type, from: Data(contentsOf: url))
}

/// SplitMix64: a seed printed with a failure repeats it.
struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func tile(z zooms: ClosedRange<UInt8> = 0...30) -> TileID {
        let z = UInt8.random(in: zooms, using: &self)
        let last = UInt32(1) << UInt32(z) - 1
        return TileID(
            z: z, x: .random(in: 0...last, using: &self), y: .random(in: 0...last, using: &self))
    }
}
