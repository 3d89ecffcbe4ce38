import JSONText
import Metrics

/// Times: a picture and a table.
extension TextSummary {
    static func addHistogram(_ report: ReportLookup, to page: inout TextPage) {
        guard let encoded = report.text("latency.response.all.histogram"),
            let times = decoded(encoded), times.count > 1,
            let leastMS = report.number("latency.response.all.min_ms"),
            let greatestMS = report.number("latency.response.all.max_ms")
        else { return }
        let buckets = LatencyBuckets(times, leastNS: leastMS * 1e6, greatestNS: greatestMS * 1e6)
        guard let most = buckets.rows.map(\.count).max(), most > 0 else { return }
        page.addBlank()
        page.add(
            line: "Response time of \(TextNumbers.count(times.count, "tile"))", .bold)
        let barWidth = 40
        for row in buckets.rows {
            let from = TextNumbers.duration(ns: Double(row.fromNS))
            let to = TextNumbers.duration(ns: Double(row.toNS))
            // A bucket that is not empty shows at least a mark.
            let length = row.count == 0 ? 0 : max(1, Int(row.count * UInt64(barWidth) / most))
            let bar = String(repeating: "█", count: length)
            page.add(
                line: "  " + padded(from, -7) + " .. " + padded(to, -7) + "  "
                    + padded(bar, barWidth) + padded(TextNumbers.grouped(row.count), -13))
        }
    }

    private static func decoded(_ text: String) -> Histogram? {
        do throws(HistogramEncodingError) {
            return try Histogram(encoded: text)
        } catch {
            // A report edited by hand: the figures beside the histogram are shown all the same.
            return nil
        }
    }

    static func addPercentiles(_ report: ReportLookup, to page: inout TextPage) {
        guard report.count("latency.response.all.count") > 0 else { return }
        let names = ReportJSON.percentiles.map(\.name) + ["max_ms"]
        let heads = ["p50", "p75", "p90", "p95", "p99", "p99.9", "max"]
        let widths = [16] + heads.map { _ in 9 }
        page.addBlank()
        page.add(row: [""] + heads, widths: widths, .bold)
        var isMarked = false
        for (label, path) in percentileRows(report) {
            guard let times = report.node(path), times["count"]?.uint ?? 0 > 0 else { continue }
            let coarse = (times["low_resolution"]?.array ?? []).compactMap(\.string)
            var cells = [label]
            for name in names {
                var cell = times[name]?.double.map { TextNumbers.duration(ms: $0) } ?? "-"
                if coarse.contains(name) {
                    cell += "*"
                    isMarked = true
                }
                cells.append(cell)
            }
            page.add(row: cells, widths: widths)
        }
        if isMarked {
            page.add(line: "* fewer than 10 tiles above it: take it as a hint", .faint)
        }
    }

    private static func percentileRows(_ report: ReportLookup) -> [(label: String, path: String)] {
        var rows = [("response", "latency.response.all")]
        if report.count("latency.response.failed.count") > 0 {
            rows.append(("  ok", "latency.response.ok"))
            rows.append(("  failed", "latency.response.failed"))
        }
        rows.append(("service", "latency.service.all"))
        rows += Phase.allCases.map {
            ("  " + String($0.key.map { $0 == "_" ? " " : $0 }), "phases.\($0.key)")
        }
        return rows
    }
}

/// Counts by ranges of time whose bounds are round numbers on a logarithmic scale.
struct LatencyBuckets {
    struct Row: Hashable {
        var fromNS: UInt64
        var toNS: UInt64
        var count: UInt64
    }

    private(set) var rows: [Row] = []

    /// - Parameters:
    ///   - leastNS: Exact, from beside the histogram.
    ///   - rowsMax: As few bounds per power of ten as this asks for, of 1, 2, 5; 1, 3; or 1.
    init(
        _ times: some HistogramReading, leastNS: Double, greatestNS: Double, rowsMax: Int = 12
    ) {
        var bounds: [UInt64] = []
        for steps in [[1, 2, 5], [1, 3], [1]] as [[UInt64]] {
            bounds = Self.bounds(steps: steps, leastNS: leastNS, greatestNS: greatestNS)
            if bounds.count - 1 <= rowsMax { break }
        }
        guard bounds.count > 1 else { return }
        rows = zip(bounds, bounds.dropFirst()).map { Row(fromNS: $0, toNS: $1, count: 0) }
        // A cell belongs to the range that its lowest value lies in: a thousandth at most goes to
        // the neighbour.
        let cells = bounds.dropFirst().map(HistogramLayout.index(of:))
        var row = 0
        times.visitCells { cell, count in
            while row < rows.count - 1, cell >= cells[row] { row += 1 }
            rows[row].count += count
            return true
        }
    }

    private static func bounds(
        steps: [UInt64], leastNS: Double, greatestNS: Double
    ) -> [UInt64] {
        var bounds: [UInt64] = []
        var power: UInt64 = 1
        while power <= HistogramLayout.highestNS {
            for step in steps {
                let bound = min(step * power, HistogramLayout.highestNS)
                if Double(bound) <= leastNS { bounds = [] }
                bounds.append(bound)
                if Double(bound) > greatestNS { return bounds }
            }
            power *= 10
        }
        return bounds
    }
}
