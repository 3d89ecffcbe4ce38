import CCurl
import Metrics
import Synchronization
import Workload

/// What the desk's thread does: takes orders, lets the flights' machines speak and carries out what
/// they say. The desk's thread only.
final class RenewalLoop {
    struct Key: Hashable {
        var cell: Int
        var flight: UInt64
    }

    /// A flight that has a place.
    final class Running {
        let key: Key
        var machine: RenewalFlight
        /// The try under way, and when it began.
        var fetch: Fetch?
        var tryNS: UInt64 = 0
        /// Nobody waits for it; it only brings home the refresh token that its request has spent.
        var isAbandoned = false

        init(_ key: Key, machine: RenewalFlight) {
            self.key = key
            self.machine = machine
        }
    }

    /// Flights that run at once.
    static let runningMax = 64
    /// How long the end of a run waits for refresh tokens on their way.
    private static let closingMaxNS: UInt64 = 1_000_000_000

    let desk: RenewalDesk
    private let store: (Int) -> TokenStore
    private let options: ConnectionOptions
    private let limits: RenewalFlight.Limits
    private var poll: CurlPoll { desk.queue.poll }
    private var running: [Running] = []
    /// From `waitingStart` on, in the order they came in; those that are not in `isWaiting` were
    /// aborted.
    private var waiting: [Key] = []
    private var waitingStart = 0
    private var isWaiting: Set<Key> = []
    var memory: RenewalMemory
    private var firstAnswer: OneShot.Answer?

    init(_ desk: RenewalDesk, store: @escaping (Int) -> TokenStore) {
        self.desk = desk
        self.store = store
        options = ConnectionOptions(desk.setup.connection)
        limits = RenewalFlight.Limits(timeoutNS: desk.setup.plan.timeoutNS)
        memory = RenewalMemory(firstRefreshToken: desk.setup.refreshToken)
        firstAnswer = desk.setup.firstAnswer
    }

    func run() {
        while true {
            let (orders, isClosed) = desk.queue.take()
            for order in orders { take(order) }
            if isClosed { break }
            startWaiting()
            tick()
            carryOn(endNS: .max)
        }
        let endNS = MonotonicClock.nowNS() + Self.closingMaxNS
        for flight in running { abandon(flight) }
        while !running.isEmpty, MonotonicClock.nowNS() < endNS { carryOn(endNS: endNS) }
        for flight in running where cutOff(flight) { noteAbandoned() }
        running = []
    }

    /// Lets libcurl work until something has happened.
    private func carryOn(endNS: UInt64) {
        poll.perform()
        if !finishTries() { poll.wait(milliseconds: waitMS(endNS: endNS)) }
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
            if let flight = running.first(where: { $0.key == key }) { abandon(flight) }
        }
    }

    /// Gives places to those that wait, in order.
    private func startWaiting() {
        var held: [Key] = []
        while waitingStart < waiting.count, running.count < Self.runningMax {
            let key = waiting[waitingStart]
            waitingStart += 1
            guard isWaiting.contains(key) else { continue }
            if isHeld(key.cell) {
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
        // They keep their places at the head.
        waitingStart -= held.count
        for (index, key) in held.enumerated() { waiting[waitingStart + index] = key }
        if waitingStart > waiting.count / 2 {
            waiting.removeFirst(waitingStart)
            waitingStart = 0
        }
    }

    /// A flight of the cell must end first: it holds a lock, or a refresh token comes home in it.
    private func isHeld(_ cell: Int) -> Bool {
        running.contains { $0.key.cell == cell && (desk.setup.isSerial || $0.isAbandoned) }
    }

    // MARK: time

    private func waitMS(endNS: UInt64) -> Int32 {
        let nowNS = MonotonicClock.nowNS()
        let dueNS = running.reduce(endNS) { min($0, $1.machine.dueNS) }
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
        let number = flight.key.flight
        switch action {
        case .wait:
            break
        case .attempt(let timeoutNS):
            attempt(flight, timeoutNS: timeoutNS, nowNS: nowNS)
        case .fail(let isPermanent, let retryAfterNS):
            leave(flight)
            store(flight.key.cell).failed(
                flight: number, isPermanent: isPermanent, retryAfterNS: retryAfterNS, nowNS: nowNS)
        case .giveUp:
            if cutOff(flight) { note(failure: TokenAnswer.timeoutText(desk.setup.rule), flight) }
            leave(flight)
            store(flight.key.cell).overdue(flight: number, nowNS: nowNS)
        }
    }

    private func leave(_ flight: Running) {
        flight.machine.end()
        running.removeAll { $0 === flight }
    }

    // MARK: tries

    private func attempt(_ flight: Running, timeoutNS: UInt64, nowNS: UInt64) {
        if flight.key.cell == 0, let answer = firstAnswer {
            firstAnswer = nil
            flight.tryNS = nowNS &- answer.sentNS
            desk.tally.withLock { $0.attempted += 1 }
            return finish(flight, answer)
        }
        let setup = desk.setup
        let request = OneShot.Request(
            renewal: setup.plan, state: memory.state(of: flight.key.cell),
            userAgent: setup.userAgent, timeoutNS: timeoutNS)
        var extras = Fetch.Extras()
        extras.cookies = memory.cookies(of: flight.key.cell)
        let fetch = Fetch(request, options: options, extras: extras)
        flight.fetch = fetch
        flight.tryNS = nowNS
        desk.tally.withLock { $0.attempted += 1 }
        poll.add(fetch.handle)
    }

    /// Nobody waits for the flight any more.
    private func abandon(_ flight: Running) {
        if desk.setup.rule.rotates, flight.fetch != nil {
            flight.isAbandoned = true
            flight.machine.end()
        } else {
            if cutOff(flight) { noteAbandoned() }
            leave(flight)
        }
    }

    /// Ends the try under way without an answer; false when there is none.
    private func cutOff(_ flight: Running) -> Bool {
        guard let fetch = flight.fetch else { return false }
        poll.remove(fetch.handle)
        flight.fetch = nil
        return true
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
        guard let failure = learn(flight, answer, store(flight.key.cell)) else {
            return leave(flight)
        }
        note(failure: failure.text, flight)
        if flight.isAbandoned { return leave(flight) }
        let now = MonotonicClock.nowNS()
        let action = flight.machine.tryFailed(
            isPermanent: failure.isPermanent, retryAfterNS: failure.retryAfterNS, nowNS: now)
        follow(action, flight, now)
    }
}
