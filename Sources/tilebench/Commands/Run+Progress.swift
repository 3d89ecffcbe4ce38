import Engine
import Reporting

/// How a run's progress is shown on stderr.
enum ProgressKind: String, Sendable {
    /// One line that is written over.
    case bar
    /// A line every five seconds.
    case plain
    case none
}

/// Shows the snapshots of a run. Main thread only.
final class ProgressDisplay {
    private static let plainEveryNS: Int64 = 5_000_000_000
    private static let barColumns = 10

    private let kind: ProgressKind
    private let terminal: Terminal
    /// Without one the moments before T0 belong to the start.
    private let hasWarmup: Bool
    /// Columns that the line on the terminal takes.
    private var shown = 0
    /// When the next plain line is due.
    private var nextPlainNS = ProgressDisplay.plainEveryNS

    init(kind: ProgressKind, terminal: Terminal, hasWarmup: Bool) {
        self.kind = kind
        self.terminal = terminal
        self.hasWarmup = hasWarmup
    }

    func show(_ snapshot: ProgressSnapshot) {
        if snapshot.phase == .warmup, !hasWarmup { return }
        switch kind {
        case .none: break
        case .plain: plain(snapshot)
        case .bar: bar(snapshot)
        }
    }

    /// Takes the line away, at the end or for something else to be written.
    func clear() {
        if shown > 0 { _ = terminal.write("\r" + blanks(shown) + "\r") }
        shown = 0
    }

    private func plain(_ snapshot: ProgressSnapshot) {
        guard snapshot.elapsedNS >= nextPlainNS else { return }
        // A late snapshot does not bring several lines at once.
        nextPlainNS = (snapshot.elapsedNS / Self.plainEveryNS + 1) * Self.plainEveryNS
        let figures = figures(snapshot).joined(separator: ", ")
        _ = terminal.write("tilebench: \(clock(snapshot)): \(figures)\n")
    }

    private func bar(_ snapshot: ProgressSnapshot) {
        // The last column is left free: some terminals wrap when it is written to.
        let columnsMax = max(0, terminal.columns - 1)
        var line = "\(clock(snapshot))\(gauge(snapshot))"
        var separator = " "
        for part in figures(snapshot) {
            guard line.count + separator.count + part.count <= columnsMax else { break }
            line += separator + part
            separator = ", "
        }
        line = String(line.prefix(columnsMax))
        // Blanks instead of an escape code clear what a longer line left.
        _ = terminal.write("\r" + line + blanks(shown - line.count))
        shown = line.count
    }

    private func clock(_ snapshot: ProgressSnapshot) -> String {
        switch snapshot.phase {
        case .warmup: return "warm-up, \(seconds(-snapshot.elapsedNS)) s to go"
        // Only answers are waited for: the duration is over, or every ask is out before it is.
        case .draining: return "draining, \(seconds(snapshot.elapsedNS)) s"
        case .measuring:
            let all = snapshot.durationNS.map { " of \(seconds(Int64(clamping: $0)))" } ?? ""
            return "\(seconds(snapshot.elapsedNS))\(all) s"
        }
    }

    private func gauge(_ snapshot: ProgressSnapshot) -> String {
        var share: Double?
        if let duration = snapshot.durationNS {
            share = Double(snapshot.elapsedNS) / Double(duration)
        } else if let planned = snapshot.planned {
            share = Double(snapshot.started) / Double(planned)
        }
        guard let share, share.isFinite else { return "" }
        let full = Int(min(max(share, 0), 1) * Double(Self.barColumns))
        return " [" + String(repeating: "#", count: full)
            + String(repeating: "-", count: Self.barColumns - full) + "]"
    }

    /// The most telling first: a narrow terminal shows as many as it has room for.
    private func figures(_ snapshot: ProgressSnapshot) -> [String] {
        let perSecond = TextNumbers.grouped(UInt64(max(0, snapshot.okPerS.rounded())))
        var parts = [
            "\(TextNumbers.grouped(snapshot.ok)) ok (\(perSecond)/s)",
            "\(TextNumbers.grouped(snapshot.failed)) failed",
        ]
        if snapshot.parked > 0 {
            parts.append("\(TextNumbers.grouped(snapshot.parked)) waiting for a token")
        }
        if let p99 = snapshot.p99NS { parts.append("p99 \(time(p99))") }
        if snapshot.renewals > 0 {
            parts.append(
                TextNumbers.count(snapshot.renewals, "token refresh", "token refreshes"))
        }
        parts.append("\(TextNumbers.grouped(snapshot.inFlight)) in flight")
        if let p50 = snapshot.p50NS { parts.append("p50 \(time(p50))") }
        return parts
    }

    private func time(_ ns: UInt64) -> String { TextNumbers.duration(ns: Double(ns)) }

    /// `12.3`.
    private func seconds(_ ns: Int64) -> String {
        TextNumbers.fixed(Double(ns) / 1e9, decimals: 1)
    }

    private func blanks(_ count: Int) -> String { String(repeating: " ", count: max(0, count)) }
}
