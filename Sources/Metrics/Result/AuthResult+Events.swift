extension AuthResult.Event {
    /// When somebody first felt it: the first refusal, or the told end that made asks wait. Nil for
    /// a token that was replaced while it worked.
    package var beganNS: Int64? {
        guard let firstRefusalNS, let expiredNS else { return firstRefusalNS ?? expiredNS }
        return min(firstRefusalNS, expiredNS)
    }

    /// From there to the first good answer with a newer token.
    package var firstOKAfterNS: UInt64? { Self.elapsed(beganNS, firstOKNS) }

    /// From there to the end of the last ask that was refused.
    package var fullRecoveryAfterNS: UInt64? { Self.elapsed(beganNS, fullRecoveryNS) }

    private static func elapsed(_ startNS: Int64?, _ endNS: Int64?) -> UInt64? {
        guard let startNS, let endNS else { return nil }
        return UInt64(max(0, endNS - startNS))
    }
}

extension AuthResult {
    /// Hit rates around each event, from the last row of the timeline that lies wholly before its
    /// beginning and the first one that lies wholly after its renewal.
    ///
    /// - Parameters:
    ///   - rows: All intervals from T0 on, equally long.
    ///   - measuredNS: Length of the measured time: a row that it ends in is not full.
    mutating func setHitRates(from rows: [TimelineRow], measuredNS: UInt64) {
        guard let intervalNS = rows.first?.intervalNS else { return }
        func full(_ number: Int) -> TimelineRow? {
            guard rows.indices.contains(number) else { return nil }
            return rows[number].startNS + intervalNS <= measuredNS ? rows[number] : nil
        }
        for index in events.indices {
            if let startNS = events[index].beganNS ?? events[index].renewalStartNS {
                let before = full(Int(UInt64(max(0, startNS)) / intervalNS) - 1)
                events[index].serverHitRateBefore = before?.serverHitRate
                events[index].clientHitRateBefore = before?.clientHitRate
            }
            if let endNS = events[index].renewalEndNS {
                let after = full(Int((UInt64(max(0, endNS)) + intervalNS - 1) / intervalNS))
                events[index].serverHitRateAfter = after?.serverHitRate
                events[index].clientHitRateAfter = after?.clientHitRate
            }
        }
    }
}
