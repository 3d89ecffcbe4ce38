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
        let documents = DocumentFetcher()
        let written = try ScenarioInput.plan(arguments, fetcher: documents)
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
        let choice = try choice(arguments, parts, plan)

        var text = ProbeText(secrets: plan.secrets)
        let fetcher = OneShot(connection: plan.connection)
        var request = ProbeRequest(plan: plan, templates: parts.templates)
        var failure: Failure?
        do {
            request.credential = try token(plan, documents.tokenAnswer, fetcher, &text)
        } catch {
            failure = error
        }
        if failure == nil {
            failure = ask(choice, request, fetcher, &text)
        }
        try console.print(text.text)
        if let failure { throw failure }
        return .success
    }

    private static func choice(
        _ arguments: Arguments, _ parts: RunParts, _ plan: Plan
    ) throws(Failure) -> TileChoice {
        guard let text = arguments.value("tile") else {
            var first: TileChoice?
            do throws(RunPartsError) {
                try parts.visitFirst(1, of: plan) { choice, _ in
                    first = choice
                    return false
                }
            } catch {
                throw Failure(.usage, error.description)
            }
            guard let first else {
                throw Failure(.usage, "the log asks for no tile", help: .pointer(.probe))
            }
            return first
        }
        do {
            return TileChoice(tile: try TileID(parsing: text))
        } catch {
            throw Failure(.usage, "--tile: \(error)", help: .pointer(.probe))
        }
    }

    /// The token the tile is asked with; nil without auth.
    private static func token(
        _ plan: Plan, _ known: OneShot.Answer?, _ fetcher: OneShot, _ text: inout ProbeText
    ) throws(Failure) -> Credential? {
        guard let auth = plan.auth else { return nil }
        if let token = auth.staticToken { return Credential(token) }
        guard let renewal = auth.renewal else { return nil }
        text.title("Token refresh")
        let file = TokenFile(plan)
        let isSpent = renewal.kind == .refreshToken
        let state = RenewalState(refreshToken: isSpent ? file?.load().refreshToken : nil)
        let answer =
            known
            ?? fetcher.fetch(
                OneShot.Request(
                    renewal: renewal, state: state, userAgent: plan.target.userAgent,
                    timeoutNS: renewal.timeoutNS))
        let rule = TokenAnswerRule(renewal, of: plan)
        let parsed = TokenAnswer.parse(answer, rule: rule)
        let refreshToken = rule.rotates ? TokenAnswer.refreshToken(answer) : nil
        // Known before anything of the answer is shown.
        if case .success(let issued) = parsed {
            for secret in [issued.credential.text] + issued.credential.parts { text.hide(secret) }
        }
        if let refreshToken { text.hide(refreshToken) }
        text.exchange(answer, verifies: plan.connection.verifies)
        if answer.status > 0 { text.tokenBody(answer) }
        switch parsed {
        case .success(let issued):
            text.line("token", "\(issued.credential.text.utf8.count) bytes" + life(issued))
            if refreshToken != nil {
                store(in: file, &text) { file throws(TokenFileError) in try file.save(issued) }
            }
            return issued.credential
        case .failure(let failure):
            let reason = plan.secrets.masking(failure.text)
            text.line("token", "none: \(reason)")
            if let refreshToken {
                store(in: file, &text) { file throws(TokenFileError) in
                    try file.save(refreshToken: refreshToken)
                }
            }
            throw Failure(.unmeasurable, "no token: \(reason)")
        }
    }

    /// The refresh token that was sent is spent: the next one must not be lost.
    private static func store(
        in file: TokenFile?, _ text: inout ProbeText,
        _ save: (TokenFile) throws(TokenFileError) -> Void
    ) {
        guard let file else {
            text.line(
                "hint",
                "the answer brought a new refresh token, and the scenario's may be spent; "
                    + "with auth.store the newest one is kept")
            return
        }
        do throws(TokenFileError) {
            try save(file)
        } catch {
            text.line("hint", error.description)
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
        _ choice: TileChoice, _ request: ProbeRequest, _ fetcher: OneShot, _ text: inout ProbeText
    ) -> Failure? {
        let plan = request.plan
        let name =
            plan.target.sources.count > 1
            ? " of \(plan.target.sources[Int(choice.source)].name)" : ""
        text.title("Tile \(choice.tile)" + name)
        let sent = request.of(choice)
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
        let hints = ProbeHints(plan: plan, tile: choice.tile, judgement: judgement) { other in
            fetcher.fetch(request.of(TileChoice(tile: other, source: choice.source))).status
        }
        for hint in hints.of(answer) { text.line("hint", hint) }
        return nil
    }
}
