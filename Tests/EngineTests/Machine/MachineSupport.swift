import Metrics

@testable import Engine

let secondNS: UInt64 = 1_000_000_000

extension TokenCell {
    /// With the token `t1` in hand, nobody's dummy, at time 1.
    static func fresh(
        _ deviations: Deviations = [], lifeNS: UInt64? = nil, isConfirmed: Bool = true,
        _ change: (inout Limits) -> Void = { _ in }
    ) -> TokenCell {
        var limits = Limits()
        change(&limits)
        var cell = TokenCell(limits: limits, deviations: deviations, seed: 7)
        cell.begin(Credential("t1"), isDummy: false, lifeNS: lifeNS, nowNS: 1)
        if isConfirmed { _ = cell.accepted(generation: 1, atNS: 2) }
        return cell
    }

    /// Renewing `t1`, which was refused at time 10: flight 1.
    static func renewing(
        _ deviations: Deviations = [], _ change: (inout Limits) -> Void = { _ in }
    ) -> TokenCell {
        var cell = fresh(deviations, change)
        _ = cell.refused(Refusal(generation: 1, refusals: 1), nowNS: 10)
        return cell
    }

    /// The flight brings `text`, in no time.
    @discardableResult
    mutating func bring(
        _ flight: UInt64, _ text: String, lifeNS: UInt64? = nil, at nowNS: UInt64
    ) -> (Delivery, Effects) {
        flightBrought(flight: flight, Credential(text), sentNS: nowNS, lifeNS: lifeNS, nowNS: nowNS)
    }

    /// Of a layer that no other generation was refused by, so that none is under suspicion.
    @discardableResult
    mutating func refuse(
        _ generation: UInt64, _ refusals: Int = 1, at nowNS: UInt64,
        _ change: (inout Refusal) -> Void = { _ in }
    ) -> (Admission, Effects) {
        var refusal = Refusal(generation: generation, refusals: refusals)
        refusal.layer = UInt8(generation)
        change(&refusal)
        return refused(refusal, nowNS: nowNS)
    }

    @discardableResult
    mutating func fail(
        _ flight: UInt64, isPermanent: Bool = false, retryAfterNS: UInt64 = 0, at nowNS: UInt64
    ) -> Effects {
        flightFailed(
            flight: flight, isPermanent: isPermanent, retryAfterNS: retryAfterNS, nowNS: nowNS)
    }
}
