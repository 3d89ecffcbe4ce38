package import TileOrigin
package import Workload

extension OriginOptions {
    /// The embedded server as `target.origin` of a scenario asks for it.
    package init(_ plan: OriginPlan, seed: UInt64) {
        self.init()
        tile = plan.format == .mvt ? .mvt : .png
        bytes = plan.bytes
        if let text = plan.cacheControl {
            // No header can be empty: so an empty text stands for none.
            cacheControl = text.isEmpty ? nil : text
        }
        latency = plan.latency.map { Latency(medianNS: $0.medianNS, p99NS: $0.p99NS) }
        token = plan.token.map { token in
            var result = Token(
                ttlNS: token.ttlNS, advertise: token.advertises,
                refuseWith: OriginOptions.refusal(token.refuseWith))
            result.advertisedNS = token.advertisedNS
            result.lateNS = token.lateNS
            result.issueRevokesOlder = token.issueRevokesOlder
            result.rotatesRefreshTokens = token.rotatesRefreshTokens
            return result
        }
        edgeHitRate = plan.edgeHitRate
        faults = plan.faults.map { fault in
            switch fault.kind {
            case .status(let status): Fault(share: fault.share, kind: .status(status))
            case .reset: Fault(share: fault.share, kind: .reset)
            case .truncate: Fault(share: fault.share, kind: .truncate)
            case .stall: Fault(share: fault.share, kind: .stall)
            }
        }
        threads = plan.threads
        self.seed = seed
    }

    private static func refusal(_ plan: OriginPlan.Refusal) -> Refusal {
        switch plan {
        case .status(let status): .status(status)
        case .bare: .bare
        case .json: .json
        case .html: .html
        case .redirect: .redirect
        }
    }
}

extension OriginOptions.RenewalFault {
    /// As an injection asks for it.
    init(_ plan: InjectionPlan.RenewalFault) {
        self =
            switch plan {
            case .slow: .slow
            case .hang: .hang
            case .close: .close
            case .status500: .status500
            case .status429: .status429
            case .status401: .status401
            case .malformed: .malformed
            case .same: .same
            case .expired: .expired
            case .empty: .empty
            }
    }
}

extension OriginOptions.TileFault {
    /// As an injection asks for it.
    init(_ plan: InjectionPlan.TileFault) {
        self =
            switch plan {
            case .lateRefusals: .lateRefusals
            case .replicationLag: .replicationLag
            }
    }
}
