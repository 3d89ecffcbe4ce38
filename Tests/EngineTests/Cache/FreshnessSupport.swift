import CCurl
import Workload

@testable import Engine

/// Headers of an answer as libcurl's callback gives them, and when it came: clocks that stand.
final class NotedAnswer {
    let policy: CachePolicy
    let notes = UnsafeMutablePointer<AnswerNotes>.allocate(capacity: 1)

    init(
        _ rules: CachePlan.Rules, _ headers: [(String, String)], changing: [String] = []
    ) {
        policy = CachePolicy(rules, changingHeaders: changing)
        notes.initialize(to: AnswerNotes(policy))
        let lines = ["HTTP/1.1 200 \r\n"] + headers.map { "\($0.0): \($0.1)\r\n" } + ["\r\n"]
        for line in lines {
            Array(line.utf8).withUnsafeBytes { notes.pointee.note(line: $0) }
        }
    }

    deinit {
        notes.pointee.free()
        notes.deallocate()
    }

    var headers: CachingHeaders { notes.pointee.headers }
}

/// 2026-01-01T12:00:00Z, when the answers of the vectors came.
let vectorEpochS: Int64 = 1_767_268_800
/// Any monotonic time, far enough from 0 for old answers.
let startNS: UInt64 = 1_000_000_000_000_000_000

extension AnswerTimes {
    /// At a time after `startNS`, asked for a while before.
    static func at(_ seconds: UInt64 = 0, delayS: UInt64 = 0) -> AnswerTimes {
        AnswerTimes(
            sentNS: startNS + (seconds - delayS) * secondNS,
            receivedNS: startNS + seconds * secondNS,
            receivedEpochS: vectorEpochS + Int64(seconds))
    }
}

extension ClientCache {
    /// As `store`, with an answer that lives as long as the call. Nil: no rules are honoured.
    func store(
        user: Int32 = 0, key: UInt64, bodyBytes: UInt64 = 10, status: Int = 200,
        tokenMark: UInt64 = 0, _ answer: NotedAnswer?, times: AnswerTimes = .at()
    ) -> Int? {
        withExtendedLifetime(answer) {
            store(
                user: user, key: key, bodyBytes: bodyBytes, status: status, tokenMark: tokenMark,
                notes: answer.map { UnsafePointer($0.notes) }, times: times)
        }
    }

    func freshen(user: Int32 = 0, key: UInt64, with answer: NotedAnswer, times: AnswerTimes) {
        withExtendedLifetime(answer) {
            freshen(user: user, key: key, notes: UnsafePointer(answer.notes), times: times)
        }
    }

    /// The lines of a request that asks whether the kept answer is still good; none: it has no
    /// validators.
    func conditionLines(user: Int32 = 0, key: UInt64) -> [String] {
        let condition = ConditionPointer.allocate(capacity: 1)
        condition.initialize(to: RequestCondition())
        defer {
            condition.pointee.free()
            condition.deallocate()
        }
        guard copyValidators(user: user, key: key, into: condition) else { return [] }
        var lines: [String] = []
        var next = condition.pointee.list(before: nil)
        while let node = next {
            lines.append(String(cString: node.pointee.data))
            next = node.pointee.next
        }
        return lines
    }
}
