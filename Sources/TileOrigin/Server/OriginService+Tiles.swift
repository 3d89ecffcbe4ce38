import CMicrohttpd
import Glibc
import Synchronization

extension OriginService {
    private static let lateNS: (least: UInt64, most: UInt64) = (5_000_000, 400_000_000)

    func answer(
        _ tile: OriginTile, _ connection: OpaquePointer, _ method: OriginMethod,
        _ state: UnsafeMutablePointer<UnsafeMutableRawPointer?>
    ) -> MHD_Result {
        ledger.add(.requests)
        let plan = plan(connection)
        guard let delayNS = plan.delayNS else {
            return carryOut(plan.plan, tile, connection, method)
        }
        return delay(plan.plan, byNS: delayNS, connection, state)
    }

    /// Decides at arrival: first the fault that strikes before any check, then the token, then the
    /// edge. The token is looked at in any case: that it reached the server is part of its truth.
    private func plan(_ connection: OpaquePointer) -> (plan: AnswerPlan, delayNS: UInt64?) {
        let number = sequence.wrappingAdd(1, ordering: .relaxed).newValue
        let verdict = judge(connection, number)
        if let fault = drawFault(number) {
            let isStall = options.faults[fault].kind == .stall
            return (
                AnswerPlan(kind: .fault, detail: UInt(fault)),
                isStall ? OriginService.stallNS : delayNS(number)
            )
        }
        if let verdict, verdict != .accepted {
            return (
                AnswerPlan(kind: .refusal, detail: UInt(verdict.rawValue)), refusalNS(number)
            )
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

    /// Of a refusal: as of any tile, and what refusals come later.
    private func refusalNS(_ number: UInt64) -> UInt64? {
        var lateNS = options.token?.lateNS ?? 0
        if faults.tile(nowNS: MonotonicClock.nowNS()) == .lateRefusals {
            let (least, most) = OriginService.lateNS
            let draw = OriginDraw.uniform(options.seed, .late, number)
            lateNS += least + UInt64(draw * Double(most - least))
        }
        let delayNS = delayNS(number)
        return lateNS > 0 ? lateNS + (delayNS ?? 0) : delayNS
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

    private func judge(_ connection: OpaquePointer, _ number: UInt64) -> TokenVerdict? {
        guard let desk, let memo = memo(connection) else { return nil }
        return desk.check(
            RequestFields.token(connection), memo: memo, number: number,
            nowNS: MonotonicClock.nowNS())
    }

    func carryOut(
        _ plan: AnswerPlan, _ tile: OriginTile, _ connection: OpaquePointer,
        _ method: OriginMethod
    ) -> MHD_Result {
        switch plan.kind {
        case .tile:
            if let desk, let memo = memo(connection) {
                desk.willDeliver(tile.packed, memo, nowNS: MonotonicClock.nowNS())
            }
            let sent = cache.answer(
                tile, to: connection, edge: plan.edge,
                ifNoneMatch: RequestFields.header("If-None-Match", connection))
            guard let sent else { return .NO }
            ledger.add(sent.status == 200 ? .tilesOK : .tilesNotModified)
            if plan.edge != .none { ledger.add(plan.edge == .hit ? .edgeHits : .edgeMisses) }
            count(sent, method)
            return .YES
        case .refusal:
            if let desk, let memo = memo(connection),
                let verdict = TokenVerdict(rawValue: Int(plan.detail))
            {
                desk.willRefuse(tile.packed, verdict, memo, nowNS: MonotonicClock.nowNS())
            }
            ledger.add(.tilesRefused)
            return send(fixed.refusals[Int(plan.detail)], connection, method)
        case .fault:
            if let desk, let memo = memo(connection) { desk.willAnswer(memo) }
            ledger.add(.faults)
            return carryOutFault(Int(plan.detail), tile, connection, method)
        case .renewal:
            return .NO
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
            if options.isReferee { ReadyAnswer.allowAnyOrigin(answer) }
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
}
