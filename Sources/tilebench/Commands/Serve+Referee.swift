import Engine
import Glibc
import JSONText
import Metrics
import Reporting
import TileOrigin

/// `tilebench serve --verdict`: judges the token renewal of the clients that come, until a signal.
enum RefereeCommand {
    private static let lookEveryMS: Int32 = 200

    static func run(
        _ server: TileOrigin, signals: SignalWatch, files: RunFiles, console: Console
    ) throws(Failure) -> ExitCode {
        var keys = KeyReader()
        defer { keys?.restore() }
        let startedNS = Int64(MonotonicClock.epochNS())
        try console.print(greeting(server, hasKeys: keys != nil))
        var isDone = false
        while !isDone {
            isDone = wait(signals, &keys) { server.revoke() }
            tell(server, console, isLast: isDone)
        }
        keys?.restore()
        guard let book = server.refereeBook() else {
            preconditionFailure("a referee's server has tokens")
        }
        let verdict = book.judge()
        let report = report(verdict, book, server, startedNS: startedNS)
        let problem = files.write(referee: report)
        try console.print(RefereeText.text(report))
        if let problem {
            console.note(problem)
            return .usage
        }
        if let problem = files.linkLatest() { console.note(problem) }
        console.note("files in \(files.folder.path)")
        return verdict.outcome == .fail ? .gateFailed : .success
    }

    /// Waits a moment for a signal or a key; true: a signal has come.
    private static func wait(
        _ signals: SignalWatch, _ keys: inout KeyReader?, expire: () -> Void
    ) -> Bool {
        var waited = [pollfd(fd: signals.descriptor, events: Int16(POLLIN), revents: 0)]
        if let keys {
            waited.append(pollfd(fd: keys.descriptor, events: Int16(POLLIN), revents: 0))
        }
        poll(&waited, nfds_t(waited.count), lookEveryMS)
        if let terminal = keys, waited[1].revents != 0 {
            switch terminal.next() {
            case UInt8(ascii: "e"): expire()
            case nil: keys = nil  // The terminal is gone.
            default: break
            }
        }
        return signals.next(withinNS: 0) != nil
    }

    private static func tell(_ server: TileOrigin, _ console: Console, isLast: Bool) {
        let (notices, omitted) = server.takeNotices(isLast: isLast)
        for notice in notices {
            let tenths = (notice.atNS - min(server.startedAtNS, notice.atNS)) / 100_000_000
            console.show("\(tenths / 10).\(tenths % 10) s  \(notice.sentence)\n")
        }
        if omitted > 0 { console.show("and \(omitted) more\n") }
    }

    private static func greeting(_ server: TileOrigin, hasKeys: Bool) -> String {
        let address = server.address
        var text = "\(server.tileTemplate)?access_token={token}\n\n"
        text +=
            "Point the app that is to be judged at one of these; from another device, with the\n"
        text += "address of this machine:\n"
        text += "  tokens    \(address)/token\n"
        text += "  TileJSON  \(address)/tiles.json\n"
        text += "  style     \(address)/style.json\n"
        text += "  WMTS      \(address)/wmts/1.0.0/WMTSCapabilities.xml\n"
        text += "All tokens end now with: "
        text += (hasKeys ? "the key e, or " : "") + "curl -X POST \(address)/revoke\n"
        return text + "Control-C ends this and gives the verdict.\n\n"
    }

    private static func report(
        _ verdict: RefereeVerdict, _ book: RefereeBook, _ server: TileOrigin, startedNS: Int64
    ) -> JSONNode {
        let tool = ToolVersion.facts()
        let head: [(String, JSONNode)] = [
            ("kind", .string(RefereeText.kind)), ("version", .int(1)),
            (
                "tool",
                .object([("version", .string(tool.version)), ("commit", .string(tool.commit))])
            ),
            ("started", .string(UTCTime(epochNS: startedNS).rfc3339)),
            ("address", .string(server.address)),
        ]
        return .object(
            head + verdict.members(book) + [("server", server.statistics().json)])
    }
}

/// The referee's report for people.
enum RefereeText {
    static let kind = "referee"

    /// Of a report.json whose `kind` is the referee's.
    static func text(_ report: JSONNode) -> String {
        let clients = (report["clients"]?.array ?? []).compactMap { $0["sentence"]?.string }
        let strangers = (report["strangers"]?.array ?? []).compactMap { $0.string }
        let verdict = report["sentence"]?.string ?? ""
        var lines = [verdict] + clients + strangers
        let omitted = (report["omitted"]?.members ?? []).filter { $0.node.int ?? 0 > 0 }
        for member in omitted {
            lines.append("There was no room for \(member.node.int ?? 0) \(member.name) more.")
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
