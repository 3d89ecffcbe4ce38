/// When a token is to be renewed and when it ends, by what its issuer told. Only a hint: a refusal
/// always wins.
struct TokenLife: Sendable, Equatable {
    /// Monotonic ns; `.max`: never by the clock.
    var staleAtNS: UInt64 = .max
    var endsAtNS: UInt64 = .max

    /// Told lives shorter than that are taken for not told: they would mean to renew for ever.
    static let lifeMinNS: UInt64 = 500_000_000

    init() {}

    /// `stale = sent + life - m * u` with `m = min(renewBefore, life / 4)`, u in 1...1.5, so that
    /// many clients do not renew as one. From the moment the renewal was sent, which is the safe
    /// side. A token that looks old on arrival is still used for a while, or a slow token endpoint
    /// would be asked without a pause.
    init(
        sentNS: UInt64, lifeNS: UInt64?, renewBeforeNS: UInt64, jitter u: Double, nowNS: UInt64
    ) {
        guard let lifeNS, lifeNS >= Self.lifeMinNS, renewBeforeNS > 0 else { return }
        let (end, isOver) = sentNS.addingReportingOverflow(lifeNS)
        guard !isOver, end > nowNS else { return }
        let margin = UInt64(Double(min(renewBeforeNS, lifeNS / 4)) * u)
        endsAtNS = end
        staleAtNS = max(end - min(margin, lifeNS), nowNS + (end - nowNS) / 4)
    }
}
