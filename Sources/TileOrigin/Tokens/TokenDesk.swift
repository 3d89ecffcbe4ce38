import JSONText
import Synchronization

/// What the desk thinks of the token of one request.
enum TokenVerdict: Int, CaseIterable {
    case accepted
    case missing
    /// Never issued here.
    case unknown
    case revoked
    case expired
}

/// What a connection remembers between its requests. Server thread of the connection only.
struct ConnectionMemo {
    /// The token accepted last on this connection; generation 0: none.
    var key = TokenKey(high: 0, low: 0)
    var generation: UInt64 = 0
    var expiresAtNS: UInt64 = 0
    /// The newest generation that had reached the server before the last tile's answer on this
    /// connection was written.
    var newestAtAnswer: UInt64 = 0
}

/// Issues tokens, judges them, revokes them.
///
/// Tokens are numbered in the order of issue (generations). A revocation kills everything issued so
/// far, so being revoked is one comparison with `revokedThrough`; an issued token leaves the older
/// ones alone. The hot path, a connection that shows the same token again, takes no lock.
///
/// **Outdated sends.** A request on a kept connection (HTTP/1.1, no pipelining) cannot have left
/// the client before the previous answer on that connection was written. If a newer token of the
/// client had already reached the server at that moment, the client sent the old one although it
/// had the newer one: proved without comparing clocks. Not complete: the first request of a
/// connection proves nothing. All requests are taken for one client's.
final class TokenDesk: Sendable {
    let options: OriginOptions.Token
    private let book = Mutex(TokenBook())
    /// All generations up to this one are revoked. Written under `book`.
    private let revokedThrough = Atomic<UInt64>(0)
    /// The newest generation that a request has borne.
    private let newestReceived = Atomic<UInt64>(0)

    init(_ options: OriginOptions.Token) {
        self.options = options
    }

    /// Judges a request's token; `outdated` is set if the request is proved to be an outdated send.
    @inline(__always)
    func check(
        _ text: UnsafePointer<CChar>?, count: Int, memo: UnsafeMutablePointer<ConnectionMemo>,
        nowNS: UInt64, outdated: inout Bool
    ) -> TokenVerdict {
        guard let text else { return refuse(.missing) }
        guard let key = TokenKey(text, count: count) else { return refuse(.unknown) }
        if memo.pointee.generation != 0, memo.pointee.key == key {
            let generation = memo.pointee.generation
            if nowNS < memo.pointee.expiresAtNS,
                generation > revokedThrough.load(ordering: .acquiring)
            {
                outdated = generation < memo.pointee.newestAtAnswer
                return .accepted
            }
        }
        return lookUp(key, memo: memo, nowNS: nowNS, outdated: &outdated)
    }

    private func refuse(_ verdict: TokenVerdict) -> TokenVerdict {
        book.withLock { $0.refused(verdict, generation: nil) }
        return verdict
    }

    private func lookUp(
        _ key: TokenKey, memo: UnsafeMutablePointer<ConnectionMemo>, nowNS: UInt64,
        outdated: inout Bool
    ) -> TokenVerdict {
        let (verdict, generation, expiresAtNS) = book.withLock {
            book -> (TokenVerdict, UInt64, UInt64) in
            guard let generation = book.generation(of: key),
                let expiresAtNS = book.expiry(of: generation)
            else {
                book.refused(.unknown, generation: nil)
                return (.unknown, 0, 0)
            }
            let verdict: TokenVerdict =
                if generation <= revokedThrough.load(ordering: .relaxed) {
                    .revoked
                } else if nowNS >= expiresAtNS {
                    .expired
                } else {
                    .accepted
                }
            if verdict == .accepted {
                book.accepted(generation)
            } else {
                book.refused(verdict, generation: generation)
            }
            return (verdict, generation, expiresAtNS)
        }
        guard generation > 0 else { return verdict }
        newestReceived.max(generation, ordering: .acquiringAndReleasing)
        outdated = generation < memo.pointee.newestAtAnswer
        if verdict == .accepted {
            memo.pointee.key = key
            memo.pointee.generation = generation
            memo.pointee.expiresAtNS = expiresAtNS
        }
        return verdict
    }

    /// An answer on the memo's connection is about to be written. Not after it: the client may have
    /// read it by then and have sent its next request, before a newer token came to another
    /// thread of the server.
    @inline(__always)
    func willAnswer(_ memo: UnsafeMutablePointer<ConnectionMemo>) {
        memo.pointee.newestAtAnswer = newestReceived.load(ordering: .acquiring)
    }

    /// A new token as the JSON answer of `/token`.
    func issue(nowNS: UInt64) -> JSONNode {
        let key = TokenKey.random()
        let expiresAtNS = options.ttlNS.map { nowNS &+ $0 } ?? .max
        book.withLock {
            let revoked = revokedThrough.load(ordering: .relaxed)
            $0.issue(key, nowNS: nowNS, expiresAtNS: expiresAtNS, revokedThrough: revoked)
        }
        var answer: [(String, JSONNode)] = [
            ("token", .string(key.text)), ("access_token", .string(key.text)),
            ("token_type", .string("Bearer")),
        ]
        if options.advertise, let ttlNS = options.ttlNS {
            answer.append(("expires_in", TokenDesk.seconds(ttlNS)))
        }
        return .object(answer)
    }

    /// Kills every token issued so far and says how many of them were alive.
    func revoke(nowNS: UInt64) -> Int {
        book.withLock {
            let dead = $0.revoke(
                nowNS: nowNS, revokedThrough: revokedThrough.load(ordering: .relaxed))
            revokedThrough.store($0.newest, ordering: .releasing)
            return dead
        }
    }

    func statistics(nowNS: UInt64) -> TokenStatistics {
        book.withLock {
            $0.statistics(nowNS: nowNS, revokedThrough: revokedThrough.load(ordering: .relaxed))
        }
    }

    /// Seconds: whole where the time is whole, as most clients expect.
    private static func seconds(_ timeNS: UInt64) -> JSONNode {
        let (whole, rest) = timeNS.quotientAndRemainder(dividingBy: 1_000_000_000)
        return rest == 0 ? .uint(whole) : .double(Double(timeNS) / 1e9)
    }
}
