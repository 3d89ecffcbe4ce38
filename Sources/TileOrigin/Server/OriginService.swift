import CMicrohttpd
import Glibc
import JSONText
import Synchronization

/// Answers requests. One object for all server threads: what changes is atomic, behind a lock, or
/// in the memo of a connection, which one thread owns.
///
/// libmicrohttpd gives every request a pointer, nil at first. Here it holds a word: 1 after
/// the first call, then the ``AnswerPlan`` of a request that was delayed.
final class OriginService: Sendable {
    private static let readingBody: UInt = 1
    private static let stallNS: UInt64 = 60_000_000_000

    let options: OriginOptions
    let ledger = OriginLedger()
    let desk: TokenDesk?
    let timer = LatencyTimer()
    private let cache: TileCache
    private let fixed: FixedAnswers
    private let latency: LogNormal?
    /// Number of the next tile request: what its draws are made of.
    private let sequence = Atomic<UInt64>(0)

    init(_ options: OriginOptions) {
        self.options = options
        desk = options.token.map(TokenDesk.init)
        cache = TileCache(options)
        fixed = FixedAnswers(options)
        latency = options.latency.map(LogNormal.init)
    }

    /// libmicrohttpd calls this when a request's head is complete, for each part of its body, after
    /// that, and when a delayed request is resumed.
    func handle(
        _ connection: OpaquePointer, path: UnsafePointer<CChar>, method: UnsafePointer<CChar>,
        uploadBytes: UnsafeMutablePointer<Int>,
        state: UnsafeMutablePointer<UnsafeMutableRawPointer?>
    ) -> MHD_Result {
        let reads = OriginMethod(method)
        let word = UInt(bitPattern: state.pointee)
        if word > OriginService.readingBody {
            guard let plan = AnswerPlan(word: word),
                case .tile(let tile) = OriginRoute(path)
            else { return .NO }
            return carryOut(plan, tile, connection, reads)
        }
        if word == 0 {
            // An answer to the first call, before the body if any, would close the connection.
            state.pointee = UnsafeMutableRawPointer(bitPattern: OriginService.readingBody)
            return .YES
        }
        if uploadBytes.pointee > 0 {
            uploadBytes.pointee = 0
            return .YES
        }
        let route = OriginRoute(path)
        if case .tile(let tile) = route, reads == .get || reads == .head {
            return answer(tile, connection, reads, state)
        }
        return answer(route, connection, reads)
    }

    private func answer(
        _ tile: OriginTile, _ connection: OpaquePointer, _ method: OriginMethod,
        _ state: UnsafeMutablePointer<UnsafeMutableRawPointer?>
    ) -> MHD_Result {
        ledger.add(.requests)
        let plan = plan(connection)
        guard let delayNS = plan.delayNS else {
            return carryOut(plan.plan, tile, connection, method)
        }
        state.pointee = UnsafeMutableRawPointer(bitPattern: plan.plan.word)
        MHD_suspend_connection(connection)
        timer.resume(connection, atNS: MonotonicClock.nowNS() &+ delayNS)
        return .YES
    }

    /// Decides at arrival: first the fault that strikes before any check, then the token, then the
    /// edge. The token is looked at in any case: that it reached the server is part of its truth.
    private func plan(_ connection: OpaquePointer) -> (plan: AnswerPlan, delayNS: UInt64?) {
        let number = sequence.wrappingAdd(1, ordering: .relaxed).newValue
        let verdict = judge(connection)
        if let fault = drawFault(number) {
            let isStall = options.faults[fault].kind == .stall
            return (
                AnswerPlan(kind: .fault, detail: UInt(fault)),
                isStall ? OriginService.stallNS : delayNS(number)
            )
        }
        if let verdict, verdict != .accepted {
            return (AnswerPlan(kind: .refusal, detail: UInt(verdict.rawValue)), delayNS(number))
        }
        var plan = AnswerPlan()
        if let rate = options.edgeHitRate {
            plan.edge = OriginDraw.uniform(options.seed, .edge, number) < rate ? .hit : .miss
            if plan.edge == .hit { return (plan, nil) }
        }
        return (plan, delayNS(number))
    }

    private func delayNS(_ number: UInt64) -> UInt64? {
        latency?.drawNS(seed: options.seed, number: number)
    }

    private func drawFault(_ number: UInt64) -> Int? {
        guard !options.faults.isEmpty else { return nil }
        var rest = OriginDraw.uniform(options.seed, .fault, number)
        for (index, fault) in options.faults.enumerated() {
            if rest < fault.share { return index }
            rest -= fault.share
        }
        return nil
    }

    private func judge(_ connection: OpaquePointer) -> TokenVerdict? {
        guard let desk, let memo = tb_mhd_connection_context(connection) else { return nil }
        let token = RequestFields.token(connection)
        var outdated = false
        let verdict = desk.check(
            token?.baseAddress, count: token?.count ?? 0,
            memo: memo.assumingMemoryBound(to: ConnectionMemo.self),
            nowNS: MonotonicClock.nowNS(), outdated: &outdated)
        if outdated { ledger.add(.outdatedSends) }
        return verdict
    }

    private func carryOut(
        _ plan: AnswerPlan, _ tile: OriginTile, _ connection: OpaquePointer,
        _ method: OriginMethod
    ) -> MHD_Result {
        if let desk, let memo = tb_mhd_connection_context(connection) {
            desk.willAnswer(memo.assumingMemoryBound(to: ConnectionMemo.self))
        }
        switch plan.kind {
        case .tile:
            let sent = cache.answer(
                tile, to: connection, edge: plan.edge,
                ifNoneMatch: RequestFields.header("If-None-Match", connection))
            guard let sent else { return .NO }
            ledger.add(sent.status == 200 ? .tilesOK : .tilesNotModified)
            if plan.edge != .none { ledger.add(plan.edge == .hit ? .edgeHits : .edgeMisses) }
            count(sent, method)
            return .YES
        case .refusal:
            ledger.add(.tilesRefused)
            return send(fixed.refusals[Int(plan.detail)], connection, method)
        case .fault:
            ledger.add(.faults)
            return carryOutFault(Int(plan.detail), tile, connection, method)
        }
    }

    private func carryOutFault(
        _ index: Int, _ tile: OriginTile, _ connection: OpaquePointer, _ method: OriginMethod
    ) -> MHD_Result {
        switch options.faults[index].kind {
        case .status:
            return send(fixed.faults[index], connection, method)
        case .truncate:
            let body = cache.body(tile)
            let answer = ReadyAnswer.truncated(body)
            ReadyAnswer.add("Content-Type", tile.contentType, to: answer)
            let sent = FixedAnswers.Fixed(
                status: 200, bodyBytes: body.count / 2, answer: answer)
            defer { if let answer { MHD_destroy_response(answer) } }
            return send(sent, connection, method)
        case .reset:
            ledger.add(.unanswered)
            // Closing with a linger time of 0 sends a reset.
            var now = linger(l_onoff: 1, l_linger: 0)
            setsockopt(
                tb_mhd_connection_descriptor(connection), SOL_SOCKET, SO_LINGER, &now,
                socklen_t(MemoryLayout<linger>.size))
            return .NO
        case .stall:
            ledger.add(.unanswered)
            return .NO
        }
    }

    /// Everything but a tile.
    private func answer(
        _ route: OriginRoute, _ connection: OpaquePointer, _ method: OriginMethod
    ) -> MHD_Result {
        let nowNS = MonotonicClock.nowNS()
        let reads = method == .get || method == .head
        switch route {
        case .statistics:
            guard reads else { return send(fixed.tileMethods, connection, method, control: true) }
            return send(statistics().json, connection, method, control: true)
        case .revoke where desk != nil:
            guard let desk, method == .post else {
                return send(fixed.revokeMethods, connection, method, control: true)
            }
            let dead = desk.revoke(nowNS: nowNS)
            return send(.object([("revoked", .int(dead))]), connection, method, control: true)
        case .token where desk != nil:
            ledger.add(.requests)
            ledger.add(.tokenRequests)
            guard let desk, method == .get || method == .post else {
                return send(fixed.tokenMethods, connection, method)
            }
            return send(desk.issue(nowNS: nowNS), connection, method)
        case .tile:
            ledger.add(.requests)
            return send(fixed.tileMethods, connection, method)
        case .noSuchTile:
            ledger.add(.requests)
            guard reads else { return send(fixed.tileMethods, connection, method) }
            ledger.add(.tilesNotFound)
            return send(fixed.noSuchTile, connection, method)
        case .unknown, .token, .revoke:
            ledger.add(.requests)
            return send(fixed.unknown, connection, method)
        }
    }

    private func send(
        _ json: JSONNode, _ connection: OpaquePointer, _ method: OriginMethod, control: Bool = false
    ) -> MHD_Result {
        let body = JSONWriter.encodeText(json) + "\n"
        let answer = ReadyAnswer.make(
            body, type: "application/json", headers: [("Cache-Control", "no-store")])
        defer { if let answer { MHD_destroy_response(answer) } }
        let fixed = FixedAnswers.Fixed(status: 200, bodyBytes: body.utf8.count, answer: answer)
        return send(fixed, connection, method, control: control)
    }

    private func send(
        _ fixed: FixedAnswers.Fixed, _ connection: OpaquePointer, _ method: OriginMethod,
        control: Bool = false
    ) -> MHD_Result {
        guard let answer = fixed.answer else { return .NO }
        let taken = MHD_queue_response(connection, UInt32(fixed.status), answer)
        guard taken == .YES else { return .NO }
        if control {
            ledger.add(.control)
        } else {
            count(SentAnswer(status: fixed.status, bodyBytes: fixed.bodyBytes), method)
        }
        return .YES
    }

    private func count(_ sent: SentAnswer, _ method: OriginMethod) {
        ledger.answered(sent.status)
        if method != .head { ledger.add(.bodyBytes, UInt64(sent.bodyBytes)) }
    }
}
