import Engine
import Glibc
import Reporting
import TileModel
import Workload

/// `tilebench probe`: one tile for real, and one renewal if there is auth, shown in full.
enum ProbeCommand {
    static func run(
        _ arguments: Arguments, console: Console
    ) throws(Failure) -> ExitCode {
        let written = try ScenarioInput.plan(arguments)
        for note in written.notes { console.note(note) }
        let origin = try EmbeddedOrigin(written)
        defer { origin?.stop() }
        let plan = origin?.plan ?? written
        let parts: RunParts
        do {
            parts = try RunParts(plan: plan)
        } catch {
            throw Failure(.usage, error.description)
        }
        let tile = try tile(arguments, parts)

        var text = ProbeText(secrets: plan.secrets)
        let fetcher = OneShot(connection: plan.connection)
        var request = ProbeRequest(plan: plan, templates: parts.templates)
        var failure: Failure?
        do {
            request.token = try token(plan, fetcher, &text)
        } catch {
            failure = error
        }
        if failure == nil {
            failure = ask(tile, request, fetcher, &text)
        }
        try console.print(text.text)
        if let failure { throw failure }
        return .success
    }

    private static func tile(
        _ arguments: Arguments, _ parts: RunParts
    ) throws(Failure) -> TileID {
        guard let text = arguments.value("tile") else { return parts.stream.tile(at: 0) }
        do {
            return try TileID(parsing: text)
        } catch {
            throw Failure(.usage, "--tile: \(error)", help: .pointer(.probe))
        }
    }

    /// The token the tile is asked with; nil without auth.
    private static func token(
        _ plan: Plan, _ fetcher: OneShot, _ text: inout ProbeText
    ) throws(Failure) -> String? {
        guard let auth = plan.auth else { return nil }
        if let token = auth.staticToken { return token }
        guard let renewal = auth.renewal else { return nil }
        text.title("Token refresh")
        let answer = fetcher.fetch(
            OneShot.Request(
                renewal: renewal, userAgent: plan.target.userAgent,
                timeoutNS: renewal.timeoutNS))
        let parsed = TokenAnswer.parse(
            answer, tokenPath: renewal.tokenPath, expiresPath: renewal.expiresPath)
        // Known before anything of the answer is shown.
        if case .success(let issued) = parsed { text.hide(issued.text) }
        text.exchange(answer, verifies: plan.connection.verifies)
        if answer.status > 0 { text.tokenBody(answer) }
        switch parsed {
        case .success(let issued):
            text.line("token", "\(issued.text.utf8.count) bytes" + life(issued))
            return issued.text
        case .failure(let failure):
            let reason = plan.secrets.masking(failure.text)
            text.line("token", "none: \(reason)")
            throw Failure(.unmeasurable, "no token: \(reason)")
        }
    }

    private static func life(_ issued: IssuedToken) -> String {
        guard let end = issued.expiresAtEpochS else {
            return "; its answer does not say for how long it is good"
        }
        return ", good for \(TextNumbers.duration(s: end - epochSeconds())) by its answer"
    }

    private static func epochSeconds() -> Double {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        return Double(now.tv_sec) + Double(now.tv_nsec) / 1e9
    }

    /// Nil when an answer came, whatever it says.
    private static func ask(
        _ tile: TileID, _ request: ProbeRequest, _ fetcher: OneShot, _ text: inout ProbeText
    ) -> Failure? {
        let plan = request.plan
        text.title("Tile \(tile)")
        let sent = request.of(tile)
        let answer = fetcher.fetch(sent)
        text.exchange(answer, verifies: plan.connection.verifies)
        guard answer.status > 0 else {
            let reason = answer.failure ?? "no answer"
            return Failure(.unmeasurable, "the tile was not answered: \(reason)")
        }
        text.body(answer)
        let judgement = ProbeJudgement(answer, url: sent.url, plan: plan)
        text.line("cache", judgement.cacheText)
        text.line("outcome", judgement.outcomeText)
        if let profile = judgement.profileText { text.line("profile", profile) }
        let hints = ProbeHints(plan: plan, tile: tile, judgement: judgement) { other in
            fetcher.fetch(request.of(other)).status
        }
        for hint in hints.of(answer) { text.line("hint", hint) }
        return nil
    }
}
