import TileModel

/// `t_ms,session,z,x,y[,action]`, with or without a first line of these names, which may put the
/// columns in another order. A time may have a fraction; the session is any text; every action
/// but `cancel` asks for the tile.
struct CSVColumns {
    private static let columnsMax = 32

    private var time = 0
    private var session = 1
    private var z = 2
    private var x = 3
    private var y = 4
    private var action = 5
    private var isFirst = true

    /// A line of names, or five fields of which all but the second are numbers.
    static func looksRight(_ line: Bytes) -> Bool {
        var columns = CSVColumns()
        switch columns.parse(line) {
        case .ask, .cancelled, .noTile: return true
        case .blank: return !line.trimmed.isEmpty && line[0] != UInt8(ascii: "#")
        case .badLine, .method, .time: return false
        }
    }

    mutating func parse(_ line: Bytes) -> LogLine {
        if line[0] == UInt8(ascii: "#") { return .blank }
        if isFirst {
            isFirst = false
            if readNames(line) { return .blank }
        }
        var fields = CSVFields()
        var (place, number) = (0, 0)
        while let field = CSVColumns.field(line, &place) {
            if number == time { fields.time = field }
            if number == session { fields.session = field }
            if number == z { fields.z = field.decimal }
            if number == x { fields.x = field.decimal }
            if number == y { fields.y = field.decimal }
            if number == action { fields.action = field }
            number += 1
        }
        guard let z = fields.z, let x = fields.x, let y = fields.y, let text = fields.time else {
            return .badLine
        }
        guard let timeNS = text.fixedPoint(places: 6).flatMap({ Int64(exactly: $0) }) else {
            return .time
        }
        if let action = fields.action, action.equalsFolded("cancel") { return .cancelled }
        guard let tile = TileID(checking: z, x, y) else { return .noTile }
        return .ask(timeNS: timeNS, session: fields.session?.sessionNumber ?? 0, .tile(tile))
    }

    /// Takes the order of the columns from a line of names; false: it is none.
    private mutating func readNames(_ line: Bytes) -> Bool {
        var columns = CSVColumns()
        (columns.time, columns.session, columns.z) = (-1, -1, -1)
        (columns.x, columns.y, columns.action, columns.isFirst) = (-1, -1, -1, false)
        var (place, number) = (0, 0)
        while number < CSVColumns.columnsMax, let field = CSVColumns.field(line, &place) {
            if field.equalsFolded("t_ms") { columns.time = number }
            if field.equalsFolded("session") { columns.session = number }
            if field.equalsFolded("z") { columns.z = number }
            if field.equalsFolded("x") { columns.x = number }
            if field.equalsFolded("y") { columns.y = number }
            if field.equalsFolded("action") { columns.action = number }
            number += 1
        }
        guard min(columns.time, columns.z, columns.x, columns.y) >= 0 else { return false }
        self = columns
        return true
    }

    /// The next field, without blanks around it and quotes; nil behind the last one.
    private static func field(_ line: Bytes, _ place: inout Int) -> Bytes? {
        guard place <= line.count else { return nil }
        var end = place
        var isQuoted = false
        while end < line.count, isQuoted || line[end] != UInt8(ascii: ",") {
            if line[end] == UInt8(ascii: "\"") { isQuoted.toggle() }
            end += 1
        }
        let field = line.part(place..<end).trimmed
        place = end + 1
        guard field.count >= 2, field[0] == UInt8(ascii: "\""),
            field[field.count - 1] == UInt8(ascii: "\"")
        else { return field }
        return field.part(1..<field.count - 1)
    }
}

private struct CSVFields {
    var time: Bytes?
    var session: Bytes?
    var z: UInt64?
    var x: UInt64?
    var y: UInt64?
    var action: Bytes?
}

extension Bytes {
    /// A number as itself, any other text by its fingerprint.
    fileprivate var sessionNumber: UInt64 { decimal ?? fingerprint }
}
