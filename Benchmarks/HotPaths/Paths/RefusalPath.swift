import Engine
import Workload

/// Whether an answer refuses the token; nearly all are images and do not.
struct RefusalPath: HotPath {
    struct State {
        let rule: RefusalRule
        let facts: AnswerFacts
        let body: UnsafeMutableBufferPointer<UInt8>
    }

    let operations = 1_000_000

    func setUp() -> State {
        var facts = AnswerFacts()
        Array("Content-Type: image/png\r\n".utf8).withUnsafeBytes { facts.note(line: $0) }
        return State(
            rule: RefusalRule(RejectionPlan()), facts: facts, body: Bytes.copy(Bytes.png))
    }

    func run(_ state: inout State) -> UInt64 {
        let body = UnsafeBufferPointer(state.body)
        var refusals: UInt64 = 0
        for _ in 0..<operations
        where state.rule.isRefusal(status: 200, facts: state.facts, prefix: body) {
            refusals += 1
        }
        return refusals
    }

    func tearDown(_ state: State) { state.body.deallocate() }
}
