import TileModel
import Workload

/// A line of a web server's log, from the file to the ask.
struct ReplayPath: HotPath {
    struct State {
        let log: TemporaryLog
        let reader: ReplayReader
    }

    let operations = 10_000
    /// More than are ever read, ahead of the asks too.
    private static let lines = 250_000

    func setUp() throws -> State {
        let log = try TemporaryLog(lines: Self.lines) { number in
            let second = number / 1000 % 60
            let minute = number / 60_000
            let clock = "13:1\(minute):\(second < 10 ? "0" : "")\(second) +0000"
            return "192.0.2.\(number % 200) - - [10/Oct/2000:\(clock)]"
                + " \"GET /tiles/18/\(number)/\(number / 2).png?key=abc HTTP/1.1\" 200 2326"
                + " \"https://example.org/\" \"Mozilla/5.0\""
        }
        let reader = try ReplayReader(
            plan: ReplayPlan(file: log.path), path: log.path, templates: [])
        return State(log: log, reader: reader)
    }

    func run(_ state: inout State) -> UInt64 {
        var sum: UInt64 = 0
        for _ in 0..<operations {
            guard let entry = try? state.reader.next() else { return sum }
            sum &+= entry.tile.packed
        }
        return sum
    }

    func tearDown(_ state: State) { state.log.delete() }
}
