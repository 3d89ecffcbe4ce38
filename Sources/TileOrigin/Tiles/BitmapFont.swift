/// Glyphs of 5 by 7 pixels for what a tile says of itself: digits and the slash.
enum BitmapFont {
    static let width = 5
    static let height = 7
    /// From the left edge of one glyph to that of the next.
    static let advance = 6

    /// The rows of a glyph from the top; bit 4 is the left pixel.
    static func rows(_ character: UInt8) -> [UInt8] {
        switch character {
        case UInt8(ascii: "0"): digits[0]
        case UInt8(ascii: "1")...UInt8(ascii: "9"): digits[Int(character) - 48]
        case UInt8(ascii: "/"): [0b00001, 0b00001, 0b00010, 0b00100, 0b01000, 0b10000, 0b10000]
        default: preconditionFailure("no glyph for character \(character)")
        }
    }

    private static let digits: [[UInt8]] = [
        [0b01110, 0b10001, 0b10011, 0b10101, 0b11001, 0b10001, 0b01110],
        [0b00100, 0b01100, 0b00100, 0b00100, 0b00100, 0b00100, 0b01110],
        [0b01110, 0b10001, 0b00001, 0b00010, 0b00100, 0b01000, 0b11111],
        [0b11111, 0b00010, 0b00100, 0b00010, 0b00001, 0b10001, 0b01110],
        [0b00010, 0b00110, 0b01010, 0b10010, 0b11111, 0b00010, 0b00010],
        [0b11111, 0b10000, 0b11110, 0b00001, 0b00001, 0b10001, 0b01110],
        [0b00110, 0b01000, 0b10000, 0b11110, 0b10001, 0b10001, 0b01110],
        [0b11111, 0b00001, 0b00010, 0b00100, 0b01000, 0b01000, 0b01000],
        [0b01110, 0b10001, 0b10001, 0b01110, 0b10001, 0b10001, 0b01110],
        [0b01110, 0b10001, 0b10001, 0b01111, 0b00001, 0b00010, 0b01100],
    ]
}
