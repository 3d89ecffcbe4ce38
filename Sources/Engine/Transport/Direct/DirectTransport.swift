import CCurl
import CLinux
import Glibc
import Metrics
import TileModel
import Workload

/// Requests in our own HTTP/1.1 on connections that libcurl opens: one `send` and one `recv` for a
/// small tile, each connection registered with epoll once, and nothing allocated once the
/// connections are there.
final class DirectTransport: Transport {
    let plan: ConnectionPlan
    let timeouts: LoadPlan.Timeouts
    let loop: EventLoop
    let dialer: Dialer
    /// All asks are of one owner: an open load without viewers, or users that share
    /// `connection.max`.
    private let isShared: Bool
    var pool: ConnectionPool
    var writer: RequestWriter
    /// Nil: nobody looks at bodies, which are counted as they come.
    let decoders: BodyDecoders?
    /// Connections with an ask.
    var asks = AskList()
    /// What all connections read into; the beginning of a line that waited is put in front.
    let room: UnsafeMutableBufferPointer<UInt8>
    static let readBytes = 256 * 1024

    init(
        context: RunContext, number: Int, loop: EventLoop, inFlightMax: Int, connectionsMax: Int?
    ) {
        plan = context.plan.connection
        timeouts = context.plan.load.timeouts
        self.loop = loop
        dialer = Dialer(context: context, number: number, loop: loop)
        isShared =
            context.viewers == nil && context.plan.load.isOpen || connectionsMax != nil
        let origins = context.templates.hosts()
        pool = ConnectionPool(hosts: origins.count)
        writer = RequestWriter(
            origins: origins,
            writesHost: !context.plan.target.headers.contains {
                $0.name.lowercasedASCII == "host"
            })
        decoders = context.unpacksBodies ? BodyDecoders() : nil
        room = .allocate(capacity: ResponseReader.headBytesMax + 1 + Self.readBytes)
        super.init(
            inUseMax: connectionsMax.map { min(inFlightMax, $0) } ?? inFlightMax,
            reactors: context.reactors)
    }

    // MARK: carrying

    private func owner(user: Int32) -> Int32 { isShared ? 0 : max(0, user) }

    override func opensConnection(user: Int32) -> Bool {
        !pool.hasIdle(owner: owner(user: user))
    }

    override func take(for slot: SlotPointer, nowNS: UInt64) -> UnsafeMutablePointer<UInt8> {
        writer.url
    }

    override func send(
        _ slot: SlotPointer, headers: HeaderSet.Lines, isConditional: Bool
    ) {
        precondition(!isConditional, "conditional requests go over libcurl")
        guard let host = writer.host() else {
            preconditionFailure("a URL of a host that no template has")
        }
        let owner = owner(user: slot.pointee.user)
        let now = MonotonicClock.nowNS()
        let request = writer.request(host, headers: headers)
        if let connection = pool.takeIdle(owner: owner, host: host.number) {
            begin(connection, slot, now)
            connection.pointee.state = .busy
            start(connection, request, now)
            return
        }
        let connection = pool.take()
        connection.pointee.state = .dialing
        connection.pointee.owner = owner
        connection.pointee.host = host.number
        connection.pointee.facts.cache.believed = reactor?.context.believedHeader
        begin(connection, slot, now)
        connection.pointee.unsent.set(request)
        ramped += 1
        writer.hosts[Int(host.number)].origin.withMemoryRebound(to: CChar.self) { origin in
            if let origin = origin.baseAddress { dialer.dial(connection, origin: origin) }
        }
    }

    private func begin(_ connection: ConnectionPointer, _ slot: SlotPointer, _ nowNS: UInt64) {
        connection.pointee.begin(slot, nowNS: nowNS)
        slot.pointee.carrier = UnsafeMutableRawPointer(connection)
        asks.append(connection, in: pool)
        inUse += 1
    }

    override func flush() {
        dialer.flush()
        takeDialled()
    }

    /// Cuts the ask off; its connection cannot carry another one.
    override func cancel(_ slot: SlotPointer) -> Exchange {
        guard let connection = slot.pointee.carrier?.assumingMemoryBound(to: Connection.self) else {
            preconditionFailure("an ask that is with no connection")
        }
        let exchange = exchange(connection, failure: failure(connection, CURLE_ABORTED_BY_CALLBACK))
        letGo(connection)
        close(connection)
        return exchange
    }

    // MARK: events

    override func handle(_ event: epoll_event) {
        let key = event.data.u64
        guard key & Connection.keyMark != 0 else {
            dialer.run(
                socket: Int32(truncatingIfNeeded: key), epollEvents: event.events)
            takeDialled()
            return
        }
        let index = Int32(truncatingIfNeeded: key & 0xFFFF_FFFF)
        let connection = pool[index]
        guard connection.pointee.key == key else { return }
        switch connection.pointee.state {
        case .idle: lookAtIdle(connection)
        case .busy:
            if event.events & EPOLLOUT.rawValue != 0, !connection.pointee.unsent.isEmpty {
                guard sendRest(connection) else { return }
            }
            let hangUp = EPOLLRDHUP.rawValue | EPOLLHUP.rawValue | EPOLLERR.rawValue
            if event.events & ~EPOLLOUT.rawValue != 0 {
                receive(connection, hasHungUp: event.events & hangUp != 0)
            }
        case .free, .dialing: break
        }
    }

    override var nextTimerNS: UInt64 {
        let endNS = asks.first(in: pool).map { $0.pointee.handedNS &+ timeouts.requestNS }
        return min(endNS ?? .max, dialer.nextTimerNS)
    }

    override func runDueTimers(_ nowNS: UInt64) {
        if dialer.nextTimerNS <= nowNS {
            dialer.runTimer()
            takeDialled()
        }
        while let connection = asks.first(in: pool),
            connection.pointee.handedNS &+ timeouts.requestNS <= nowNS
        {
            fail(connection, CURLE_OPERATION_TIMEDOUT)
        }
    }

    override func strikeOverdue(_ nowNS: UInt64) {
        guard timeouts.hasPhases else { return }
        var next = asks.first(in: pool)
        while let connection = next {
            next = asks.next(connection, in: pool)
            guard let phase = overduePhase(connection, nowNS) else { continue }
            connection.pointee.struckPhase = phase.rawValue
            fail(connection, CURLE_OPERATION_TIMEDOUT)
        }
    }

    override func tearDown() {
        for index in 0..<Int32(pool.count) where pool[index].pointee.state == .idle {
            pool.removeIdle(pool[index])
            close(pool[index])
        }
        dialer.tearDown()
        pool.drain()
        room.deallocate()
    }
}
