import JSONText
import Metrics

/// Most tiles are denied with a status that the scenario does not take for an expired token: all at
/// once after they had been fine, or from the start. What the status means only the user can tell;
/// this says what was seen, and which key tells tilebench.
struct DenialAdvice {
    let status: Int
    /// Start of the interval that it began in, from T0; nil: most of the whole run.
    let sinceS: Double?
    /// Good tiles before.
    let okBefore: UInt64

    private let listed: [Int]
    private let auth: JSONNode?

    /// Fewer than so many on either side of a moment tell nothing.
    private static let tilesMin: UInt64 = 20
    /// Before the moment at most this share failed, and behind it at least that share was denied.
    private static let failedBeforeMax = 0.2
    private static let deniedBehindMin = 0.8

    /// Nil when there is nothing to say.
    init?(_ report: ReportLookup) {
        auth = report.node("scenario.plan.auth")
        listed = (auth?["rejected_when"]?["status"]?.array ?? []).compactMap(\.int)
        guard let status = Self.mostFrequent(report.node("status"), except: listed) else {
            return nil
        }
        self.status = status
        if let (sinceS, okBefore) = Self.moment(report.node("timeline")?.array ?? []) {
            (self.sinceS, self.okBefore) = (sinceS, okBefore)
            return
        }
        let answers = (report.node("status")?.members ?? []).reduce(0) {
            $0 + ($1.node.uint ?? 0)
        }
        guard report.count("status.\(status)") * 2 > answers else { return nil }
        (sinceS, okBefore) = (nil, 0)
    }

    private static func mostFrequent(_ counts: JSONNode?, except listed: [Int]) -> Int? {
        let denials = (counts?.members ?? []).compactMap { member -> (Int, UInt64)? in
            guard let status = Int(member.name), let count = member.node.uint, count > 0,
                TimelineRow.isDenial(status: status), !listed.contains(status)
            else { return nil }
            return (status, count)
        }
        return denials.max { $0.1 < $1.1 }?.0
    }

    /// The first interval that denies most tiles, where few failed before and nearly all behind it
    /// are denied. The interval itself may hold both.
    private static func moment(_ rows: [JSONNode]) -> (sinceS: Double, okBefore: UInt64)? {
        func sum(_ rows: ArraySlice<JSONNode>, _ name: String) -> UInt64 {
            rows.reduce(0) { $0 + ($1[name]?.uint ?? 0) }
        }
        let first = rows.firstIndex { row in
            let row = [row][...]
            return sum(row, "denied") * 2 > sum(row, "ok") + sum(row, "failed")
        }
        guard let first, let sinceS = rows[first]["t_s"]?.double else { return nil }
        let (before, behind) = (rows[..<first], rows[(first + 1)...])
        let endedBefore = sum(before, "ok") + sum(before, "failed")
        let endedBehind = sum(behind, "ok") + sum(behind, "failed")
        let okBefore = sum(rows[...first], "ok")
        // With neither there is no before and after, only a mixture.
        guard endedBefore + endedBehind > 0, okBefore >= tilesMin,
            sum(rows[first...], "denied") >= tilesMin,
            Double(sum(before, "failed")) <= failedBeforeMax * Double(endedBefore),
            Double(sum(behind, "denied")) >= deniedBehindMin * Double(endedBehind)
        else { return nil }
        return (sinceS, okBefore)
    }

    /// What was seen and what to set, in words.
    var sentence: String {
        let seen =
            sinceS.map {
                "From about \(TextNumbers.duration(s: $0)) on most tiles were answered \(status),"
                    + " after \(TextNumbers.count(okBefore, "good one"))."
            } ?? "Most answers are \(status)."
        return "\(seen) If that is how this server says that a token has expired, \(remedy)."
    }

    private var remedy: String {
        let rejected = (auth == nil ? [401, status] : listed + [status]).sorted()
        let unique = rejected.enumerated().filter { $0 == 0 || rejected[$0 - 1] != $1 }
        let list = unique.map { "\($0.element)" }.joined(separator: ", ")
        let key = "\"rejected_when\": {\"status\": [\(list)]}"
        guard let auth else {
            return "`auth` says how tokens are sent and renewed, with \(key)"
        }
        guard auth["renewal"] != nil else {
            return "give `auth.renewal` instead of the fixed token in `auth.static`, with \(key)"
        }
        let value = list.filter { $0 != " " }
        return "list it in `auth`: \(key), or --set 'auth.rejected_when.status=[\(value)]'"
    }
}
