import Foundation
import Glibc
import Metrics
import Testing
import Workload

@testable import Engine

/// The desk with real cells against an endpoint that answers as told.
@Suite(.serialized)
struct RenewalDeskTests {
    /// A desk with its thread and its cells, none of which has a token.
    final class Office: Sendable {
        let queue = RenewalQueue()
        let stores: [TokenStore]
        let desk: RenewalDesk
        private let ended = DispatchSemaphore(value: 0)

        init(
            _ endpoint: ScriptedEndpoint, cells: Int = 1, timeoutMS: UInt64 = 2000,
            deviations: Deviations = [], file: TokenFile? = nil, refreshToken: String? = nil,
            _ change: (inout RenewalPlan) -> Void = { _ in }
        ) {
            var renewal = RenewalPlan(url: endpoint.url, timeoutNS: timeoutMS * 1_000_000)
            change(&renewal)
            var target = TargetPlan(templates: ["http://127.0.0.1/{z}/{x}/{y}?t={token}"])
            target.headers = [HeaderPlan(name: "User-Agent", value: "tilebench/test")]
            let plan = Plan(
                name: "desk", target: target,
                workload: WorkloadPlan(kind: .popular(exponent: 1, weights: .osm)),
                load: LoadPlan(shape: .users(1)))
            var setup = RenewalDesk.Setup(
                plan: plan, renewal: renewal, tokenBytesMax: 1000, tokenFile: file)
            setup.isSerial = deviations.contains(.serialFlights)
            setup.refreshToken = refreshToken
            desk = RenewalDesk(setup, queue: queue)
            stores = (0..<cells).map { [queue] number in
                TokenStore(
                    number: number,
                    cell: TokenCell(
                        limits: TokenCell.Limits(), deviations: deviations, seed: UInt64(number)),
                    hub: TokenHub(renewal: queue, isPerUser: false))
            }
            Thread.detachNewThread { [desk, stores, ended] in
                desk.run { stores[$0] }
                ended.signal()
            }
        }

        var tally: RenewalTally { desk.currentTally() }

        /// A renewal of the cell, which had no token until now; its flight.
        func begin(_ cell: Int = 0) -> UInt64 {
            stores[cell].beginByRenewal(nowNS: MonotonicClock.nowNS())
        }

        /// The token in hand works, and is then refused: another renewal.
        func refuse(_ cell: Int = 0) {
            let store = stores[cell]
            let refusal = Refusal(generation: store.view().generation, refusals: 1)
            store.accepted(generation: refusal.generation, nowNS: MonotonicClock.nowNS())
            _ = store.refused(refusal, nowNS: MonotonicClock.nowNS())
        }

        func end(of flight: UInt64, _ cell: Int = 0) async throws -> TokenCell.FlightEnd {
            try await eventually("flight \(flight) ends") { stores[cell].end(of: flight) }
        }

        func close() {
            queue.closeQueue()
            ended.wait()
        }
    }

    @Test func aTokenArrives() async throws {
        let endpoint = ScriptedEndpoint { _ in .json(#"{"token":"t1","expires_in":60}"#) }
        let office = Office(endpoint)
        let flight = office.begin()
        #expect(try await office.end(of: flight) == .ok)
        #expect(office.stores[0].view().credential == Credential("t1"))
        office.close()
        #expect(office.tally.attempted == 1 && office.tally.succeeded == 1)
        #expect(office.tally.errors.isEmpty && office.tally.successesNS.count == 1)
        let request = try #require(endpoint.requests.first)
        #expect(request.line == "GET /token HTTP/1.1")
        #expect(request.header("user-agent") == "tilebench/test")
        #expect(request.header("cache-control") == "no-cache")
        endpoint.stop()
    }

    @Test func triesGoOnInsideTheFlight() async throws {
        let endpoint = ScriptedEndpoint { request in
            request.number < 2 ? .status(500, "no") : .json(#"{"token":"t1"}"#)
        }
        let office = Office(endpoint)
        #expect(try await office.end(of: office.begin()) == .ok)
        office.close()
        #expect(office.tally.attempted == 3 && office.tally.failed == 2)
        #expect(office.tally.errors.map(\.text) == ["the token endpoint answered 500"])
        #expect(office.tally.errors.map(\.count) == [2])
        endpoint.stop()
    }

    @Test func aTokenMustFitTheURLs() async throws {
        let long = String(repeating: "%", count: 334)
        let endpoint = ScriptedEndpoint { request in
            .json("{\"token\":\"\(request.number == 0 ? long : String(long.dropLast()))\"}")
        }
        let office = Office(endpoint)
        #expect(try await office.end(of: office.begin()) == .ok)
        office.close()
        // Three bytes for each in a URL, of which a thousand are free.
        #expect(office.tally.errors.map(\.text) == ["a token too long for a tile's URL"])
        endpoint.stop()
    }

    @Test(arguments: [
        (ScriptedEndpoint.Answer.status(400, #"{"error":"invalid_grant"}"#), 1, AuthEnd.dead),
        (.status(401, ""), 1, .dead), (.status(500, ""), 3, .cooling), (.close, 3, .cooling),
        (.json("{"), 3, .cooling), (.json(#"{"token":"a\r\nb"}"#), 3, .cooling),
    ])
    func failures(
        _ answer: ScriptedEndpoint.Answer, _ tries: Int, _ expected: AuthEnd
    ) async throws {
        let endpoint = ScriptedEndpoint { _ in answer }
        let office = Office(endpoint)
        #expect(try await office.end(of: office.begin()) == expected.end)
        office.close()
        // libcurl repeats nothing: what the endpoint saw is what was tried.
        #expect(endpoint.requests.count == tries && office.tally.attempted == UInt64(tries))
        #expect(office.tally.failed == UInt64(tries))
        endpoint.stop()
    }

    enum AuthEnd: Sendable {
        case dead, cooling

        var end: TokenCell.FlightEnd { .failed(self == .dead ? .dead : .cooling) }
    }

    @Test func aHangingEndpointIsLeftAfterTheTimeout() async throws {
        let endpoint = ScriptedEndpoint { request in
            request.number == 0 ? .hang : .json(#"{"token":"t1"}"#)
        }
        let office = Office(endpoint, timeoutMS: 100)
        #expect(try await office.end(of: office.begin()) == .ok)
        office.close()
        #expect(
            office.tally.errors.map(\.text) == [
                "the token endpoint did not answer within 100ms (auth.renewal.timeout)"
            ])
        endpoint.stop()
    }

    @Test func anAbortEndsTheRequestAtOnce() async throws {
        let endpoint = ScriptedEndpoint { _ in .hang }
        let office = Office(endpoint, timeoutMS: 60_000)
        _ = office.begin()
        try await eventually("the request is there") { endpoint.requests.isEmpty ? nil : true }
        let before = MonotonicClock.nowNS()
        office.stores[0].shutDown(nowNS: before)
        try await eventually("the try is over") { office.tally.failed == 1 ? true : nil }
        office.close()
        #expect(MonotonicClock.nowNS() - before < 20_000_000_000)
        #expect(office.tally.attempted == 1)
        // Nobody's fault, so no error.
        #expect(office.tally.abandoned == 1 && office.tally.errors.isEmpty)
        endpoint.stop()
    }

    @Test func theQueuesEndEndsEverything() async throws {
        let endpoint = ScriptedEndpoint { _ in .hang }
        let office = Office(endpoint, cells: 100, timeoutMS: 60_000)
        for cell in 0..<100 { _ = office.begin(cell) }
        try await eventually("64 are there") { endpoint.requests.count >= 64 ? true : nil }
        let before = MonotonicClock.nowNS()
        office.close()
        #expect(MonotonicClock.nowNS() - before < 20_000_000_000)
        #expect(office.tally.attempted == 64 && office.tally.failed == 64)
        endpoint.stop()
    }

    /// Hundreds of cells at one time: each gets its own, at most 64 at once, in order.
    @Test func manyCellsAtOnce() async throws {
        let endpoint = ScriptedEndpoint { request in
            if request.number == 0 { request.waitForAnother() }
            return .json(#"{"token":"t\#(request.number)"}"#)
        }
        let office = Office(endpoint, cells: 300, timeoutMS: 60_000)
        for cell in 0..<300 { _ = office.begin(cell) }
        for cell in 0..<300 { #expect(try await office.end(of: 1, cell) == .ok) }
        office.close()
        #expect(office.tally.succeeded == 300 && office.tally.attempted == 300)
        #expect(endpoint.openMax <= 64 && endpoint.openMax > 1)
        #expect(Set(office.stores.map { $0.view().credential.text }).count == 300)
        endpoint.stop()
    }

    /// A client that holds a lock over each renewal has one out at a time. No answer comes before
    /// all refusals are there: a token that arrives between two of them would be taken for refused
    /// on its first use, and three such in a row end in a pause.
    @Test(arguments: [true, false]) func severalFlightsOfACell(_ isSerial: Bool) async throws {
        let areRefused = DispatchSemaphore(value: 0)
        let endpoint = ScriptedEndpoint { request in
            if request.number == 1 {
                areRefused.wait()
                // Time for others to come that should not, or until one comes that should.
                if isSerial { usleep(100_000) } else { request.waitForAnother() }
            }
            return .json(#"{"token":"t\#(request.number)"}"#)
        }
        let office = Office(
            endpoint, timeoutMS: 60_000,
            deviations: isSerial ? Deviations(.lockOnly) : Deviations(.naive))
        #expect(try await office.end(of: office.begin()) == .ok)
        for _ in 0..<8 { office.refuse() }
        areRefused.signal()
        try await eventually("all are back") { office.tally.succeeded == 9 ? true : nil }
        office.close()
        #expect(isSerial ? endpoint.openMax == 1 : endpoint.openMax > 1)
        endpoint.stop()
    }

    @Test func theRefusedTokenAgainIsAFailedTry() async throws {
        let endpoint = ScriptedEndpoint { request in
            .json(#"{"token":"\#(request.number == 2 ? "t2" : "t1")"}"#)
        }
        let office = Office(endpoint)
        #expect(try await office.end(of: office.begin()) == .ok)
        office.refuse()
        #expect(try await office.end(of: 2) == .ok)
        office.close()
        #expect(office.tally.attempted == 3 && office.tally.same == 1)
        #expect(office.tally.failed == 1)
        #expect(office.stores[0].view().credential.text == "t2")
        endpoint.stop()
    }
}

private struct NeverHappened: Error {
    var what: String
}

/// The first thing that `look` finds; a failure after a minute.
@discardableResult
func eventually<Found>(
    _ what: String, isolation: isolated (any Actor)? = #isolation, _ look: () -> Found?
) async throws -> Found {
    for _ in 0..<60_000 {
        if let found = look() { return found }
        try await Task.sleep(for: .milliseconds(1))
    }
    throw NeverHappened(what: what)
}
