import Glibc
import JSONText
import Synchronization

extension TokenDesk {
    /// A request for a token has come; nil: there are too many cells. Its answer, or that there is
    /// none, must be told by ``end(_:_:)`` or ``grant(_:_:nowNS:)``.
    func begin(
        _ request: TokenRequest, client: Int, on connection: OpenRenewal.Connection, nowNS: UInt64
    ) -> OpenRenewal? {
        book.withLock {
            $0.begin(
                request, client: client, on: connection, nowNS: nowNS,
                isClosed: TokenDesk.isClosed)
        }
    }

    func end(_ renewal: OpenRenewal, _ end: TokenBook.RenewalEnd) {
        book.withLock { $0.end(renewal, end) }
    }

    /// Ends the request with a token as the JSON answer of `/token`. nil: its refresh token does
    /// not allow it.
    func grant(_ renewal: OpenRenewal, _ gift: TokenBook.Gift, nowNS: UInt64) -> JSONNode? {
        let (key, refresh) = (TokenKey.random(), TokenKey.random())
        let grant = book.withLock { book in
            let grant = book.grant(
                renewal, gift, key: key, refresh: refresh, nowNS: nowNS,
                isClosed: TokenDesk.isClosed)
            if case .invalid = grant {
                book.end(renewal, .failed)
            } else {
                book.end(renewal, .granted)
            }
            return grant
        }
        guard case .token(let given, let expiresAtNS, let nextRefresh) = grant else { return nil }
        var answer: [(String, JSONNode)] = [
            ("token", .string(given.text)), ("access_token", .string(given.text)),
            ("token_type", .string("Bearer")),
        ]
        if let nextRefresh { answer.append(("refresh_token", .string(nextRefresh.text))) }
        if let toldNS = toldLifeNS(expiresAtNS, nowNS: nowNS) {
            answer.append(("expires_in", TokenDesk.seconds(toldNS)))
        }
        return .object(answer)
    }

    private func toldLifeNS(_ expiresAtNS: UInt64, nowNS: UInt64) -> UInt64? {
        guard options.advertise else { return nil }
        if let lieNS = options.advertisedNS { return lieNS }
        return expiresAtNS == .max ? nil : expiresAtNS - min(nowNS, expiresAtNS)
    }

    /// Seconds: whole where the time is whole, as most clients expect.
    private static func seconds(_ timeNS: UInt64) -> JSONNode {
        let (whole, rest) = timeNS.quotientAndRemainder(dividingBy: 1_000_000_000)
        return rest == 0 ? .uint(whole) : .double(Double(timeNS) / 1e9)
    }

    /// Whether the peer has closed the connection, or it is gone.
    static func isClosed(_ descriptor: Int32) -> Bool {
        var byte: UInt8 = 0
        let count = recv(descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
        return count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR)
    }
}
