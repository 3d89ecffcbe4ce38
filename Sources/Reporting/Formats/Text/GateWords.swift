import Metrics

/// The observed number of a gate with its unit.
enum GateWords {
    static func observed(_ value: Double, in expression: String) -> String {
        // The report keeps the text of a gate; what it means is read from it as before the run.
        guard let gate = parsed(expression) else { return TextNumbers.significant(value) }
        guard gate.denominator == nil else {
            return isShare(gate) && expression.contains("%")
                ? TextNumbers.percent(value) : TextNumbers.significant(value)
        }
        let name = gate.numerator.segments.last ?? ""
        let unit = gate.numerator.unit
        return switch unit {
        case .milliseconds: TextNumbers.duration(ms: value)
        case .seconds: TextNumbers.duration(s: value)
        case .microseconds: TextNumbers.duration(ns: value * 1e3)
        case .bytes: TextNumbers.bytes(value)
        case .bytesPerSecond: TextNumbers.bytes(value) + "/s"
        case .perSecond: TextNumbers.significant(value) + "/s"
        case .ratio where name.hasSuffix("hit_rate") || name == "success_in_window":
            TextNumbers.percent(value)
        case .count where value >= 0 && value < 9e15 && value == value.rounded():
            TextNumbers.grouped(UInt64(value))
        default: TextNumbers.significant(value)
        }
    }

    private static func parsed(_ expression: String) -> GateExpression? {
        do throws(GateError) {
            return try GateExpression.parse(expression)
        } catch {
            // A report of a later minor version may name paths that are not known here.
            return nil
        }
    }

    private static func isShare(_ gate: GateExpression) -> Bool {
        gate.unit.timePower == 0 && gate.unit.bytePower == 0
    }
}
