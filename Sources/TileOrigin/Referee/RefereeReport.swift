package import JSONText

extension RefereeVerdict {
    /// The members of report.json that say what was judged; `book` is what the verdict is of.
    package func members(_ book: RefereeBook) -> [(String, JSONNode)] {
        [
            ("duration_s", book.seconds(book.endedAtNS)),
            ("verdict", .string(outcome.rawValue)),
            ("sentence", .string(sentence)),
            ("clients", .array(rows.map { client($0, book) })),
            ("strangers", .array(strangers.map { .string($0) })),
            ("events", .array(book.expiries.map { book.event($0) })),
            (
                "omitted",
                .object([
                    ("events", .uint(book.expiriesOmitted)),
                    ("token_requests", .uint(book.cellsOmitted)),
                    ("clients", .uint(book.clientsOmitted)), ("tiles", .uint(book.tilesOmitted)),
                ])
            ),
        ]
    }

    private func client(_ row: Row, _ book: RefereeBook) -> JSONNode {
        let cell = book.cells[row.cell]
        let counts = cell.counts
        return .object([
            ("client", .string(book.clients[cell.client].address)), ("cell", .string(cell.name)),
            ("verdict", .string(row.outcome.rawValue)),
            ("charges", .array(row.charges.map { .string($0.rawValue) })),
            ("sentence", .string(row.sentence)), ("expiries", .uint(cell.expiries)),
            ("token_requests", .uint(counts.requests)), ("tokens_issued", .uint(counts.issued)),
            ("renewals", .uint(cell.renewals)), ("needless", .uint(counts.needless)),
            ("concurrent", .uint(counts.concurrent)), ("proactive", .uint(counts.proactive)),
            ("starts", .uint(counts.starts)),
            ("refresh_token_reuse", .uint(counts.refreshTokenReuse)),
            ("failed", .uint(counts.failed)), ("abandoned", .uint(counts.abandoned)),
            ("refusals", .uint(counts.refusals)), ("late_refusals", .uint(counts.late)),
            ("known_dead_sends", .uint(cell.knownDeadSends)),
            ("outdated_sends", .uint(cell.outdatedSends)), ("tiles_ok", .uint(cell.delivered)),
            ("asks_left_rejected", .uint(cell.tilesLeft)),
            ("attempts_max", .uint(cell.attemptsMax)),
        ])
    }
}

extension RefereeBook {
    /// Since the start of the server.
    fileprivate func seconds(_ timeNS: UInt64) -> JSONNode {
        .double(Double(MonotonicClock.elapsedNS(from: startedAtNS, to: timeNS)) / 1e9)
    }

    fileprivate func event(_ record: ExpiryRecord) -> JSONNode {
        func milliseconds(_ timeNS: UInt64) -> JSONNode {
            let afterNS = MonotonicClock.elapsedNS(from: record.firstRefusalNS, to: timeNS)
            return .double(Double(afterNS) / 1e6)
        }
        var members: [(String, JSONNode)] = [
            ("cell", .string(subject(record.cell))), ("generation", .uint(record.generation)),
            ("cause", .string(record.cause.rawValue)),
            ("first_refusal_s", seconds(record.firstRefusalNS)),
        ]
        if let startNS = record.renewalStartNS {
            members.append(("renewal_start_s", seconds(startNS)))
        }
        if let endNS = record.renewalEndNS { members.append(("renewal_end_s", seconds(endNS))) }
        if let okNS = record.firstOKNS {
            members.append(("first_ok_s", seconds(okNS)))
            members.append(("first_ok_ms", milliseconds(okNS)))
        }
        if let fullNS = record.fullRecoveryNS {
            members.append(("full_recovery_s", seconds(fullNS)))
            members.append(("full_recovery_ms", milliseconds(fullNS)))
        }
        members.append(("storm", .uint(record.refusals)))
        members.append(("renewals", .uint(record.renewals)))
        members.append(("asks_left_rejected", .uint(record.tilesLeft)))
        return .object(members)
    }
}
