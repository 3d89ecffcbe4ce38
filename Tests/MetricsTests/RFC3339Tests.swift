import Foundation
import Metrics
import Testing

@Suite struct RFC3339Tests {
    @Test func textsAreThoseOfTheCalendar() {
        let formatter = ISO8601DateFormatter()
        var random = SeededGenerator(seed: 2)
        var seconds: [UInt64] = [
            0, 951_782_399, 951_782_400, 951_868_800, 1_709_164_800, 4_107_542_400,
        ]
        // To the year 2500.
        seconds += (0..<2000).map { _ in UInt64.random(in: 0...16_725_225_600, using: &random) }
        for second in seconds {
            let expected = formatter.string(from: Date(timeIntervalSince1970: Double(second)))
            #expect(RFC3339.text(epochNS: second * 1_000_000_000 + 999_999_999) == expected)
        }
    }
}
