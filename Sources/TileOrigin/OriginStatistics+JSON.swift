package import JSONText

extension OriginStatistics {
    /// The ledger as `/stats` sends it.
    package var json: JSONNode {
        .object([
            ("requests", .uint(requests)),
            ("answered", .object(answered.map { (String($0.status), .uint($0.count)) })),
            ("unanswered", .uint(unanswered)),
            ("control", .uint(control)),
            ("tiles", tilesJSON),
            ("bytes", .uint(bytes)),
            ("edge", .object([("hits", .uint(edge.hits)), ("misses", .uint(edge.misses))])),
            ("token_requests", tokenRequestsJSON),
            ("tokens", tokensJSON),
            ("revocations", .uint(tokens.revocations)),
            ("expiry_events", .uint(tokens.expiryEvents)),
            ("refusals", refusalsJSON),
            ("storms", stormsJSON),
            ("renewals_per_expiry", renewalsPerExpiryJSON),
            ("outdated_sends", .uint(outdatedSends)),
            ("known_dead_sends", .uint(knownDeadSends)),
            ("events", .array(expiries.records.map(event))),
            ("events_omitted", .uint(expiries.omitted)),
        ])
    }

    private var tilesJSON: JSONNode {
        .object([
            ("ok", .uint(tiles.ok)), ("refused", .uint(tiles.refused)),
            ("not_modified", .uint(tiles.notModified)), ("not_found", .uint(tiles.notFound)),
            ("faults", .uint(tiles.faults)), ("attempts_max", .uint(attemptsMax)),
            ("asks_left_rejected", .uint(tokens.asksLeftRejected)),
            ("asks_left_omitted", .uint(tokens.leftOmitted)),
        ])
    }

    /// A tile that was never refused has had one attempt.
    private var attemptsMax: UInt64 {
        max(tokens.attemptsMax, tiles.ok + tiles.notModified > 0 ? 1 : 0)
    }

    private var tokenRequestsJSON: JSONNode {
        .object([
            ("attempted", .uint(tokenRequests)), ("issued", .uint(tokens.issued)),
            ("duplicates", .uint(tokens.duplicates)), ("concurrent", .uint(tokens.sum.concurrent)),
            ("needless", .uint(tokens.sum.needless)), ("proactive", .uint(tokens.sum.proactive)),
            ("same", .uint(tokens.sum.same)), ("failed", .uint(tokens.sum.failed)),
            ("abandoned", .uint(tokens.sum.abandoned)),
            ("refresh_token_reuse", .uint(tokens.sum.refreshTokenReuse)),
        ])
    }

    private var tokensJSON: JSONNode {
        .object([
            ("live", .int(tokens.live)), ("revoked", .uint(tokens.revoked)),
            ("never_used", .uint(tokens.neverUsed)),
            ("rejected_on_first_use", .uint(tokens.rejectedOnFirstUse)),
            ("cells", .int(tokens.cells)), ("cells_omitted", .uint(tokens.cellsOmitted)),
        ])
    }

    private var refusalsJSON: JSONNode {
        .object([
            ("missing", .uint(tokens.refusedMissing)), ("unknown", .uint(tokens.refusedUnknown)),
            ("revoked", .uint(tokens.refusedRevoked)), ("expired", .uint(tokens.refusedExpired)),
            ("lagging", .uint(tokens.refusedLagging)),
        ])
    }

    private var stormsJSON: JSONNode {
        .object([
            ("count", .uint(tokens.expiryEvents)), ("max", .uint(tokens.stormMax)),
            ("late", .uint(tokens.late)),
        ])
    }

    /// Of the expiries that had a renewal; an empty object when there were none.
    private var renewalsPerExpiryJSON: JSONNode {
        let renewals = expiries.records.map { $0.renewals }.filter { $0 > 0 }
        guard let most = renewals.max() else { return .object([]) }
        let mean = Double(renewals.reduce(0, +)) / Double(renewals.count)
        return .object([("mean", .double(mean)), ("max", .uint(most))])
    }

    /// Times in seconds since the server's start, durations in milliseconds.
    private func event(_ record: ExpiryRecord) -> JSONNode {
        var members: [(String, JSONNode)] = [
            ("cell", .string(expiries.cellNames[record.cell])),
            ("generation", .uint(record.generation)), ("cause", .string(record.cause.rawValue)),
            ("refusals", .uint(record.refusals)), ("renewals", .uint(record.renewals)),
            ("first_refusal_s", .double(seconds(record.firstRefusalNS))),
        ]
        if let startNS = record.renewalStartNS {
            members.append(("renewal_start_s", .double(seconds(startNS))))
        }
        if let endNS = record.renewalEndNS {
            members.append(("renewal_end_s", .double(seconds(endNS))))
        }
        if let okNS = record.firstOKNS {
            members.append(("first_ok_ms", .double(milliseconds(record, okNS))))
        }
        if let fullNS = record.fullRecoveryNS {
            members.append(("full_recovery_ms", .double(milliseconds(record, fullNS))))
        }
        members.append(("tiles_left", .uint(record.tilesLeft)))
        return .object(members)
    }

    private func seconds(_ timeNS: UInt64) -> Double {
        Double(MonotonicClock.elapsedNS(from: startedAtNS, to: timeNS)) / 1e9
    }

    private func milliseconds(_ record: ExpiryRecord, _ timeNS: UInt64) -> Double {
        Double(MonotonicClock.elapsedNS(from: record.firstRefusalNS, to: timeNS)) / 1e6
    }
}
