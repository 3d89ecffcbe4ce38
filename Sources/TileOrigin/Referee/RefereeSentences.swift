/// The words of the referee.
extension RefereeBook {
    func sentence(
        _ outcome: RefereeVerdict.Outcome, rows: [RefereeVerdict.Row], strangers: [String]
    ) -> String {
        let failed = rows.count { $0.outcome == .fail }
        let passed = rows.count { $0.outcome == .pass }
        switch outcome {
        case .fail:
            // One renewal for each expiry may still be followed by sends with a dead token.
            let isSingle = rows.allSatisfy {
                $0.charges.allSatisfy { $0 != .concurrent && $0 != .needless }
            }
            return "Renewal was not \(isSingle ? "right" : "single"): \(failed) of "
                + "\(count(rows.count, "client")) failed."
        case .pass:
            return "Renewal was single: \(count(passed, "client")) passed."
        case .notJudged:
            if rows.isEmpty, strangers.isEmpty {
                return "Nothing was judged: nobody asked for a tile or a token."
            }
            return "Nothing was judged: no client met an expiry that it had to renew."
        }
    }

    /// What follows the name of the client.
    func sentence(_ cell: Cell, neverRenewed: Bool) -> String {
        guard cell.counts.issued > 0 else {
            return "asked \(times(cell.counts.requests)) for a token and got none."
        }
        var sentences = [renewals(cell)]
        if cell.counts.refreshTokenReuse > 0 {
            sentences.append(
                "It used a refresh token again that it had used before, "
                    + "\(times(cell.counts.refreshTokenReuse)).")
        }
        if let open = unrenewed(cell, neverRenewed: neverRenewed) { sentences.append(open) }
        if cell.knownDeadSends > 0 {
            sentences.append(
                "It sent \(count(cell.knownDeadSends, "request")) with a token whose refusal it had"
                    + " read.")
        }
        if cell.outdatedSends > 0 {
            sentences.append(
                "It sent \(count(cell.outdatedSends, "request")) with an old token although it had"
                    + " used a newer one.")
        }
        if let refused = refused(cell) { sentences.append(refused) }
        return sentences.joined(separator: " ")
    }

    /// "renewed 3 times for 1 expiry: 2 needless, 1 of them while another renewal was under way."
    private func renewals(_ cell: Cell) -> String {
        let duplicates = cell.counts.duplicates
        if cell.expiries == 0, cell.renewals == 0 {
            return "met no expiry: there is nothing to judge."
        }
        let renewed = cell.renewals == 0 ? "did not renew" : "renewed \(times(cell.renewals))"
        var text = renewed + " for \(count(cell.expiries, "expiry"))"
        if cell.counts.proactive > 0 {
            text += ", \(cell.counts.proactive) of them ahead of time"
        }
        guard duplicates > 0 else {
            return text + (cell.renewals > 0 ? ": each renewal was single." : ".")
        }
        text += ": \(duplicates) needless"
        if cell.counts.concurrent > 0 {
            text += ", \(cell.counts.concurrent) of them while another renewal was under way"
        }
        return text + "."
    }

    /// Of the token that it has at the end.
    private func unrenewed(_ cell: Cell, neverRenewed: Bool) -> String? {
        if cell.isAlive { return nil }
        guard let firstNS = cell.firstRefusalNS else {
            return "It asked for nothing after its last token ended."
        }
        let agoNS = MonotonicClock.elapsedNS(from: firstNS, to: endedAtNS)
        let agoS = Double(agoNS / 100_000_000) / 10
        if neverRenewed {
            return "Its last token was refused \(agoS) s before the end, and it never asked for a"
                + " new one."
        }
        if cell.triesSinceRefusal > 0 {
            return "For its last expiry it asked \(times(cell.triesSinceRefusal)) for a token and"
                + " got none."
        }
        return "Its last token was refused \(agoS) s before the end: too late to judge."
    }

    private func refused(_ cell: Cell) -> String? {
        guard cell.counts.refusals > 0 else { return nil }
        var text = "\(count(cell.counts.refusals, "request")) "
        text += (cell.counts.refusals == 1 ? "was" : "were") + " refused"
        if cell.tilesLeft > 0 {
            text += ", and \(count(cell.tilesLeft, "tile")) never asked for again with success"
        } else {
            text += ", and every tile of them came in the end"
        }
        return text + "."
    }

    /// Of a client that asked for tiles and never for a token.
    func stranger(_ index: Int) -> String? {
        let client = clients[index]
        let refused = client.missing + client.unknown
        guard refused > 0 else { return nil }
        let kind =
            client.unknown == 0
            ? "without a token"
            : client.missing == 0
                ? "with a token that was not issued here"
                : "without a token, or with one that was not issued here"
        return
            "\(client.address) sent \(count(refused, "request")) \(kind), and never asked for one."
    }

    private func times(_ number: UInt64) -> String {
        switch number {
        case 1: "once"
        case 2: "twice"
        default: "\(number) times"
        }
    }

    private func count(_ number: some BinaryInteger, _ noun: String) -> String {
        if number == 1 { return "1 \(noun)" }
        return noun == "expiry" ? "\(number) expiries" : "\(number) \(noun)s"
    }
}
