import CMicrohttpd
import JSONText

/// `/token`, `/revoke` and `/fault`.
extension OriginService {
    private static let slowRenewalNS: UInt64 = 800_000_000

    /// One byte more than is taken says that there was too much.
    func keepBody(_ upload: UnsafeRawBufferPointer, _ connection: OpaquePointer) {
        guard let memo = memo(connection) else { return }
        let room = TokenRequest.bodyBytesMax + 1 - memo.pointee.body.count
        memo.pointee.body.append(contentsOf: upload.prefix(room))
    }

    /// Whatever becomes of the request, the next one on its connection has a body of its own.
    private func takeBody(_ connection: OpaquePointer) -> [UInt8] {
        guard let memo = memo(connection) else { return [] }
        defer { memo.pointee.body = [] }
        return memo.pointee.body
    }

    func renew(
        _ connection: OpaquePointer, _ method: OriginMethod,
        _ state: UnsafeMutablePointer<UnsafeMutableRawPointer?>
    ) -> MHD_Result {
        ledger.add(.requests)
        ledger.add(.tokenRequests)
        let body = takeBody(connection)
        guard let desk, let memo = memo(connection), method == .get || method == .post else {
            return send(fixed.tokenMethods, connection, method)
        }
        let isFirst = !memo.pointee.isUsed
        desk.arrived(memo)
        let request = TokenRequest(connection, body: body)
        guard body.count <= TokenRequest.bodyBytesMax, !request.isCellTooLong else {
            return send(fixed.badRequest, connection, method)
        }
        let nowNS = MonotonicClock.nowNS()
        let renewal = desk.begin(
            request, client: memo.pointee.client,
            on: .init(
                descriptor: tb_mhd_connection_descriptor(connection), isNew: isFirst),
            nowNS: nowNS)
        guard let renewal else { return send(fixed.tooManyCells, connection, method) }
        memo.pointee.renewal = renewal
        let fault = faults.renewal(nowNS: nowNS)
        let plan = AnswerPlan(kind: .renewal, detail: OriginService.number(fault))
        switch fault {
        case .slow:
            return delay(plan, byNS: OriginService.slowRenewalNS, connection, state)
        case .hang:
            return delay(plan, byNS: OriginService.stallNS, connection, state)
        default:
            return finishRenewal(plan, connection, method)
        }
    }

    /// 0: none.
    private static func number(_ fault: OriginOptions.RenewalFault?) -> UInt {
        let index = fault.flatMap { OriginOptions.RenewalFault.allCases.firstIndex(of: $0) }
        return UInt(index.map { $0 + 1 } ?? 0)
    }

    func finishRenewal(
        _ plan: AnswerPlan, _ connection: OpaquePointer, _ method: OriginMethod
    ) -> MHD_Result {
        guard let desk, let memo = memo(connection), let renewal = memo.pointee.renewal else {
            return .NO
        }
        memo.pointee.renewal = nil
        desk.willAnswer(memo)
        // A token that nobody waits for would look like one that was not needed.
        guard !TokenDesk.isClosed(renewal.connection.descriptor) else {
            desk.end(renewal, .abandoned)
            ledger.add(.unanswered)
            return .NO
        }
        let faultNumber = Int(plan.detail)
        let fault = faultNumber > 0 ? OriginOptions.RenewalFault.allCases[faultNumber - 1] : nil
        switch fault {
        case nil, .slow: return grant(.new, renewal, connection, method)
        case .same: return grant(.same, renewal, connection, method)
        case .expired: return grant(.dead, renewal, connection, method)
        case .hang, .close:
            desk.end(renewal, .failed)
            ledger.add(.unanswered)
            return .NO
        case .status500, .status429, .status401, .malformed, .empty:
            desk.end(renewal, .failed)
            return send(fixed.renewalFaults[faultNumber - 1], connection, method)
        }
    }

    private func grant(
        _ gift: TokenBook.Gift, _ renewal: OpenRenewal, _ connection: OpaquePointer,
        _ method: OriginMethod
    ) -> MHD_Result {
        let answer = desk?.grant(renewal, gift, nowNS: MonotonicClock.nowNS())
        guard let answer else { return send(fixed.invalidGrant, connection, method) }
        return send(answer, connection, method)
    }

    /// `POST /revoke?share=0.3`, or `?cell=ann`
    func revoke(_ connection: OpaquePointer, _ method: OriginMethod) -> MHD_Result {
        guard let desk, method == .post else {
            return send(fixed.postMethods, connection, method, control: true)
        }
        var share = 1.0
        if let text = RequestFields.query("share", connection) {
            guard let given = Double(String(text)), given >= 0, given <= 1 else {
                return refuseControl("share must be a number from 0 to 1", connection, method)
            }
            share = given
        }
        let cell = RequestFields.query("cell", connection).map { String($0) }
        let dead = desk.revoke(share: share, cell: cell, nowNS: MonotonicClock.nowNS())
        if let cell, dead.cells.isEmpty {
            return refuseControl("no cell has the name \(cell)", connection, method)
        }
        return send(
            .object([("revoked", .int(dead.tokens)), ("cells", .int(dead.cells.count))]),
            connection,
            method, control: true)
    }

    /// `POST /fault?renewal=500&tiles=late-refusals&for=2s`: a name or `none` for either.
    func switchFaults(_ connection: OpaquePointer, _ method: OriginMethod) -> MHD_Result {
        guard method == .post else {
            return send(fixed.postMethods, connection, method, control: true)
        }
        var untilNS = UInt64.max
        if let text = RequestFields.query("for", connection).map({ String($0) }) {
            guard let durationNS = ShortDuration.parseNS(text) else {
                return refuseControl("for must be a time such as 500ms or 2s", connection, method)
            }
            untilNS = MonotonicClock.nowNS() &+ durationNS
        }
        let renewal = RequestFields.query("renewal", connection).map { String($0) }
        let tiles = RequestFields.query("tiles", connection).map { String($0) }
        guard renewal != nil || tiles != nil else {
            return refuseControl("renewal or tiles must name a fault", connection, method)
        }
        let renewalFault = renewal.flatMap { OriginOptions.RenewalFault(rawValue: $0) }
        let tileFault = tiles.flatMap { OriginOptions.TileFault(rawValue: $0) }
        if renewal != nil, renewal != "none", renewalFault == nil {
            let names = OriginOptions.RenewalFault.allCases.map { $0.rawValue }
            return refuseControl("renewal must be \(list(names))", connection, method)
        }
        if tiles != nil, tiles != "none", tileFault == nil {
            let names = OriginOptions.TileFault.allCases.map { $0.rawValue }
            return refuseControl("tiles must be \(list(names))", connection, method)
        }
        if renewal != nil { faults.set(renewal: renewalFault, untilNS: untilNS) }
        if tiles != nil { faults.set(tile: tileFault, untilNS: untilNS) }
        var answer: [(String, JSONNode)] = []
        if let renewal { answer.append(("renewal", .string(renewal))) }
        if let tiles { answer.append(("tiles", .string(tiles))) }
        return send(.object(answer), connection, method, control: true)
    }

    private func list(_ names: [String]) -> String {
        names.joined(separator: ", ") + " or none"
    }

    private func refuseControl(
        _ sentence: String, _ connection: OpaquePointer, _ method: OriginMethod
    ) -> MHD_Result {
        send(
            .object([("error", .string(sentence))]), connection, method, status: 400,
            control: true)
    }
}

/// Times as `500ms`, `2s` or `1m`.
enum ShortDuration {
    static func parseNS(_ text: String) -> UInt64? {
        let units: [(String, Double)] = [("ms", 1e6), ("s", 1e9), ("m", 60e9)]
        guard let unit = units.first(where: { text.hasSuffix($0.0) }),
            let number = Double(text.dropLast(unit.0.count)), number >= 0, number < 1e6
        else { return nil }
        return UInt64(number * unit.1)
    }
}
