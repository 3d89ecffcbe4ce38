import Metrics
import Synchronization
import Workload

extension RenewalLoop {
    /// Takes what the answer brought; nil when the flight has done its work.
    func learn(
        _ flight: Running, _ answer: OneShot.Answer, _ store: TokenStore
    ) -> TokenFailure? {
        let setup = desk.setup
        let cell = flight.key.cell
        if answer.status > 0 { memory.keep(cookies: answer.cookies, of: cell) }
        switch TokenAnswer.parse(answer, rule: setup.rule) {
        case .failure(let failure):
            if setup.rule.rotates, let next = TokenAnswer.refreshToken(answer) {
                memory.keep(refreshToken: next, of: cell)
            }
            return failure
        case .success(var issued):
            if let next = issued.refreshToken { memory.keep(refreshToken: next, of: cell) }
            issued.refreshToken = memory.state(of: cell).refreshToken
            guard setup.fits(issued.credential) else {
                return .transient("a token too long for a tile's URL")
            }
            let sentNS = flight.tryNS + answer.sentNS
            return deliver(issued, flight, store, sentNS: sentNS)
        }
    }

    private func deliver(
        _ issued: IssuedToken, _ flight: Running, _ store: TokenStore, sentNS: UInt64
    ) -> TokenFailure? {
        let now = MonotonicClock.nowNS()
        let delivery = store.brought(
            flight: flight.key.flight, credential: issued.credential, sentNS: sentNS,
            lifeNS: issued.lifeNS, nowNS: now)
        // Whoever takes the token: the file must not keep a refresh token that is spent.
        if delivery == .taken || issued.refreshToken != nil { save(issued) }
        switch delivery {
        case .taken:
            desk.tally.withLock { $0.note(success: now) }
            return nil
        case .kept:
            desk.tally.withLock { $0.noteKept() }
            return nil
        case .same:
            desk.tally.withLock { $0.same += 1 }
            return .transient("the token endpoint gave the refused token again")
        case .abandoned:
            note(failure: "a token came when nobody waited for it any more", flight)
            return nil
        }
    }

    // MARK: books

    func note(failure text: String, _ flight: Running) {
        let masked = memory.masking(text, of: flight.key.cell, by: desk.setup.secrets)
        let now = MonotonicClock.nowNS()
        desk.tally.withLock { $0.note(failure: masked, nowNS: now) }
    }

    private func save(_ issued: IssuedToken) {
        guard let tokenFile = desk.setup.tokenFile else { return }
        do throws(TokenFileError) {
            try tokenFile.save(issued)
        } catch {
            let now = MonotonicClock.nowNS()
            desk.tally.withLock { $0.note(storeFailure: error.description, nowNS: now) }
        }
    }
}
