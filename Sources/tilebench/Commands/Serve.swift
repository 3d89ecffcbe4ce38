import Engine
import TileOrigin
import Workload

/// `tilebench serve`: the embedded tile server alone, until a signal comes.
enum ServeCommand {
    private static let hourNS: UInt64 = 3_600_000_000_000

    static func run(
        _ arguments: Arguments, console: Console
    ) throws(Failure) -> ExitCode {
        var listen = ListenAddress()
        if let text = arguments.value("listen") {
            guard let given = ListenAddress(text) else {
                throw Failure(
                    .usage, "--listen needs ADDRESS:PORT, as 127.0.0.1:8080, not \(quoted(text))",
                    help: .pointer(.serve))
            }
            listen = given
        }
        let isReferee = arguments.has("verdict")
        if !isReferee, arguments.value("out") != nil {
            throw Failure(.usage, "--out needs --verdict", help: .pointer(.serve))
        }
        // The flags are keys of a scenario: units, ranges and messages are the scenario's.
        var plan = try ScenarioInput.plan(
            text: #"{"target": {"origin": {}}}"#, label: "serve",
            overrides: try ScenarioOverrides.of(arguments))
        guard let origin = plan.target.origin else {
            preconditionFailure("target.origin was asked for")
        }
        plan.name = isReferee ? "referee" : plan.name
        var options = OriginOptions(origin, seed: plan.seed)
        options.listenAddress = listen.address
        options.port = listen.port
        options.isReferee = isReferee

        // Before the server's threads: it blocks the signals, which they must not get.
        let signals = SignalWatch()
        // Before anybody is judged: the judgement has a place to go to.
        let files = isReferee ? try RunFiles(arguments, plan: plan) : nil
        let server: TileOrigin
        do {
            server = try TileOrigin(options)
        } catch {
            throw Failure(.unmeasurable, error.description)
        }
        defer { server.stop() }
        if let files {
            return try RefereeCommand.run(server, signals: signals, files: files, console: console)
        }
        try console.print(greeting(server, options))
        while signals.next(withinNS: hourNS) == nil {}
        let ledger = server.statisticsJSON()
        try console.print(ledger.hasSuffix("\n") ? ledger : ledger + "\n")
        // A signal is how this command is meant to end.
        return .success
    }

    private static func greeting(_ server: TileOrigin, _ options: OriginOptions) -> String {
        let template = server.tileTemplate
        let auth = options.token == nil ? "" : " --set auth.renewal.url=\(server.address)/token"
        var text = "\(template)\n\n"
        text += "Try, from another terminal:\n"
        text += "  tilebench run '\(template)' --users 50 --for 10s\(auth)\n"
        text += "  tilebench probe '\(template)' --tile 3/4/2\(auth)\n"
        if options.token == nil {
            text += "  curl -o tile.\(options.tile.rawValue) "
            text += "\(server.address)/3/4/2.\(options.tile.rawValue)\n"
        } else {
            text += "  curl \(server.address)/token\n"
            text += "  curl -X POST \(server.address)/revoke\n"
        }
        text += "  curl \(server.address)/stats\n\n"
        return text
    }
}
