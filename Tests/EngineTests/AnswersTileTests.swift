import Metrics
import Testing
import Workload

@testable import Engine

@Suite struct AnswersTileTests {
    typealias Bytes = [UInt8]

    static let png: Bytes = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13]
    static let jpeg: Bytes = [0xFF, 0xD8, 0xFF, 0xE0, 0, 16]
    static let webp = Bytes("RIFF".utf8) + [9, 9, 9, 9] + Bytes("WEBPVP8 ".utf8)
    /// One layer: name "a", extent 4096, version 2.
    static let mvt: Bytes = [0x1A, 8, 0x0A, 1, 0x61, 0x28, 0x80, 0x20, 0x78, 2]

    static func kind(_ bytes: Bytes, whole: Int? = nil) -> TileBytes {
        bytes.withUnsafeBufferPointer {
            TileBytes(prefix: $0, bodyBytes: UInt64(whole ?? bytes.count))
        }
    }

    @Test func kinds() {
        #expect(Self.kind(Self.png) == .png)
        #expect(Self.kind(Self.jpeg) == .jpeg)
        #expect(Self.kind(Self.webp) == .webp)
        #expect(Self.kind(Bytes("GIF89a".utf8)) == .gif)
        #expect(Self.kind(Bytes("GIF87a".utf8)) == .gif)
        #expect(Self.kind([0x1F, 0x8B]) == .gzip)
        #expect(Self.kind(Bytes(" [1]".utf8)) == .json)
        #expect(Self.kind(Bytes("\u{FEFF}\n<html>".utf8)) == .markup)
        #expect(Self.kind([]) == .unknown)
        #expect(Self.kind(Bytes("Not found".utf8)) == .unknown)
        for whole in [Self.png, Self.jpeg, Self.webp] {
            #expect(Self.kind(Bytes(whole.prefix(2))) == .unknown)
        }
    }

    @Test func vectorTiles() {
        #expect(Self.kind(Self.mvt) == .mvt)
        #expect(Self.kind(Self.mvt + Self.mvt) == .mvt)
        // An extension field (16, a varint) beside the layer.
        #expect(Self.kind(Self.mvt + [0x80, 0x01, 5]) == .mvt)
        // The rest of the layer is beyond what was kept, but within the body.
        let long: Bytes = [0x1A, 0xE8, 0x07, 0x0A, 1, 0x61]
        #expect(Self.kind(long, whole: 1003) == .mvt)
        // The layer is longer than the body.
        #expect(Self.kind(long, whole: 1002) == .unknown)
        #expect(Self.kind(Bytes(Self.mvt.dropLast())) == .unknown)
        // Cut inside the second tag's length.
        #expect(Self.kind(Self.mvt + [0x1A], whole: 100) == .mvt)
        #expect(Self.kind(Self.mvt + [0x1A]) == .unknown)
        // Field 1 is none of a tile's; neither are these wire types.
        #expect(Self.kind([0x0A, 1, 0]) == .unknown)
        #expect(Self.kind([0x18, 1]) == .unknown)
        #expect(Self.kind(Self.mvt + [0x83, 0x01, 5]) == .unknown)
        #expect(Self.kind([0x1A, 0]) == .unknown)
        #expect(Self.kind([0x1A, 3, 0x09, 1, 2]) == .unknown)
        // A length of more than 64 bits.
        #expect(Self.kind([0x1A] + Bytes(repeating: 0xFF, count: 12)) == .unknown)
    }

    static func defect(
        _ tile: ChecksPlan.TileFormat, _ body: Bytes, type: String = "image/png",
        status: Int = 200, min: Int? = nil, max: Int? = nil, wireBytes: UInt64? = nil
    ) -> TileDefect? {
        var plan = ChecksPlan()
        plan.tile = tile
        plan.bytesMin = min
        plan.bytesMax = max
        return body.withUnsafeBufferPointer {
            TileCheck(plan).defect(
                status: status, facts: facts([("Content-Type", type)]), prefix: $0,
                bodyBytes: UInt64(body.count), wireBytes: wireBytes ?? UInt64(body.count))
        }
    }

    /// The limits speak of what came over the wire, the format of what was unpacked from it.
    @Test func limitsAreOfTheWire() {
        #expect(Self.defect(.png, Self.png, min: 100, wireBytes: 200) == nil)
        #expect(Self.defect(.png, Self.png, max: 100, wireBytes: 200) == .tooLarge)
        #expect(Self.defect(.png, Self.png, min: 2, wireBytes: 1) == .tooSmall)
    }

    @Test func formats() {
        let bodies: [(ChecksPlan.TileFormat, Bytes)] = [
            (.png, Self.png), (.jpeg, Self.jpeg), (.webp, Self.webp), (.mvt, Self.mvt),
        ]
        for (wanted, _) in bodies {
            for (format, body) in bodies {
                #expect(Self.defect(wanted, body) == (wanted == format ? nil : .format))
            }
        }
        for (_, body) in bodies { #expect(Self.defect(.auto, body) == nil) }
        for wanted in [ChecksPlan.TileFormat.png, .jpeg, .webp, .mvt, .auto] {
            #expect(Self.defect(wanted, Bytes("<html>".utf8)) == .format)
            #expect(Self.defect(wanted, [0x1F, 0x8B, 8]) == .format)
            #expect(Self.defect(wanted, Bytes("{}".utf8), status: 404) == nil)
            #expect(Self.defect(wanted, [], status: 204) == nil)
            #expect(Self.defect(wanted, [], status: 304) == nil)
        }
        #expect(Self.defect(.none, Bytes("<html>".utf8)) == nil)
        #expect(Self.defect(.auto, [0, 0, 0, 0x20], type: "image/avif") == nil)
        #expect(Self.defect(.auto, [0, 0, 0, 0x20], type: "image/png") == .format)
    }

    @Test func emptyBodies() {
        #expect(Self.defect(.mvt, [], type: "application/vnd.mapbox-vector-tile") == nil)
        #expect(Self.defect(.auto, [], type: "application/x-protobuf") == nil)
        #expect(Self.defect(.auto, []) == .format)
        #expect(Self.defect(.auto, [], type: "text/html") == .format)
        #expect(Self.defect(.png, []) == .format)
        #expect(Self.defect(.mvt, [], type: "application/x-protobuf", min: 1) == .tooSmall)
    }

    @Test func sizes() {
        #expect(Self.defect(.none, Self.png, min: 12, max: 12) == nil)
        #expect(Self.defect(.none, Self.png, min: 13) == .tooSmall)
        #expect(Self.defect(.none, Self.png, max: 11) == .tooLarge)
        #expect(Self.defect(.png, Self.jpeg, min: 100) == .format)
        #expect(Self.defect(.none, [], status: 204, min: 1) == nil)
        #expect(!TileCheck(ChecksPlan()).needsBody)
    }
}
