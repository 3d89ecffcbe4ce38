import Foundation
import Glibc
import Metrics
import Testing
import Workload

@testable import Engine

/// What the desk keeps from one renewal to the next: refresh tokens, cookies, the file.
@Suite(.serialized)
struct RenewalMemoryTests {
    private typealias Office = RenewalDeskTests.Office

    /// Hands out tN and rN; a refresh token is good once. Two with one token and it refuses.
    private static func rotating(
        first: String = "r0", pause: @escaping @Sendable () -> Void = {}
    ) -> @Sendable (ScriptedEndpoint.Request) -> ScriptedEndpoint.Answer {
        { request in
            pause()
            let sent = request.body.split(separator: "&").last { $0.hasPrefix("refresh_token=") }
            let expected = request.number == 0 ? first : "r\(request.number)"
            guard sent == "refresh_token=\(expected)" else {
                return .status(400, #"{"error":"invalid_grant"}"#)
            }
            let next = request.number + 1
            return .json(#"{"access_token":"t\#(next)","refresh_token":"r\#(next)"}"#)
        }
    }

    private static func rotation(_ plan: inout RenewalPlan) {
        plan.kind = .refreshToken
        plan.credentials.refreshToken = "r0"
    }

    @Test func eachRefreshTokenIsUsedOnce() async throws {
        let endpoint = ScriptedEndpoint(Self.rotating())
        let office = Office(endpoint, Self.rotation)
        #expect(try await office.end(of: office.begin()) == .ok)
        for flight in 2...6 as ClosedRange<UInt64> {
            office.refuse()
            #expect(try await office.end(of: flight) == .ok)
        }
        office.close()
        #expect(office.stores[0].view().credential.text == "t6")
        #expect(office.tally.failed == 0)
        endpoint.stop()
    }

    /// An answer without one leaves the old one good.
    @Test func withoutRotationTheFirstIsUsedAgain() async throws {
        let endpoint = ScriptedEndpoint { request in
            request.body.contains("refresh_token=r0")
                ? .json(#"{"access_token":"t\#(request.number)"}"#) : .status(400, "{}")
        }
        let office = Office(endpoint, Self.rotation)
        #expect(try await office.end(of: office.begin()) == .ok)
        office.refuse()
        #expect(try await office.end(of: 2) == .ok)
        office.close()
        endpoint.stop()
    }

    /// The answer has no token that can be used, but the refresh token is spent all the same.
    @Test func aRefreshTokenBesideABadTokenIsKept() async throws {
        let endpoint = ScriptedEndpoint { request in
            if request.number == 0 {
                return .json(#"{"access_token":"a\nb","refresh_token":"r1"}"#)
            }
            return request.body.contains("=r1")
                ? .json(#"{"access_token":"t1"}"#) : .status(400, "{}")
        }
        let office = Office(endpoint, Self.rotation)
        #expect(try await office.end(of: office.begin()) == .ok)
        office.close()
        #expect(office.tally.attempted == 2)
        endpoint.stop()
    }

    /// So it is in the file, beside the last good token if there was one, for the next run.
    @Test(arguments: [#"a\nb"#, String(repeating: "%", count: 334)])
    func aRefreshTokenBesideABadTokenIsStored(_ bad: String) async throws {
        let endpoint = ScriptedEndpoint { request in
            let next = request.number
            return switch next {
            case 0, 3: .json(#"{"access_token":"\#(bad)","refresh_token":"n\#(next)"}"#)
            case 2: .json(#"{"access_token":"t","refresh_token":"n2","expires_in":60}"#)
            default: .status(400, #"{"error":"invalid_grant"}"#)
            }
        }
        try await withFile { file async throws in
            let first = Office(endpoint, file: file, Self.rotation)
            #expect(try await first.end(of: first.begin()) == .failed(.dead))
            first.close()
            var stored = file.load()
            #expect(stored.refreshToken == "n0" && stored.token == nil)

            let second = Office(
                endpoint, file: file, refreshToken: stored.refreshToken, Self.rotation)
            #expect(try await second.end(of: second.begin()) == .ok)
            second.refuse()
            #expect(try await second.end(of: 2) == .failed(.dead))
            second.close()
            stored = file.load()
            #expect(stored.refreshToken == "n3" && stored.token?.credential.text == "t")
            #expect(stored.token?.expiresAtEpochS != nil)
        }
        #expect(endpoint.requests.map { $0.body.hasSuffix("=n0") }[2])
        endpoint.stop()
    }

    private func withFile(_ body: (TokenFile) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "tilebench-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await body(TokenFile(path: folder.path + "/t.json", firstRefreshToken: "r0"))
    }

    /// The cell gives a flight up while its request is out: the next flight waits for what that
    /// request brings, or it would use a refresh token twice.
    @Test func anAbandonedFlightBringsItsRefreshTokenHome() async throws {
        let endpoint = ScriptedEndpoint(Self.rotating { usleep(100_000) })
        let office = Office(endpoint, Self.rotation)
        office.queue.start(cell: 0, flight: 77)
        try await eventually("the request is there") { endpoint.requests.isEmpty ? nil : true }
        office.queue.abort(cell: 0, flight: 77)
        #expect(try await office.end(of: office.begin()) == .ok)
        office.close()
        #expect(endpoint.requests.count == 2 && endpoint.openMax == 1)
        #expect(office.stores[0].view().credential.text == "t2")
        #expect(office.stores[0].closedLedger(nowNS: 0).ledger.tokensLost == 1)
        #expect(office.tally.attempted == 2 && office.tally.succeeded == 1)
        endpoint.stop()
    }

    @Test func theFileKeepsWhatTheEndOfTheRunCutOff() async throws {
        let isClosing = DispatchSemaphore(value: 0)
        let endpoint = ScriptedEndpoint(
            Self.rotating {
                // The end of a run waits a second for what is out, so the answer must be near.
                isClosing.wait()
                isClosing.signal()
                usleep(20_000)
            })
        try await withFile { file async throws in
            let office = Office(endpoint, file: file, Self.rotation)
            _ = office.begin()
            try await eventually("the request is there") {
                endpoint.requests.isEmpty ? nil : true
            }
            office.stores[0].shutDown(nowNS: MonotonicClock.nowNS())
            isClosing.signal()
            office.close()
            let stored = file.load()
            #expect(stored.refreshToken == "r1" && stored.token?.credential.text == "t1")

            // The next run goes on with it.
            let later = Office(
                endpoint, file: file, refreshToken: stored.refreshToken, Self.rotation)
            #expect(try await later.end(of: later.begin()) == .ok)
            later.close()
            #expect(file.load().refreshToken == "r2")
        }
        endpoint.stop()
    }

    // MARK: cookies

    @Test func cookiesOfTheBackEndComeBack() async throws {
        let endpoint = ScriptedEndpoint { request in
            let headers =
                request.number == 0
                ? [
                    "Set-Cookie: sid=abc; Path=/; HttpOnly", "Set-Cookie: once=1; Max-Age=0",
                    "Set-Cookie: elsewhere=1; Path=/other",
                ] : []
            return .json(#"{"token":"t\#(request.number)"}"#, headers: headers)
        }
        let office = Office(endpoint) { plan in
            plan.headers = [HeaderPlan(name: "Cookie", value: "own=1")]
        }
        #expect(try await office.end(of: office.begin()) == .ok)
        for flight in 2...3 as ClosedRange<UInt64> {
            office.refuse()
            #expect(try await office.end(of: flight) == .ok)
        }
        office.close()
        let cookies = endpoint.requests.map { request in
            request.headers.filter { $0.name == "Cookie" }.map(\.value)
        }
        #expect(cookies == [["own=1"], ["sid=abc; own=1"], ["sid=abc; own=1"]])
        endpoint.stop()
    }

    @Test func cellsHaveCookiesOfTheirOwn() async throws {
        let endpoint = ScriptedEndpoint { request in
            let user = request.line.split(separator: " ")[1].split(separator: "=")[1]
            return .json(
                #"{"token":"t\#(request.number)"}"#, headers: ["Set-Cookie: u=\(user)"])
        }
        let office = Office(endpoint, cells: 20) { $0.url += "?u={user}" }
        for cell in 0..<20 { _ = office.begin(cell) }
        for cell in 0..<20 { #expect(try await office.end(of: 1, cell) == .ok) }
        for cell in 0..<20 { office.refuse(cell) }
        for cell in 0..<20 { #expect(try await office.end(of: 2, cell) == .ok) }
        office.close()
        for request in endpoint.requests.dropFirst(20) {
            let user = request.line.split(separator: " ")[1].split(separator: "=")[1]
            #expect(request.header("cookie") == "u=\(user)")
        }
        endpoint.stop()
    }
}
