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
            if setup.rule.rotates { keepAlone(TokenAnswer.refreshToken(answer), of: cell) }
            return failure
        case .success(var issued):
            guard setup.fits(issued.credential) else {
                keepAlone(issued.refreshToken, of: cell)
                return .transient("a token too long for a tile's URL")
            }
            if let next = issued.refreshToken { memory.keep(refreshToken: next, of: cell) }
            issued.refreshToken = memory.state(of: cell).refreshToken
            let sentNS = flight.tryNS + answer.sentNS
            return deliver(issued, flight, store, sentNS: sentNS)
        }
    }

    /// The token beside it is of no use, but the refresh token that asked for it is spent.
    private func keepAlone(_ refreshToken: String?, of cell: Int) {
        guard let refreshToken, memory.keep(refreshToken: refreshToken, of: cell) else { return }
        write { file throws(TokenFileError) in try file.save(refreshToken: refreshToken) }
    }

    private func deliver(
        _ issued: IssuedToken, _ flight: Running, _ store: TokenStore, sentNS: UInt64
    ) -> TokenFailure? {
        let now = MonotonicClock.nowNS()
        let delivery = store.brought(
            flight: flight.key.flight, credential: issued.credential, sentNS: sentNS,
            lifeNS: issued.lifeNS, nowNS: now)
        // Whoever takes the token: the file must not keep a refresh token that is spent.
        if delivery == .taken || issued.refreshToken != nil {
            write { file throws(TokenFileError) in try file.save(issued) }
        }
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
            noteAbandoned()
            return nil
        }
    }

    // MARK: books

    func noteAbandoned() {
        desk.tally.withLock { $0.noteAbandoned() }
    }

    func note(failure text: String, _ flight: Running) {
        let masked = memory.masking(text, of: flight.key.cell, by: desk.setup.secrets)
        let now = MonotonicClock.nowNS()
        desk.tally.withLock { $0.note(failure: masked, nowNS: now) }
    }

    private func write(_ save: (TokenFile) throws(TokenFileError) -> Void) {
        guard let tokenFile = desk.setup.tokenFile else { return }
        do throws(TokenFileError) {
            try save(tokenFile)
        } catch {
            let now = MonotonicClock.nowNS()
            desk.tally.withLock { $0.note(storeFailure: error.description, nowNS: now) }
        }
    }
}
