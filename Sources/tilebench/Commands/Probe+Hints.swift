import Engine
import Metrics
import TileModel
import Workload

/// What looks wrong in a tile's answer, and what to do about it.
struct ProbeHints {
    var plan: Plan
    var tile: TileID
    var judgement: ProbeJudgement
    /// Asks for another tile in the same way and gives the status; each call is one request.
    var ask: (TileID) -> Int

    func of(_ answer: OneShot.Answer) -> [String] {
        if judgement.isRefusal || judgement.fitting?.isRefusal == true {
            return [refused(answer.status)]
        }
        switch answer.status {
        case 404, 410:
            return missing()
        case 300..<400 where answer.status != 304:
            return [
                "a redirect is an answer of its own here: allow it with connection.redirects, or "
                    + "ask for the address that it names"
            ]
        default:
            break
        }
        switch judgement.outcome {
        case .authExpired, .authDenied:
            return [refused(answer.status)]
        case .rateLimited:
            return ["the server limits the rate already: a load test would measure that limit"]
        case .gzipUndeclared:
            return ["many maps cannot read such a tile: the server should send Content-Encoding"]
        case .softError:
            return [notTile(answer)]
        default:
            return []
        }
    }

    /// The same place in the two other ways to count.
    private func missing() -> [String] {
        var hints: [String] = []
        let swapped = TileID(z: tile.z, x: tile.y, y: tile.x)
        if swapped != tile, isThere(swapped) {
            hints.append(
                "x and y look swapped: \(swapped) answers with a tile. Exchange {x} and {y} in the "
                    + "template")
        }
        let flipped = tile.flipped
        if flipped != tile, isThere(flipped) {
            let other = plan.target.sources[0].scheme == .tms ? "xyz" : "tms"
            hints.append(
                "the rows look counted from the other end: \(flipped) answers with a tile. Set "
                    + "target.scheme to \"\(other)\"")
        }
        guard hints.isEmpty, swapped != tile || flipped != tile else { return hints }
        return [
            "neither with x and y swapped nor with the rows counted from the other end is there a "
                + "tile: the zoom or place may have none, or the path may be another"
        ]
    }

    private func isThere(_ tile: TileID) -> Bool { (200..<300).contains(ask(tile)) }

    private func refused(_ status: Int) -> String {
        let profile = judgement.fitting.map { "\"profile\": \"\($0.profile.rawValue)\"" }
        guard let auth = plan.auth else {
            return "the server wants a token or key: see auth"
                + (profile.map { " (with \($0))" } ?? "")
                + ", or put a key into the template"
        }
        if judgement.lacksScope {
            return "the token is good, and not for this tile (insufficient_scope): a new one would "
                + "not help"
        }
        if judgement.isRefusal {
            return auth.renewal == nil
                ? "the token is refused, and nothing renews it: see auth.renewal"
                : "the token is refused although it is new: check auth.token, which says where "
                    + "it goes"
        }
        if let profile, judgement.fitting?.isRefusal == true {
            return "\(status) is taken as the tile's own here; with \(profile) in auth it is an "
                + "expired token"
        }
        let list = (auth.rejection.statuses + [status]).sorted().map(String.init)
        return "\(status) is taken as the tile's own here. If it means an expired token, list it "
            + "in auth: \"rejected_when\": {\"status\": [\(list.joined(separator: ", "))]}"
    }

    private func notTile(_ answer: OneShot.Answer) -> String {
        let first = answer.body.first { ![9, 10, 13, 32, 0xEF, 0xBB, 0xBF].contains($0) }
        switch first {
        case UInt8(ascii: "<"):
            return "a \(answer.status) with a page of HTML or XML is no tile: an error, a login?"
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            return "a \(answer.status) with JSON is no tile: an error in disguise?"
        default:
            return "a \(answer.status) whose body is no tile; checks.tile would count it as failed"
        }
    }
}
