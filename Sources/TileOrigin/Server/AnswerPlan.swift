/// What a request for a tile or a token will get, decided when it arrives and packed into a word,
/// so that it can wait in libmicrohttpd's per-request pointer while the request is delayed.
struct AnswerPlan: Equatable {
    enum Kind: UInt {
        case tile
        case refusal
        case fault
        /// A token is to be issued.
        case renewal
    }

    var kind = Kind.tile
    var edge = EdgeClass.none
    /// The verdict's raw value, or the index of the fault.
    var detail: UInt = 0

    /// Never 0 or 1, which mean other things in the pointer: see ``OriginService``.
    var word: UInt { detail << 8 | edge.rawValue << 4 | kind.rawValue << 2 | 2 }

    init(kind: Kind = .tile, detail: UInt = 0) {
        self.kind = kind
        self.detail = detail
    }

    /// nil: the word is not a plan's.
    init?(word: UInt) {
        guard word & 3 == 2, let kind = Kind(rawValue: word >> 2 & 3),
            let edge = EdgeClass(rawValue: word >> 4 & 15)
        else { return nil }
        self.kind = kind
        self.edge = edge
        detail = word >> 8
    }
}
