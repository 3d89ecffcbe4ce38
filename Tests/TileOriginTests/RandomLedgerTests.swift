import JSONText
import Testing
import TileOrigin

/// The ledger after random sequences of requests, against a record that is kept beside them and
/// read in the plainest way.
@Suite("Random ledgers")
struct RandomLedgerTests {
    /// One request and its answer; their places in the record are the clock.
    private struct Step {
        let connection: Int
        /// nil: a request for a token.
        let token: Int?
        let tile: Int
        let isRefused: Bool
    }

    private struct Record {
        var steps: [Step] = []
        /// Tokens so far, in the order of issue; all of one cell.
        var issued = 0
        var deadThrough = -1
        var needless = 0

        /// Requests with the token of that step that prove something: an answer on the connection
        /// came between a fact and the request.
        func proved(_ fact: (_ step: Int, _ token: Int) -> Int?) -> Int {
            steps.indices.count { index in
                guard let token = steps[index].token,
                    let answer = steps[..<index].lastIndex(where: {
                        $0.connection == steps[index].connection
                    }), knowsCell(before: index)
                else { return false }
                return fact(index, token).map { $0 <= answer } ?? false
            }
        }

        /// The server learns whose connection it is from the first token on it.
        private func knowsCell(before index: Int) -> Bool {
            steps[..<index].contains {
                $0.connection == steps[index].connection && $0.token != nil
            }
        }

        /// A newer token had been used.
        func isOutdated(_ index: Int, _ token: Int) -> Int? {
            steps[..<index].firstIndex { ($0.token ?? -1) > token }
        }

        /// A refusal of the token or a newer one had been read: on its connection something was
        /// asked for after it.
        func refusalRead(_ index: Int, _ token: Int) -> Int? {
            let refusals = steps[..<index].indices.filter {
                steps[$0].isRefused && (steps[$0].token ?? -1) >= token
            }
            let reads = refusals.compactMap { refusal in
                steps[...index][(refusal + 1)...].firstIndex {
                    $0.connection == steps[refusal].connection
                }
            }
            // On its own connection the refusal is the answer before: no other one needs to be.
            let own = refusals.contains { $0 == previous(index) }
            return own ? 0 : reads.filter { $0 < index }.min()
        }

        private func previous(_ index: Int) -> Int? {
            steps[..<index].lastIndex { $0.connection == steps[index].connection }
        }
    }

    @Test("The counts are those of the record", arguments: [1, 2, 3, 4, 5, 6, 7, 8] as [UInt64])
    func counts(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        try withOrigin {
            $0.token = .init()
            $0.seed = seed
        } _: { origin in
            let connections = try (0..<4).map { _ in try HTTPClient(port: origin.port) }
            var record = Record()
            var tokens: [String] = []
            var isExcused = true
            func renew(on connection: Int) throws {
                let answer = try parse(connections[connection].get("/token").text)
                tokens.append(try #require(answer["token"]?.string))
                let isAlive = record.issued > 0 && record.issued - 1 > record.deadThrough
                if isAlive, !isExcused { record.needless += 1 }
                isExcused = false
                record.issued += 1
                record.steps.append(
                    Step(connection: connection, token: nil, tile: 0, isRefused: false))
            }
            try renew(on: 0)
            for _ in 0..<300 {
                let connection = Int.random(in: 0..<4, using: &random)
                switch Int.random(in: 0..<20, using: &random) {
                case 0:
                    origin.revoke()
                    record.deadThrough = record.issued - 1
                case 1, 2:
                    try renew(on: connection)
                default:
                    // Mostly the newest token, sometimes an old one.
                    let back = Int.random(in: 0..<5, using: &random) == 0 ? 2 : 0
                    let token = max(record.issued - 1 - back, 0)
                    let tile = Int.random(in: 0..<12, using: &random)
                    let path = "/9/\(tile)/0.png?token=\(tokens[token])"
                    let status = try connections[connection].get(path).status
                    #expect(status == (token > record.deadThrough ? 200 : 401))
                    if status == 401, token == record.issued - 1 { isExcused = true }
                    record.steps.append(
                        Step(
                            connection: connection, token: token, tile: tile,
                            isRefused: status == 401))
                }
            }
            try compare(origin.statistics(), record)
        }
    }

    private func compare(_ truth: OriginStatistics, _ record: Record) throws {
        let outdated = record.proved(record.isOutdated)
        #expect(outdated > 0)
        #expect(truth.outdatedSends == UInt64(outdated))
        let knownDead = record.proved { index, token in
            // What is outdated is not counted twice.
            let isOutdated = record.proved { $0 == index ? record.isOutdated($0, $1) : nil } > 0
            return isOutdated ? nil : record.refusalRead(index, token)
        }
        #expect(knownDead > 0)
        #expect(truth.knownDeadSends == UInt64(knownDead))
        #expect(truth.tokens.issued == UInt64(record.issued))
        #expect(truth.tokens.duplicates == UInt64(record.needless))

        let refused = record.steps.filter(\.isRefused)
        #expect(truth.tiles.refused == UInt64(refused.count))
        let byToken = Dictionary(grouping: refused) { $0.token ?? -1 }
        #expect(truth.tokens.expiryEvents == UInt64(byToken.count))
        #expect(truth.tokens.stormMax == UInt64(byToken.values.map(\.count).max() ?? 0))
        let records = truth.expiries.records
        #expect(
            Dictionary(uniqueKeysWithValues: records.map { (Int($0.generation), $0.refusals) })
                == Dictionary(
                    uniqueKeysWithValues: byToken.map { ($0.key + 1, UInt64($0.value.count)) }))

        let byTile = Dictionary(grouping: record.steps.filter { $0.token != nil }, by: \.tile)
        let left = byTile.values.filter { $0.last?.isRefused == true }
        #expect(truth.tokens.asksLeftRejected == UInt64(left.count))
        let attempts = byTile.values.map { steps -> Int in
            let runs = steps.split { !$0.isRefused }
            return (runs.map(\.count).max() ?? 0) + 1
        }
        #expect(truth.tokens.attemptsMax == UInt64(attempts.max() ?? 0))
    }
}

/// SplitMix64, so that a seed says the whole sequence.
private struct SeededRandom: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }
}
