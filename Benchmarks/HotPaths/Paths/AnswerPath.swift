import Engine
import Metrics

/// Reading the headers of an answer from a CDN, line by line as a transport hands them over, and
/// saying what it means.
struct AnswerPath: HotPath {
    struct State {
        let lines: UnsafeMutableBufferPointer<UnsafeMutableBufferPointer<UInt8>>
        let body: UnsafeMutableBufferPointer<UInt8>
    }

    let operations = 50_000

    private static let headers = [
        "HTTP/1.1 200 OK", "Server: nginx", "Date: Sun, 06 Nov 1994 08:49:37 GMT",
        "Content-Type: image/png", "Content-Length: 8600", "Connection: keep-alive",
        "Last-Modified: Sat, 05 Nov 1994 08:49:37 GMT", "ETag: \"5f1b9c-2198\"",
        "Cache-Control: public, max-age=86400", "Access-Control-Allow-Origin: *", "Age: 1234",
        "Via: 1.1 varnish", "X-Served-By: cache-1, cache-2", "X-Cache: MISS, HIT",
        "X-Cache-Hits: 0, 3", "",
    ]

    func setUp() -> State {
        let lines = UnsafeMutableBufferPointer<UnsafeMutableBufferPointer<UInt8>>.allocate(
            capacity: Self.headers.count)
        _ = lines.initialize(from: Self.headers.map { Bytes.copy(Array(($0 + "\r\n").utf8)) })
        return State(lines: lines, body: Bytes.copy(Bytes.png))
    }

    func run(_ state: inout State) -> UInt64 {
        var facts = AnswerFacts()
        var sum: UInt64 = 0
        for _ in 0..<operations {
            for line in state.lines { facts.note(line: UnsafeRawBufferPointer(line)) }
            let verdict = facts.cache.verdict(status: 200)
            let outcome = OutcomeRule.outcome(
                status: 200, facts: facts, prefix: UnsafeBufferPointer(state.body),
                bodyBytes: 8600, isUnpacked: true, isRefusal: false)
            sum &+= UInt64(verdict.cls.rawValue) &+ UInt64(outcome.rawValue)
        }
        return sum
    }

    func tearDown(_ state: State) {
        for line in state.lines { line.deallocate() }
        state.lines.deallocate()
        state.body.deallocate()
    }
}
