/// The lines that are printed.
enum Table {
    private static let nameWidth = 34
    private static let numberWidth = 12

    static var header: String {
        line("operation", ["ns min", "ns median", "bytes", "allowed", ""])
    }

    static func row(_ budget: Budget, _ measurement: Measurement) -> String {
        var verdict = ""
        if let bytesMax = budget.bytesMax {
            verdict = measurement.bytes > bytesMax ? "OVER" : "ok"
        }
        return line(
            budget.name,
            [
                oneDecimal(measurement.minNS), oneDecimal(measurement.medianNS),
                oneDecimal(measurement.bytes), budget.bytesMax.map { oneDecimal($0) } ?? "-",
                verdict,
            ])
    }

    private static func line(_ name: String, _ columns: [String]) -> String {
        let padding = String(repeating: " ", count: max(0, nameWidth - name.count))
        return columns.reduce(name + padding) { line, column in
            line + String(repeating: " ", count: max(1, numberWidth - column.count)) + column
        }
    }

    /// Rounded up, so that nothing but nothing is shown as nothing.
    private static func oneDecimal(_ number: Double) -> String {
        let tenths = UInt64((number * 10).rounded(.up))
        return "\(tenths / 10).\(tenths % 10)"
    }
}
