import Engine
import Metrics

/// Asks, reactors, token cells, a token endpoint and a server, as a struct without clock or thread:
/// `choices` says what can happen next, `perform` makes one of it happen. Between two steps of one
/// of them anything of the others may happen, so that no speed is assumed.
///
/// The server judges a request when it arrives, and answers travel by themselves: they overtake
/// each other. What the server knows, the checks know too (`violations`).
package struct World: Sendable {
    struct Ask: Sendable {
        enum State: UInt8, Sendable {
            case queued, handed, onWire, accepted, refused, looked, parked, releasing, held, done
        }

        var state = State.queued
        var reactor: UInt8
        var cell: UInt8
        /// 1: of the layer that is always refused, if there is one.
        var layer: UInt8
        var isCanary = false
        var hasJoined = false
        /// Its user has come to it.
        var hasBegun = false
        var refusals = 0
        var sends = 0
        var losses = 0
        var generation: UInt64 = 0
        var serial: UInt64 = 0
        /// The generation of the last refusal, and of the one before it; 0: none.
        var refusedWith: UInt64 = 0
        var earlier: UInt64 = 0
        var waitsFor: UInt64 = 0
        var heldChanges: UInt64 = 0
        var sentNS: UInt64 = 0
        /// In steps: when it was sent, and from when on an accepted request is proof.
        var sentStep: UInt64 = 0
        var proofStep: UInt64 = 0
        var isOutdated = false
        var isKnownDead = false
        var look: TokenCell.Look?
        /// Expiries that its refusals were counted with.
        var events = InlineArray<8, Int32>(repeating: -1)
        var eventCount = 0
        var failure: AuthFailure?
    }

    /// What a reactor saw of a cell when it last looked, and knows of it by itself.
    struct View: Sendable {
        var changes = UInt64.max
        var sendsFreely = false
        var actsAtNS: UInt64 = 0
        var generation: UInt64 = 0
        var serial: UInt64 = 0
        var newsSeen: UInt64 = 0
        var confirmed: UInt64 = 0
        var acceptedSerial: UInt64 = 0
        var acceptedSentStep: UInt64 = 0
        /// Of `looseProof`.
        var acceptedGeneration: UInt64 = 0
    }

    struct Flight: Sendable {
        enum Phase: UInt8, Sendable {
            case waiting, out, bringing, failing, failingForGood, pausing, hanging
        }

        var number: UInt64
        var phase = Phase.waiting
        var tries = 1
        var token = 0
        var sentNS: UInt64 = 0
        /// Given up by the machine; what it brings may come all the same.
        var isGivenUp = false
    }

    /// A token cell with its endpoint, its server, and what the checks remember of it.
    struct Site: Sendable {
        var cell: TokenCell
        var news: UInt64 = 0
        var flights: [Flight] = []
        /// Tokens that the server honours, by bit, and when each was issued.
        var alive: UInt64 = 0
        var issued = 0
        var issuedNS: [UInt64] = [0]
        /// What each serial of the cell is; 0: nothing that was ever issued.
        var tokenOfSerial: [UInt8] = [0]

        var newestTaken = 0
        /// The generation whose renewal has begun and not failed.
        var begunFor = UInt64.max
        /// The last generation that asks had to wait for the replacement of.
        var blockedGeneration = UInt64.max
        /// The last generation in hand that was refused, whatever became of it.
        var refusedGeneration = UInt64.max
        /// The last generation that the bad layer refused.
        var layerRefused: UInt64 = 0
        /// Its text was spoilt: refusals may speak of a text that it has no more.
        var spoiltGeneration = UInt64.max
        /// Not refused, but found to go on after its told end.
        var keptGeneration: UInt64 = 0
        var barrenInARow = 0
        var tokensTaken: UInt64 = 0
        var tokensDropped: UInt64 = 0
        var heldCount: UInt64 = 0
        var parkedCount = 0
        var outdatedRead: UInt64 = 0
        var knownDeadRead: UInt64 = 0
    }

    package let policy: Policy
    var asks: [Ask]
    var views: [View]
    var sites: [Site]
    var troubles: Policy.Troubles
    package internal(set) var nowNS: UInt64 = 1_000_000_000
    /// The clock runs on with each step: real runs have no two equal times. Off, there are fewer
    /// different worlds.
    let hasRunningClock: Bool
    package internal(set) var steps: UInt64 = 0
    var done = 0
    var isOver = false
    /// Something went wrong that may make asks fail, or fail for good.
    var hasFailures = false
    var hasPermanentFailures = false
    /// Tokens that died, or came dead.
    var deaths = 0
    package internal(set) var violations: Violations = []
    /// The first of each, in words.
    package internal(set) var problems: [String] = []

    package init(_ policy: Policy, hasRunningClock: Bool = true) {
        self.policy = policy
        self.hasRunningClock = hasRunningClock
        troubles = policy.troubles
        var layers = Random(seed: policy.seed)
        var badInARow = 0
        asks = (0..<policy.asks).map { index in
            var isBad = index % 2 == 1
            if policy.isPatient {
                isBad = badInARow < Policy.badInARowMax && layers.below(10) < policy.badInTen
                badInARow = isBad ? badInARow + 1 : 0
            }
            return Ask(
                reactor: UInt8(index % policy.reactors),
                cell: UInt8(index / policy.reactors % policy.cells),
                layer: policy.hasBadLayer && isBad ? 1 : 0)
        }
        views = Array(repeating: View(), count: policy.reactors * policy.cells)
        sites = (0..<policy.cells).map { number in
            Site(
                cell: TokenCell(
                    limits: policy.limits, deviations: policy.deviations,
                    seed: policy.seed &+ UInt64(number)))
        }
        for number in sites.indices {
            if !hasRunningClock { sites[number].cell.stopJitter() }
            begin(number)
        }
    }

    private mutating func begin(_ number: Int) {
        let lifeNS = policy.toldLifeNS
        switch policy.start {
        case .stored:
            let token = issue(number, isAlive: true)
            sites[number].newestTaken = token
            sites[number].tokenOfSerial.append(UInt8(token))
            sites[number].cell.begin(
                Self.credential(token), isDummy: false, lifeNS: lifeNS, nowNS: nowNS)
        case .dummy:
            sites[number].tokenOfSerial.append(0)
            sites[number].cell.begin(Credential("dummy"), isDummy: true, nowNS: nowNS)
        case .renewed:
            transition(number) { cell, nowNS in
                let (flight, effects) = cell.beginByRenewal(nowNS: nowNS)
                return (flight, effects)
            }
        case .empty:
            break
        }
    }

    package var isFinished: Bool {
        done == asks.count && sites.allSatisfy { $0.flights.allSatisfy(\.isGivenUp) }
    }

    mutating func violate(_ violation: Violation, _ text: String = "") {
        guard violations.insert(Violations(violation)).inserted else { return }
        problems.append(
            "step \(steps): \(violation.rawValue)\(text.isEmpty ? "" : ": ")\(text)")
    }

    // MARK: tokens

    /// As many as the bits of `alive`, which no run comes near.
    static let tokensMax = 63
    private static let credentials = (0...tokensMax).map { Credential("s\($0)") }

    static func credential(_ token: Int) -> Credential { credentials[token] }

    /// The server makes a new token.
    mutating func issue(_ number: Int, isAlive: Bool) -> Int {
        sites[number].issued += 1
        let token = sites[number].issued
        if policy.revokesOlder {
            deaths += sites[number].alive.nonzeroBitCount
            sites[number].alive = 0
        }
        if isAlive, !policy.allDead {
            sites[number].alive |= 1 << UInt64(token)
        } else {
            deaths += 1
        }
        sites[number].issuedNS.append(nowNS)
        return token
    }

    func isAlive(_ token: Int, _ site: Site) -> Bool {
        guard site.alive & (1 << UInt64(token)) != 0 else { return false }
        return policy.lifeNS == .max || nowNS < site.issuedNS[token] + policy.lifeNS
    }

    /// The token of the text that the cell has in hand.
    func tokenInHand(_ site: Site) -> Int { Int(site.tokenOfSerial[Int(site.cell.serial)]) }
}
