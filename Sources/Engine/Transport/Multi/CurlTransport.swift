import CCurl
import CLinux
import Metrics
import Workload

/// Requests over libcurl's multi interface, on the reactor's epoll: the reference that the direct
/// transport is held against, and what carries all that it cannot. Reactor thread only.
final class CurlTransport: Transport {
    private let plan: ConnectionPlan
    private let timeouts: LoadPlan.Timeouts
    private let mayMultiplex: Bool
    private let loop: EventLoop
    private let believedHeader: BelievedHeader?
    private let cachePolicy: CachePolicy?
    private let unpacks: Bool
    private let options: ConnectionOptions
    /// Where connections go in turn; see `AddressSpread`.
    private let spreadLists: [CurlList]
    /// Carrier number i of this transport is number i * stride + first of the run.
    private let serials: (first: Int, stride: Int)
    /// `connection.max` of this transport; nil: as many as needed.
    private let connectionsMax: Int?
    private let carriersPerMulti: Int
    /// Connections per host of each viewer, who has a multi of its own; nil: there are none, or
    /// they share.
    private let perViewer: Int?
    /// Viewers who share connections.
    private let isShared: Bool
    private let hosts: Int
    private var pool: CarrierPool
    private var multis: [CurlMulti] = []
    /// Multis that were given handles in this turn.
    private var touched: [Int32] = []
    /// No timer of any multi is earlier; looked at again when it is due.
    private var timerBoundNS: UInt64 = .max
    /// Carriers whose request libcurl sent inside the current call.
    private var justSent: [Int32] = []
    private let inFlightMax: Int

    init(
        context: RunContext, number: Int, loop: EventLoop, inFlightMax: Int, connectionsMax: Int?
    ) {
        plan = context.plan.connection
        timeouts = context.plan.load.timeouts
        let hasViewers = context.viewers != nil
        mayMultiplex =
            context.plan.mayShareConnections
            && (hasViewers || context.plan.load.isOpen || plan.maximum != nil)
        perViewer =
            hasViewers && plan.maximum == nil
            ? plan.perUser ?? ConnectionPlan.perUserDefault : nil
        hosts = context.hostCount
        let viewers = context.viewers?.count ?? 0
        pool = CarrierPool(
            viewers: perViewer == nil
                ? 0 : ClosedLoad.share(of: viewers, reactor: number, stride: context.reactors))
        isShared = hasViewers && plan.maximum != nil
        self.loop = loop
        believedHeader = context.believedHeader
        cachePolicy = context.cachePolicy
        unpacks = context.unpacksBodies
        options = ConnectionOptions(plan)
        spreadLists = context.spread.lines.map { CurlList($0) }
        serials = (number, context.reactors)
        self.connectionsMax = connectionsMax
        self.inFlightMax = inFlightMax
        // libcurl searches a multi's connections one by one, hence many small multis; where users
        // share connections (`connection.max`) there is one.
        carriersPerMulti =
            connectionsMax != nil ? Int(Int32.max) : mayMultiplex ? plan.streams : 64
        super.init(
            inUseMax: connectionsMax.map { min(inFlightMax, $0 * context.hostCount) }
                ?? inFlightMax, reactors: context.reactors)
        justSent.reserveCapacity(2 * EventLoop.eventsMax)
        touched.reserveCapacity(1024)
    }

    // MARK: carrying

    override func opensConnection(user: Int32) -> Bool {
        if user < 0 || isShared { return pool.isEmpty }
        if perViewer != nil {
            return pool.free(ofViewer: user)?.pointee.hasConnected != true
        }
        return pool.known(user: user)?.pointee.hasConnected != true
    }

    /// Takes a carrier for the ask.
    override func take(
        for slot: SlotPointer, nowNS: UInt64
    ) -> UnsafeMutablePointer<UInt8> {
        let count = pool.count
        let user = slot.pointee.user
        let carrier =
            user < 0 || isShared
            ? pool.take { make($0, multi: Int($0) / carriersPerMulti) }
            : perViewer != nil
                ? pool.take(ofViewer: user) { make($0, multi: Int(user)) }
                : pool.carrier(ofUser: user) { make($0, multi: Int($0) / carriersPerMulti) }
        for index in count..<pool.count { CarrierCallbacks.attach(to: pool[Int32(index)]) }
        carrier.pointee.begin(slot, nowNS: nowNS)
        slot.pointee.carrier = UnsafeMutableRawPointer(carrier)
        inUse += 1
        return carrier.pointee.url
    }

    private func carrier(of slot: SlotPointer) -> CarrierPointer {
        guard let carrier = slot.pointee.carrier else {
            preconditionFailure("an ask that nothing carries")
        }
        return carrier.assumingMemoryBound(to: Carrier.self)
    }

    override func condition(of slot: SlotPointer) -> ConditionPointer? {
        carrier(of: slot).pointee.condition
    }

    /// Hands the carrier's request to libcurl; it goes out with the next `flush`.
    override func send(
        _ slot: SlotPointer, headers: HeaderSet.Lines, isConditional: Bool
    ) {
        let carrier = carrier(of: slot)
        carrier.pointee.isRamped = !carrier.pointee.hasConnected
        if carrier.pointee.isRamped { ramped += 1 }
        carrier.pointee.handle.set(
            CURLOPT_URL,
            UnsafeRawPointer(carrier.pointee.url).assumingMemoryBound(to: CChar.self))
        carrier.pointee.setHeaders(headers, isConditional: isConditional)
        let shard = carrier.pointee.shard
        multis[Int(shard)].add(carrier.pointee.handle)
        if !multis[Int(shard)].isTouched {
            multis[Int(shard)].isTouched = true
            touched.append(shard)
        }
    }

    override func flush() {
        for number in touched {
            multis[Int(number)].isTouched = false
            multis[Int(number)].runTimer()
            settle(Int(number))
        }
        touched.removeAll(keepingCapacity: true)
    }

    override func cancel(_ slot: SlotPointer) -> Exchange {
        let carrier = carrier(of: slot)
        multis[Int(carrier.pointee.shard)].remove(carrier.pointee.handle)
        let exchange = exchange(carrier, CURLE_ABORTED_BY_CALLBACK)
        release(carrier)
        return exchange
    }

    override func strikeOverdue(_ nowNS: UInt64) {
        guard timeouts.hasPhases else { return }
        // By number: each end gives its carrier back to the pool.
        for index in 0..<pool.count {
            let carrier = pool[Int32(index)]
            guard carrier.pointee.slot != nil,
                let phase = carrier.pointee.overduePhase(timeouts, nowNS: nowNS)
            else { continue }
            carrier.pointee.struckPhase = phase.rawValue
            multis[Int(carrier.pointee.shard)].remove(carrier.pointee.handle)
            finish(carrier, CURLE_OPERATION_TIMEDOUT)
        }
    }

    override func tearDown() {
        pool.drain()
        multis = []
    }

    // MARK: events

    override func handle(_ event: epoll_event) {
        let number = Int(event.data.u64 >> 32)
        guard number < multis.count else { return }
        let socket = curl_socket_t(Int32(truncatingIfNeeded: event.data.u64))
        multis[number].run(socket: socket, epollEvents: event.events)
        settle(number)
    }

    override var nextTimerNS: UInt64 { timerBoundNS }

    override func runDueTimers(_ nowNS: UInt64) {
        guard timerBoundNS <= nowNS else { return }
        for number in multis.indices where multis[number].timerNS <= nowNS {
            multis[number].runTimer()
            settle(number)
        }
        timerBoundNS = .max
        for multi in multis { timerBoundNS = min(timerBoundNS, multi.timerNS) }
    }

    /// After every call into libcurl: timers it set, requests that went out, transfers that ended.
    private func settle(_ number: Int) {
        timerBoundNS = min(timerBoundNS, multis[number].timerNS)
        if !justSent.isEmpty {
            let now = MonotonicClock.nowNS()
            for index in justSent where pool[index].pointee.sendEndNS == 0 {
                pool[index].pointee.sendEndNS = now
            }
            justSent.removeAll(keepingCapacity: true)
        }
        while let (easy, code) = multis[number].nextFinished() {
            var context: UnsafeMutableRawPointer?
            tb_curl_get_private(easy, &context)
            guard let context else { continue }
            finish(context.assumingMemoryBound(to: Carrier.self), code)
        }
    }

    /// The request is about to leave; false takes it back.
    func willSend(_ carrier: CarrierPointer) -> Bool {
        guard let slot = carrier.pointee.slot, let reactor else { return false }
        let now = MonotonicClock.nowNS()
        endRamp(carrier)
        carrier.pointee.hasConnected = true
        let isRepeat = carrier.pointee.sends > 0
        let waitedSinceNS = isRepeat ? carrier.pointee.sentNS : carrier.pointee.handedNS
        guard reactor.willSend(slot, isRepeat: isRepeat, waitedNS: now &- waitedSinceNS, now)
        else {
            carrier.pointee.isTakenBack = true
            return false
        }
        if isRepeat {
            carrier.pointee.facts.reset()
            carrier.pointee.notes?.pointee.reset()
        }
        carrier.pointee.sends &+= 1
        carrier.pointee.sentNS = now
        carrier.pointee.sendEndNS = 0
        justSent.append(carrier.pointee.index)
        return true
    }

    private func finish(_ carrier: CarrierPointer, _ code: CURLcode) {
        guard let slot = carrier.pointee.slot, let reactor else { return }
        let exchange = exchange(carrier, code)
        // The carrier is free before the ask goes on, so that it may ride it again at once; its
        // buffers stay as they are until then.
        release(carrier)
        if exchange.wire == .http2, exchange.isNewConnection { shareStreams() }
        reactor.finished(slot, exchange)
    }

    private func release(_ carrier: CarrierPointer) {
        endRamp(carrier)
        let user = carrier.pointee.slot?.pointee.user ?? -1
        carrier.pointee.slot?.pointee.carrier = nil
        carrier.pointee.slot = nil
        inUse -= 1
        if user < 0 || isShared {
            pool.giveBack(carrier)
        } else if perViewer != nil {
            pool.giveBack(carrier, toViewer: user)
        }
    }

    private func endRamp(_ carrier: CarrierPointer) {
        guard carrier.pointee.isRamped else { return }
        carrier.pointee.isRamped = false
        ramped -= 1
    }

    /// `connection.max` bounds connections, which is requests until HTTP/2 lets them be shared.
    private func shareStreams() {
        guard let connectionsMax else { return }
        inUseMax = min(inFlightMax, connectionsMax &* plan.streams)
    }

    // MARK: making

    /// A handle that has all that never changes.
    private func make(_ index: Int32, multi shard: Int) -> Carrier {
        while multis.count <= shard { multis.append(makeMulti(multis.count)) }
        let handle = CurlHandle()
        let serial = Int(index) * serials.stride + serials.first
        options.apply(to: handle, index: serial)
        if !spreadLists.isEmpty {
            handle.set(CURLOPT_CONNECT_TO, list: spreadLists[serial % spreadLists.count].head)
        }
        // What is to be looked at must be in its plain form, which libcurl makes.
        if unpacks { handle.set(CURLOPT_ACCEPT_ENCODING, text: ConnectionOptions.acceptEncoding) }
        handle.set(CURLOPT_SUPPRESS_CONNECT_HEADERS, true)
        handle.set(CURLOPT_PROTOCOLS_STR, text: "http,https")
        let requestMS = Int(max(1, timeouts.requestNS / 1_000_000))
        handle.set(CURLOPT_TIMEOUT_MS, requestMS)
        handle.set(CURLOPT_CONNECTTIMEOUT_MS, requestMS)
        // With streams to share, a second request waits for the first connection's protocol. Where
        // there can be none it would wait for an answer.
        handle.set(CURLOPT_PIPEWAIT, mayMultiplex)
        var carrier = Carrier(
            index: index, shard: Int32(shard), handle: handle, transport: self,
            cachePolicy: cachePolicy)
        carrier.facts.cache.believed = believedHeader
        return carrier
    }

    private func makeMulti(_ number: Int) -> CurlMulti {
        CurlMulti(
            number: number, loop: loop, connectionsPerHostMax: connectionsMax ?? perViewer,
            streamsMax: plan.streams, isMultiplexed: mayMultiplex,
            connectionsKept: perViewer.map { $0 * hosts }
                ?? max(256, min(carriersPerMulti, inFlightMax) * 4))
    }
}
