/// Something that happened to the tokens, told while it happens.
package struct OriginNotice: Sendable {
    package enum Kind: Sendable {
        case revoked(tokens: Int, cells: Int)
        /// The first token of a cell.
        case first
        /// The first refusal of a generation.
        case expired(ExpiryRecord.Cause, generation: UInt64)
        /// The first renewal after it; nil: no request had met the end.
        case renewed(afterNS: UInt64?)
        case proactive
        /// On the only connection of the client.
        case start
        /// After requests without a token, or with one that was not issued here.
        case afterStrangers
        case needless
        case concurrent
        /// The last tile that was refused has come.
        case recovered(refusals: UInt64, afterNS: UInt64)
    }

    /// Whom it happened to; empty: everybody.
    package var subject: String
    package var kind: Kind
    /// Of the monotonic clock.
    package var atNS: UInt64

    /// "10.0.0.7: renewed 31 ms after the first refusal".
    package var sentence: String {
        let subject = subject.isEmpty ? "" : subject + ": "
        return switch kind {
        case .revoked(let tokens, let cells):
            "revoked \(tokens) \(tokens == 1 ? "token" : "tokens") of \(cells) "
                + (cells == 1 ? "cell" : "cells")
        case .first: subject + "first token"
        case .expired(.expired, let generation): subject + "token \(generation) expired: refused"
        case .expired(.revoked, let generation): subject + "token \(generation) revoked: refused"
        case .expired(.replicationLag, let generation):
            subject + "token \(generation) not known yet: refused"
        case .renewed(nil): subject + "renewed after the end of its token, before any refusal"
        case .renewed(let afterNS?):
            subject + "renewed \(afterNS / 1_000_000) ms after the first refusal"
        case .afterStrangers: subject + "renewed after its token was not known here"
        case .start: subject + "a token for a client started anew"
        case .proactive: subject + "renewed ahead of time"
        case .needless: subject + "NEEDLESS renewal: its token was good"
        case .concurrent: subject + "CONCURRENT renewal: another one was under way"
        case .recovered(let refusals, let afterNS):
            subject + "all tiles back \(afterNS / 1_000_000) ms after the first refusal, "
                + "\(refusals) refused"
        }
    }
}
