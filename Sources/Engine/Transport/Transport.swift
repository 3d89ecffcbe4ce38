import CLinux

/// What carries asks: the seam behind which the reactor does not know what speaks on the wire. The
/// reactor takes room for an ask's URL, writes it, sends the ask, and hears back twice: `willSend`
/// when the connection is there, `finished` with an `Exchange`. Reactor thread only.
///
/// A class and not a protocol: the call goes through one table and retains nothing.
class Transport {
    static let urlMax = 16_384

    unowned(unsafe) var reactor: Reactor?
    /// Asks it has now, and what it may have at once.
    final var inUse = 0
    final var inUseMax: Int
    /// Those of them that open a connection now: ramped, since a burst of thousands of connects
    /// overflows a server's accept queue and costs a second each.
    final var ramped = 0
    private let rampedMax: Int
    /// Below the accept queue that servers commonly ask for (nginx: 511).
    private static let rampedMaxOfAll = 400

    init(inUseMax: Int, reactors: Int) {
        self.inUseMax = inUseMax
        rampedMax = max(1, Self.rampedMaxOfAll / reactors)
    }

    final var hasRoom: Bool { inUse < inUseMax }
    final var isRampFull: Bool { ramped >= rampedMax }

    /// An ask of that user would open a connection, and enough are opening already.
    final func mustWaitToConnect(user: Int32) -> Bool { isRampFull && opensConnection(user: user) }

    // MARK: what each does its own way

    /// Whether an ask of that user finds no connection; -1: of nobody.
    func opensConnection(user: Int32) -> Bool { missing() }

    /// Room of `urlMax` bytes for the URL of the ask, which is to be written next and ends with a
    /// zero byte; nothing else is to be done before `send`.
    func take(for slot: SlotPointer, nowNS: UInt64) -> UnsafeMutablePointer<UInt8> { missing() }

    /// What makes the ask's request conditional, to be written after its URL; nil where client
    /// caches go by no rules.
    func condition(of slot: SlotPointer) -> ConditionPointer? { nil }

    /// Sends the ask whose URL was written; it is gone with the next `flush` at the latest. The
    /// lines of its condition go with it when it `isConditional`.
    func send(_ slot: SlotPointer, headers: HeaderSet.Lines, isConditional: Bool) { missing() }

    /// Starts what was sent in this turn.
    func flush() { missing() }

    /// Cuts the ask off; what is known of it by now.
    func cancel(_ slot: SlotPointer) -> Exchange { missing() }

    /// Ends what has overstayed a phase's own limit.
    func strikeOverdue(_ nowNS: UInt64) { missing() }

    func handle(_ event: epoll_event) { missing() }

    /// Monotonic ns of the next thing to do without an event; `.max`: nothing.
    var nextTimerNS: UInt64 { missing() }
    func runDueTimers(_ nowNS: UInt64) { missing() }

    /// Frees everything; nothing may be under way.
    func tearDown() { missing() }

    private func missing() -> Never { fatalError("a transport without a wire") }
}
