import CCurl
import Metrics
import Synchronization
import TileModel
import Workload

/// What the desk's thread does: takes orders, lets the flights' machines speak and carries out what
/// they say. The desk's thread only.
final class RenewalLoop {
    struct Key: Hashable {
        var cell: Int
        var flight: UInt64
    }

    /// A flight that has a place.
    private final class Running {
        let key: Key
        var machine: RenewalFlight
        /// The try under way, and when it began.
        var fetch: Fetch?
        var tryNS: UInt64 = 0

        init(_ key: Key, machine: RenewalFlight) {
            self.key = key
            self.machine = machine
        }
    }

    /// Flights that run at once.
    static let runningMax = 64

    private let desk: RenewalDesk
    private let store: (Int) -> TokenStore
    private let options: ConnectionOptions
    private let limits: RenewalFlight.Limits
    private var poll: CurlPoll { desk.queue.poll }
    private var running: [Running] = []
    /// In the order they came in; those that are not in `isWaiting` were aborted.
    private var waiting: [Key] = []
    private var isWaiting: Set<Key> = []

    init(_ desk: RenewalDesk, store: @escaping (Int) -> TokenStore) {
        self.desk = desk
        self.store = store
        options = ConnectionOptions(desk.setup.connection)
        limits = RenewalFlight.Limits(timeoutNS: desk.setup.plan.timeoutNS)
    }

    func run() {
        while true {
            let (orders, isClosed) = desk.queue.take()
            for order in orders { take(order) }
            if isClosed { break }
            startWaiting()
            tick()
            poll.perform()
            if finishTries() { continue }
            poll.wait(milliseconds: waitMS(MonotonicClock.nowNS()))
        }
        for flight in running { cutOff(flight) }
        running = []
    }

    // MARK: orders

    private func take(_ order: RenewalQueue.Order) {
        switch order {
        case .start(let cell, let flight):
            let key = Key(cell: cell, flight: flight)
            waiting.append(key)
            isWaiting.insert(key)
        case .abort(let cell, let flight):
            let key = Key(cell: cell, flight: flight)
            isWaiting.remove(key)
            guard let index = running.firstIndex(where: { $0.key == key }) else { return }
            cutOff(running.remove(at: index))
        }
    }

    /// Gives places to those that wait, in order.
    private func startWaiting() {
        guard !waiting.isEmpty, running.count < Self.runningMax else { return }
        var held: [Key] = []
        var looked = 0
        for key in waiting {
            guard running.count < Self.runningMax else { break }
            looked += 1
            guard isWaiting.contains(key) else { continue }
            if desk.setup.isSerial, running.contains(where: { $0.key.cell == key.cell }) {
                held.append(key)
                continue
            }
            isWaiting.remove(key)
            let seed = SeededRandom.mix(desk.setup.seed ^ UInt64(key.cell) &<< 40 ^ key.flight)
            running.append(
                Running(
                    key,
                    machine: RenewalFlight(
                        limits: limits, seed: seed, nowNS: MonotonicClock.nowNS())))
        }
        waiting.replaceSubrange(..<looked, with: held)
    }

    // MARK: time

    private func waitMS(_ nowNS: UInt64) -> Int32 {
        let dueNS = running.reduce(UInt64.max) { min($0, $1.machine.dueNS) }
        guard dueNS != .max else { return .max }
        guard dueNS > nowNS else { return 0 }
        return Int32(clamping: (dueNS - nowNS) / 1_000_000 + 1)
    }

    private func tick() {
        for flight in running {
            let now = MonotonicClock.nowNS()
            guard flight.machine.dueNS <= now else { continue }
            follow(flight.machine.tick(nowNS: now), flight, now)
        }
    }

    private func follow(_ action: RenewalFlight.Action, _ flight: Running, _ nowNS: UInt64) {
        let cell = store(flight.key.cell)
        switch action {
        case .wait:
            break
        case .attempt(let timeoutNS):
            attempt(flight, timeoutNS: timeoutNS, nowNS: nowNS)
        case .fail(let isPermanent, let retryAfterNS):
            leave(flight)
            cell.failed(
                flight: flight.key.flight, isPermanent: isPermanent, retryAfterNS: retryAfterNS,
                nowNS: nowNS)
        case .giveUp:
            cutOff(flight)
            leave(flight)
            cell.overdue(flight: flight.key.flight, nowNS: nowNS)
        }
    }

    private func leave(_ flight: Running) { running.removeAll { $0 === flight } }

    // MARK: tries

    private func attempt(_ flight: Running, timeoutNS: UInt64, nowNS: UInt64) {
        let request = OneShot.Request(
            renewal: desk.setup.plan, userAgent: desk.setup.userAgent, timeoutNS: timeoutNS)
        let fetch = Fetch(request, options: options, extras: Fetch.Extras())
        flight.fetch = fetch
        flight.tryNS = nowNS
        desk.tally.withLock { $0.attempted += 1 }
        poll.add(fetch.handle)
    }

    /// Ends the try under way without an answer.
    private func cutOff(_ flight: Running) {
        guard let fetch = flight.fetch else { return }
        poll.remove(fetch.handle)
        flight.fetch = nil
        note(failure: "the renewal was given up before its answer", MonotonicClock.nowNS())
    }

    /// Looks at the tries that have ended; true when there was one.
    private func finishTries() -> Bool {
        var hasFinished = false
        while let (easy, code) = poll.nextFinished() {
            hasFinished = true
            guard let flight = running.first(where: { $0.fetch?.handle.raw == easy }),
                let fetch = flight.fetch
            else { continue }
            flight.fetch = nil
            finish(flight, fetch.end(code))
        }
        return hasFinished
    }

    private func finish(_ flight: Running, _ answer: OneShot.Answer) {
        let plan = desk.setup.plan
        let parsed = TokenAnswer.parse(
            answer, tokenPath: plan.tokenPath, expiresPath: plan.expiresPath)
        let failure: TokenFailure
        switch parsed {
        case .failure(let why):
            failure = why
        case .success(let issued):
            if percentEncoded(issued.text).utf8.count > desk.setup.tokenBytesMax {
                failure = TokenFailure(
                    isPermanent: false, text: "a token too long for a tile's URL")
            } else if let why = deliver(issued, flight) {
                failure = why
            } else {
                return
            }
        }
        let now = MonotonicClock.nowNS()
        note(failure: failure.text, now)
        let action = flight.machine.tryFailed(
            isPermanent: failure.isPermanent, retryAfterNS: failure.retryAfterNS, nowNS: now)
        follow(action, flight, now)
    }

    /// Hands the token to its cell; nil when the flight has done its work.
    private func deliver(_ issued: IssuedToken, _ flight: Running) -> TokenFailure? {
        let now = MonotonicClock.nowNS()
        let delivery = store(flight.key.cell).brought(
            flight: flight.key.flight, credential: Credential(issued.text), sentNS: flight.tryNS,
            lifeNS: nil, nowNS: now)
        switch delivery {
        case .taken:
            break
        case .kept:
            flight.machine.end()
            leave(flight)
            desk.tally.withLock { $0.noteKept() }
            return nil
        case .same:
            desk.tally.withLock { $0.same += 1 }
            return TokenFailure(
                isPermanent: false, text: "the token endpoint gave the refused token again")
        case .abandoned:
            flight.machine.end()
            leave(flight)
            note(failure: "a token came when nobody waited for it any more", now)
            return nil
        }
        flight.machine.end()
        leave(flight)
        desk.tally.withLock { $0.note(success: now) }
        save(issued)
        return nil
    }

    // MARK: books

    private func note(failure text: String, _ nowNS: UInt64) {
        let masked = desk.setup.secrets.masking(text)
        desk.tally.withLock { $0.note(failure: masked, nowNS: nowNS) }
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
