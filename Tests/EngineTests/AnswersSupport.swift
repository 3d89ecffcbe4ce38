import Foundation
import JSONText
import Testing
import Workload

@testable import Engine

/// The vectors beside this file, parsed.
func vectors(_ name: String) throws -> JSONNode {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    let url = folder.appendingPathComponent("Vectors/\(name)")
    let (node, problems) = JSONReader.parse(Array(try Data(contentsOf: url)), comments: false)
    try #require(problems.isEmpty)
    return try #require(node)
}

func withBytes<R>(_ text: String, _ body: (UnsafeBufferPointer<UInt8>) throws -> R) rethrows -> R {
    try Array(text.utf8).withUnsafeBufferPointer(body)
}

/// Facts as libcurl's header callback would give them, line by line.
func facts(
    _ headers: [(String, String)], status: Int = 200, believing name: String? = nil
) -> AnswerFacts {
    var facts = AnswerFacts()
    facts.cache.believed = name.map { BelievedHeader($0) }
    let lines = ["HTTP/1.1 \(status) \r\n"] + headers.map { "\($0.0): \($0.1)\r\n" } + ["\r\n"]
    for line in lines {
        Array(line.utf8).withUnsafeBytes { facts.note(line: $0) }
    }
    return facts
}

/// The headers of a vector; a value that is an array stands for several lines.
func headerList(_ node: JSONNode?) -> [(String, String)] {
    (node?.members ?? []).flatMap { member in
        (member.node.array ?? [member.node]).map { (member.name, $0.string ?? "") }
    }
}

func refusalRule() -> RefusalRule { RefusalRule(RejectionPlan()) }

/// SplitMix64: a seed gives the same test everywhere.
struct SplitMix: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
