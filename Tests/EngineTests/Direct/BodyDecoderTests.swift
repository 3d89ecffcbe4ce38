import Foundation
import Testing

@testable import Engine

/// The same body in each coding, as other programs packed it: a word a thousand times over, and
/// every byte once.
@Suite struct BodyDecoderTests {
    struct Packed: CustomTestStringConvertible, Sendable {
        var name: String
        var encoding: AnswerFacts.ContentEncoding
        var base64: String

        var testDescription: String { name }
        var bytes: [UInt8] {
            Array(Data(base64Encoded: base64, options: .ignoreUnknownCharacters) ?? Data())
        }
    }

    static let plain = Array(String(repeating: "tile ", count: 1000).utf8) + Array(0...255)

    @Test(arguments: BodyDecoderTests.all, [1, 7, 100, 100_000])
    func unpacks(_ packed: Packed, partBytes: Int) throws {
        let decoder = try #require(BodyDecoder(packed.encoding))
        // One decoder for one body after the other, a damaged one among them.
        for round in 0..<3 {
            decoder.begin()
            if round == 1 {
                _ = decode(decoder, Array("no packed body at all".utf8), partBytes: 4)
                continue
            }
            let plain = try #require(decode(decoder, packed.bytes, partBytes: partBytes))
            let isEqual = plain == Self.plain
            #expect(isEqual, "\(plain.count) bytes")
        }
    }

    @Test(arguments: BodyDecoderTests.all)
    func damagedBodies(_ packed: Packed) throws {
        var random = SystemRandomNumberGenerator()
        let decoder = try #require(BodyDecoder(packed.encoding))
        for _ in 0..<200 {
            decoder.begin()
            var bytes = packed.bytes
            bytes[Int.random(in: 0..<bytes.count, using: &random)] ^= UInt8.random(
                in: 1...255, using: &random)
            // Damaged or not, it comes to an end.
            _ = decode(decoder, bytes, partBytes: Int.random(in: 1...200, using: &random))
        }
        decoder.begin()
        #expect(decode(decoder, Array("<html>no packed body</html>".utf8), partBytes: 50) == nil)
    }

    @Test func othersAreUnknown() {
        #expect(BodyDecoder(.none) == nil && BodyDecoder(.other) == nil)
    }

    /// Nil: it is damaged.
    private func decode(_ decoder: BodyDecoder, _ bytes: [UInt8], partBytes: Int) -> [UInt8]? {
        var plain: [UInt8] = []
        var place = 0
        while place < bytes.count {
            let part = Array(bytes[place..<min(bytes.count, place + partBytes)])
            let isGood = part.withUnsafeBufferPointer { part in
                decoder.decode(part) { plain += $0 }
            }
            guard isGood else { return nil }
            place += part.count
        }
        return plain
    }

    static let all: [Packed] = [
        Packed(
            name: "gzip", encoding: .gzip,
            base64: """
                    H4sIAAAAAAACAyvJzElVKBklRolRYpQYJUaJUWKUGCVGiVFilBglRolRYpQYJUaJUYKWBAMjEzML\
                    Kxs7BycXNw8vH7+AoJCwiKiYuISklLSMrJy8gqKSsoqqmrqGppa2jq6evoGhkbGJqZm5haWVtY2t\
                    nb2Do5Ozi6ubu4enl7ePr59/QGBQcEhoWHhEZFR0TGxcfEJiUnJKalp6RmZWdk5uXn5BYVFxSWlZ\
                    eUVlVXVNbV19Q2NTc0trW3tHZ1d3T29f/4SJkyZPmTpt+oyZs2bPmTtv/oKFixYvWbps+YqVq1av\
                    Wbtu/YaNmzZv2bpt+46du3bv2btv/4GDhw4fOXrs+ImTp06fOXvu/IWLly5fuXrt+o2bt27fuXvv\
                    /oOHjx4/efrs+YuXr16/efvu/YePnz5/+frt+4+fv37/+fvvPwDijomtiBQAAA==
                """),
        Packed(
            name: "deflate", encoding: .deflate,
            base64: """
                    eJwrycxJVSgZJUaJUWKUGCVGiVFilBglRolRYpQYJUaJUWKUGCVGiVGClgQDIxMzCysbOwcnFzcP\
                    Lx+/gKCQsIiomLiEpJS0jKycvIKikrKKqpq6hqaWto6unr6BoZGxiamZuYWllbWNrZ29g6OTs4ur\
                    m7uHp5e3j6+ff0BgUHBIaFh4RGRUdExsXHxCYlJySmpaekZmVnZObl5+QWFRcUlpWXlFZVV1TW1d\
                    fUNjU3NLa1t7R2dXd09vX/+EiZMmT5k6bfqMmbNmz5k7b/6ChYsWL1m6bPmKlatWr1m7bv2GjZs2\
                    b9m6bfuOnbt279m7b/+Bg4cOHzl67PiJk6dOnzl77vyFi5cuX7l67fqNm7du37l77/6Dh48eP3n6\
                    7PmLl69ev3n77v2Hj58+f/n67fuPn79+//n77z8A8XeMmg==
                """),
        Packed(
            name: "bareDeflate", encoding: .deflate,
            base64: """
                    K8nMSVUoGSVGiVFilBglRolRYpQYJUaJUWKUGCVGiVFilBglRolRgpYEAyMTMwsrGzsHJxc3Dy8f\
                    v4CgkLCIqJi4hKSUtIysnLyCopKyiqqauoamlraOrp6+gaGRsYmpmbmFpZW1ja2dvYOjk7OLq5u7\
                    h6eXt4+vn39AYFBwSGhYeERkVHRMbFx8QmJSckpqWnpGZlZ2Tm5efkFhUXFJaVl5RWVVdU1tXX1D\
                    Y1NzS2tbe0dnV3dPb1//hImTJk+ZOm36jJmzZs+ZO2/+goWLFi9Zumz5ipWrVq9Zu279ho2bNm/Z\
                    um37jp27du/Zu2//gYOHDh85euz4iZOnTp85e+78hYuXLl+5eu36jZu3bt+5e+/+g4ePHj95+uz5\
                    i5evXr95++79h4+fPn/5+u37j5+/fv/5++8/AA==
                """),
        Packed(
            name: "brotli", encoding: .brotli,
            base64: """
                    G4cUAGRAbpaflxitBsNtiC+vKacKsp4FALqVrRmCAEAQGAKFwROejifm9yCQKDQGi8MTiCQyhUpj\
                    YGRiZmFlY+fg5OLm4eXjFxAUEhYRFROXkJSSlpGVk1dQVFJWUVVT19DU0tbR1dM3MDQyNjE1M7ew\
                    tLK2sbWzd3B0cnahu7q5e3h6efv4+vkHBAYFh4SGhUdERkXHxMbFJyQmJaekpqVnZGZl5+Tm5RcU\
                    FhWXlJaVV1RWVdfU1tU3NDY1t7S2tXd0dnX39Pb1DwwODY+Mjo1PTE5Nz8zOzS8sLi2vrK6tb2xu\
                    be/s7u0fHB4dn5yenV9cXl3f3N7dPzw+Pb+8vr1/fH59//z+/QM=
                """),
        Packed(
            name: "zstd", encoding: .zstd,
            base64: """
                    KLUv/WCIE3UIAFQQdGlsZSAAAQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyAhIiMkJSYn\
                    KCkqKywtLi8wMTIzNDU2Nzg5Ojs8PT4/QEFCQ0RFRkdISUpLTE1OT1BRUlNUVVZXWFlaW1xdXl9g\
                    YWJjZGVmZ2hpamtsbW5vcHFyc3R1dnd4eXp7fH1+f4CBgoOEhYaHiImKi4yNjo+QkZKTlJWWl5iZ\
                    mpucnZ6foKGio6SlpqeoqaqrrK2ur7CxsrO0tba3uLm6u7y9vr/AwcLDxMXGx8jJysvMzc7P0NHS\
                    09TV1tfY2drb3N3e3+Dh4uPk5ebn6Onq6+zt7u/w8fLz9PX29/j5+vv8/f7/AQCAg75oAQ==
                """),
    ]
}
