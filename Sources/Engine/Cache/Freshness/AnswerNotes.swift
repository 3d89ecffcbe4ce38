import Workload

/// What an answer that is coming in says about keeping it, and its validators as text. Stands in
/// raw memory beside a carrier, in runs whose client caches go by rules. Reactor thread only.
package struct AnswerNotes {
    /// A longer one is as if it had not been sent.
    static let tagMax = 1024
    static let dateMax = 64

    private let rules: CachePlan.Rules
    private let changing: WordSet
    private(set) var headers = CachingHeaders()
    private let text: UnsafeMutablePointer<UInt8>
    private var tagCount = 0
    private var dateCount = 0

    package init(_ policy: CachePolicy) {
        rules = policy.rules
        changing = policy.changing
        text = .allocate(capacity: Self.tagMax + Self.dateMax)
    }

    package func free() { text.deallocate() }

    mutating func reset() {
        headers = CachingHeaders()
        tagCount = 0
        dateCount = 0
    }

    /// One line as it came. A status line begins an answer; the one before was an interim one.
    package mutating func note(line: UnsafeRawBufferPointer) {
        let bytes = line.assumingMemoryBound(to: UInt8.self)
        if bytes.hasPrefix("http/") {
            reset()
            return
        }
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else { return }
        let name = bytes.part(0..<colon)
        let value = bytes.part(colon + 1..<bytes.count).trimmed
        if rules == .maplibreNative {
            headers.noteMapLibreNative(name: name, value: value)
        } else {
            headers.note(name: name, value: value, changing: changing)
        }
        switch name.count {
        case 4 where name.equals("etag"):
            tagCount = keep(value, at: 0, max: Self.tagMax)
        case 13 where name.equals("last-modified"):
            dateCount = keep(value, at: Self.tagMax, max: Self.dateMax)
        default:
            break
        }
    }

    private func keep(_ value: UnsafeBufferPointer<UInt8>, at start: Int, max: Int) -> Int {
        guard value.count <= max else { return 0 }
        for index in 0..<value.count { text[start + index] = value[index] }
        return value.count
    }

    /// Of the entity tag, to the letter: some servers send it without quotes and want it so.
    var tag: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: text, count: tagCount) }

    /// Of `Last-Modified`, to the letter: some servers compare the text.
    var date: UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: text + Self.tagMax, count: dateCount)
    }
}
