/// What the server recorded of every client and cell: all that a judgement rests on. Times are of
/// the monotonic clock, in nanoseconds.
package struct RefereeBook: Sendable {
    /// Somebody's address.
    package struct Client: Sendable {
        package var address: String
        /// Refused requests for tiles without a token, and with one that was not issued here.
        package var missing: UInt64 = 0
        package var unknown: UInt64 = 0

        package init(address: String) {
            self.address = address
        }
    }

    /// The tokens of one client and name.
    package struct Cell: Sendable {
        /// The place of its client.
        package var client: Int
        /// Empty: the client named none.
        package var name: String
        package var counts = TokenCellCounts()
        /// Tiles handed out.
        package var delivered: UInt64 = 0
        package var outdatedSends: UInt64 = 0
        package var knownDeadSends: UInt64 = 0
        /// Tile addresses refused and not handed out since.
        package var tilesLeft: UInt64 = 0
        /// Most requests for one tile address until it was handed out.
        package var attemptsMax: UInt64 = 0
        /// The token issued last is neither expired nor revoked.
        package var isAlive = true
        /// Its first refusal, if there was one.
        package var firstRefusalNS: UInt64?
        /// Requests for a token since then.
        package var triesSinceRefusal: UInt64 = 0

        package init(client: Int, name: String) {
            self.client = client
            self.name = name
        }
    }

    package var clients: [Client] = []
    package var cells: [Cell] = []
    /// In the order of their first refusals.
    package var expiries: [ExpiryRecord] = []
    /// What there was no room for.
    package var expiriesOmitted: UInt64 = 0
    package var cellsOmitted: UInt64 = 0
    package var clientsOmitted: UInt64 = 0
    package var tilesOmitted: UInt64 = 0
    package var startedAtNS: UInt64 = 0
    package var endedAtNS: UInt64 = 0

    package init() {}

    /// Whom a sentence is about: `10.0.0.7`, or `10.0.0.7/ann` where the client named its cell.
    package func subject(_ cell: Int) -> String {
        RefereeBook.subject(clients[cells[cell].client].address, cell: cells[cell].name)
    }

    static func subject(_ address: String, cell: String) -> String {
        let subject = address.isEmpty ? "a client" : address
        return cell.isEmpty ? subject : subject + "/" + shown(cell)
    }

    /// Names come from requests: nothing in them may move a terminal's cursor, or fill the screen.
    private static func shown(_ name: String) -> String {
        let safe = name.unicodeScalars.prefix(64).map { scalar -> Character in
            scalar.properties.generalCategory == .control ? "?" : Character(scalar)
        }
        return String(safe)
    }
}
