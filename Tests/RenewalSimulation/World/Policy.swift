package import Engine

/// The world that one run happens in: sizes, limits, the server's ways, and how much may go wrong.
package struct Policy: Sendable {
    package enum Start: UInt8, Sendable, CaseIterable { case stored, dummy, renewed, empty }

    /// A mistake of the machine's owner, as opposed to `Deviations`.
    package enum Flaw: UInt8, Sendable {
        case none
        /// Takes an answer to any later request for proof that the token works, although requests
        /// overtake each other.
        case weakProof
        /// Takes an answer to any text of the generation for proof, although one was spoilt.
        case looseProof
        /// Does not tell that the ask is gone that tried a new token.
        case silentCanary
    }

    /// How often each trouble may come.
    package struct Troubles: Sendable {
        package var kills = 0
        package var failures = 0
        package var permanentFailures = 0
        /// Renewals that hang, and others that the watchdog gives up.
        package var hangs = 0
        package var deadTokens = 0
        package var sameTokens = 0
        package var poisons = 0
        package var losses = 0
        package var cancels = 0
        package var timeOuts = 0
        package var jumps = 0
        package var shutDowns = 0
        /// How often the clock may run on to the next moment that matters.
        package var ticks = Int.max

        package init() {}
    }

    package var deviations: Deviations = []
    package var flaw = Flaw.none
    package var asks = 3
    package var reactors = 2
    package var cells = 1
    package var start = Start.stored
    package var limits = TokenCell.Limits()
    /// Tries of one flight.
    package var triesMax = 2
    /// Flights of all cells at once; the others wait.
    package var desk = 64
    package var troubles = Troubles()
    /// Each new token ends the older ones at the server.
    package var revokesOlder = true
    /// While the last token lives, the endpoint gives it again.
    package var givesLivingAgain = false
    /// Every new token is dead.
    package var allDead = false
    /// Every second ask wants a tile that is refused with any token.
    package var hasBadLayer = false
    /// So many asks at once: each user wants the next when one has ended.
    package var users = Int.max
    /// An ask is held for longer than an answer takes: it is overdue only when nothing else can
    /// happen. Tiles of the bad layer are drawn then, and none of the others may be lost.
    package var isPatient = false
    /// Of ten tiles so many are of the bad layer, where they are drawn; and never more in a row.
    package var badInTen = 5
    static let badInARowMax = 8
    /// What is told of the lives of tokens; nil: nothing.
    package var toldLifeNS: UInt64?
    /// After that the server ends a token by itself.
    package var lifeNS = UInt64.max
    /// A failed renewal asks for so long a pause.
    package var retryAfterNS: UInt64 = 0
    /// A renewal takes so much of the clock.
    package var renewalNS: UInt64 = 0
    /// Kinds of choices that come late, by bit.
    package var slowKinds: UInt32 = 0
    /// The clock runs on once in so many times that it could.
    package var tickOneIn = 8
    package var seed: UInt64 = 1

    package init() {}
}

extension Policy {
    /// Drawn by `seed`: from worlds where nothing goes wrong to those where everything does.
    package init(seed: UInt64, deviations: Deviations = [], flaw: Flaw = .none) {
        var random = Random(seed: seed)
        self.seed = seed
        self.deviations = deviations
        self.flaw = flaw
        if random.one(in: 12) {
            drawBadLayer(&random)
            return
        }
        asks = 2 + random.below(random.one(in: 8) ? 10 : 5)
        reactors = 1 + random.below(3)
        cells = random.one(in: 8) ? 2 + random.below(2) : 1
        desk = random.one(in: 4) ? 1 : 64
        start = Start.allCases[random.one(in: 3) ? random.below(4) : 0]
        limits.refusalsMax = 1 + random.below(3)
        limits.barrenMax = 1 + random.below(4)
        limits.sendsCanary = random.one(in: 4)
        if random.one(in: 16) { limits.parkedMax = 1 + random.below(3) }
        triesMax = 1 + random.below(3)
        revokesOlder = random.one(in: 2)
        givesLivingAgain = random.one(in: 6)
        allDead = random.one(in: 32)
        hasBadLayer = random.one(in: 6)
        drawLives(&random)
        drawTroubles(&random)
        if random.one(in: 2) {
            for _ in 0...random.below(3) { slowKinds |= 1 << UInt32(random.below(14)) }
        }
        if random.one(in: 2) { slowKinds |= 1 << UInt32(Choice.Kind.deliverLate.rawValue) }
        tickOneIn = [1, 4, 8, 32][random.below(4)]
    }

    /// Nothing goes wrong but that one layer is refused whatever the token.
    private mutating func drawBadLayer(_ random: inout Random) {
        isPatient = true
        hasBadLayer = true
        asks = 40
        users = [1, 2, 3, 5, 20, 40][random.below(6)]
        badInTen = [1, 5, 5, 7][random.below(4)]
        reactors = 1 + random.below(min(users, 2))
        start = random.one(in: 2) ? .renewed : .stored
        limits.sendsCanary = random.one(in: 4)
        // Asks that all begin at once come in any order, and canaries one after another: of 28 bad
        // ones among 40 sixteen in a row are too many to be told from a dead token.
        if limits.sendsCanary, users >= asks { badInTen = min(badInTen, 5) }
        revokesOlder = random.one(in: 2)
        if random.one(in: 2) { slowKinds |= 1 << UInt32(random.below(14)) }
    }

    private mutating func drawLives(_ random: inout Random) {
        if random.one(in: 6) { limits.renewBeforeNS = 0 }
        guard random.one(in: 3) else { return }
        let secondNS: UInt64 = 1_000_000_000
        let right: UInt64 = [1, 5, 20, 60][random.below(4)] * secondNS
        // Some of them right, some too short, too long or senseless, some of tokens that never end.
        toldLifeNS = [right, right, right / 2, right * 3, 0, 600_000_000, .max][random.below(7)]
        if random.one(in: 2) { lifeNS = right }
        if random.one(in: 4) { renewalNS = right / UInt64(1 + random.below(8)) }
    }

    private mutating func drawTroubles(_ random: inout Random) {
        func some(_ random: inout Random, oneIn: Int, upTo: Int) -> Int {
            random.one(in: oneIn) ? 1 + random.below(upTo) : 0
        }
        troubles.kills = random.below(4)
        if random.one(in: 3) { return }
        if random.one(in: 4) { retryAfterNS = UInt64(random.below(20)) * 1_000_000_000 }
        troubles.failures = some(&random, oneIn: 3, upTo: 6)
        troubles.permanentFailures = some(&random, oneIn: 12, upTo: 1)
        troubles.hangs = some(&random, oneIn: 3, upTo: 3)
        troubles.deadTokens = some(&random, oneIn: 4, upTo: 4)
        troubles.sameTokens = some(&random, oneIn: 5, upTo: 3)
        troubles.poisons = some(&random, oneIn: 5, upTo: 2)
        troubles.losses = some(&random, oneIn: 5, upTo: 4)
        troubles.cancels = some(&random, oneIn: 6, upTo: 3)
        troubles.timeOuts = some(&random, oneIn: 8, upTo: 2)
        troubles.jumps = some(&random, oneIn: 6, upTo: 2)
        troubles.shutDowns = some(&random, oneIn: 12, upTo: 1)
    }
}
