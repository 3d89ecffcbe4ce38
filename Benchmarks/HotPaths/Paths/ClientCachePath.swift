import Engine
import Workload

/// What an ask does for a client cache that honours HTTP: a look, the lines of a conditional
/// request, the headers of the answer, and the answer kept or found to be still good. The cache is
/// full, so that each new tile puts an old one out.
struct ClientCachePath: HotPath {
    struct State {
        let cache: ClientCache
        let policy: CachePolicy
        let notes: UnsafeMutablePointer<AnswerNotes>
        let condition: ConditionPointer
        let lines: UnsafeMutableBufferPointer<UnsafeMutableBufferPointer<UInt8>>
        var nowNS: UInt64 = 1 << 60
    }

    let operations = 20_000
    /// Twice as many as fit.
    private static let keys: UInt64 = 4_096
    private static let bodyBytes: UInt64 = 1_000

    private static let headers = [
        "HTTP/1.1 200 OK", "Server: nginx", "Date: Sun, 06 Nov 1994 08:49:37 GMT",
        "Content-Type: image/png", "Last-Modified: Sat, 05 Nov 1994 08:49:37 GMT",
        "ETag: \"15cf3221a855106d1bb253ddfa9959d5\"", "Vary: Accept-Encoding",
        "Cache-Control: public, max-age=0", "",
    ]

    func setUp() -> State {
        let lines = UnsafeMutableBufferPointer<UnsafeMutableBufferPointer<UInt8>>.allocate(
            capacity: Self.headers.count)
        _ = lines.initialize(from: Self.headers.map { Bytes.copy(Array(($0 + "\r\n").utf8)) })
        let policy = CachePolicy(.rfc9111)
        let notes = UnsafeMutablePointer<AnswerNotes>.allocate(capacity: 1)
        notes.initialize(to: AnswerNotes(policy))
        let condition = ConditionPointer.allocate(capacity: 1)
        condition.initialize(to: RequestCondition())
        let cache = ClientCache(
            sizeBytes: Self.keys / 2 * Self.bodyBytes, isPerUser: false, rules: .rfc9111)
        var state = State(
            cache: cache, policy: policy, notes: notes, condition: condition, lines: lines)
        // Full, and all its memory taken.
        _ = run(&state)
        return state
    }

    func run(_ state: inout State) -> UInt64 {
        var sum: UInt64 = 0
        for index in 0..<UInt64(operations) {
            state.nowNS += 1_000
            let mixed = index &* 0x9E37_79B9_7F4A_7C15
            sum &+= ask(state, key: (mixed >> 40) % Self.keys)
        }
        return sum
    }

    /// Keys come back when they have been put out, and some before.
    private func ask(_ state: State, key: UInt64) -> UInt64 {
        let cache = state.cache
        let found = cache.lookup(user: 0, key: key, tokenMark: 0, nowNS: state.nowNS)
        let isConditional =
            found.state == .revalidate
            && cache.copyValidators(user: 0, key: key, into: state.condition)
        for line in state.lines { state.notes.pointee.note(line: UnsafeRawBufferPointer(line)) }
        let times = AnswerTimes(
            sentNS: state.nowNS, receivedNS: state.nowNS, receivedEpochS: 784_111_777)
        if isConditional {
            cache.freshen(user: 0, key: key, notes: state.notes, times: times)
            return 1
        }
        let evicted = cache.store(
            user: 0, key: key, bodyBytes: Self.bodyBytes, status: 200, tokenMark: 0,
            notes: state.notes, times: times)
        return UInt64(evicted ?? 0)
    }

    func tearDown(_ state: State) {
        for line in state.lines { line.deallocate() }
        state.lines.deallocate()
        state.notes.pointee.free()
        state.notes.deallocate()
        state.condition.pointee.free()
        state.condition.deallocate()
    }
}
