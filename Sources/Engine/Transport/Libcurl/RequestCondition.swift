import CCurl

/// `If-None-Match` and `If-Modified-Since` of one request, in front of the header lines that many
/// requests share. libcurl reads the list where it stands, so a conditional request allocates
/// nothing. Stands in raw memory beside a carrier. Reactor thread only.
package struct RequestCondition {
    private static let tagName: StaticString = "If-None-Match: "
    private static let dateName: StaticString = "If-Modified-Since: "

    /// Where the validators are to be written, the tag first.
    let text: UnsafeMutablePointer<UInt8>
    private let lines: UnsafeMutablePointer<UInt8>
    private let nodes: UnsafeMutablePointer<curl_slist>
    private var count = 0

    package init() {
        text = .allocate(capacity: AnswerNotes.tagMax + AnswerNotes.dateMax)
        // Room for both names and the ends of both lines.
        lines = .allocate(capacity: AnswerNotes.tagMax + AnswerNotes.dateMax + 40)
        nodes = .allocate(capacity: 2)
        nodes.initialize(repeating: curl_slist(), count: 2)
    }

    package func free() {
        text.deallocate()
        lines.deallocate()
        nodes.deallocate()
    }

    /// Makes the lines of the validators in `text`; one of length 0 makes none.
    mutating func set(tagCount: Int, dateCount: Int) {
        count = 0
        var end = 0
        if tagCount > 0 { add(Self.tagName, 0..<tagCount, at: &end) }
        if dateCount > 0 { add(Self.dateName, tagCount..<tagCount + dateCount, at: &end) }
    }

    private mutating func add(_ name: StaticString, _ value: Range<Int>, at end: inout Int) {
        let start = end
        for index in 0..<name.utf8CodeUnitCount { lines[start + index] = name.utf8Start[index] }
        end += name.utf8CodeUnitCount
        for index in value {
            lines[end] = text[index]
            end += 1
        }
        lines[end] = 0
        end += 1
        nodes[count].data = UnsafeMutableRawPointer(lines + start)
            .assumingMemoryBound(to: CChar.self)
        count += 1
    }

    /// The list of these lines and behind them `rest`.
    func list(
        before rest: UnsafeMutablePointer<curl_slist>?
    ) -> UnsafeMutablePointer<curl_slist>? {
        guard count > 0 else { return rest }
        for index in 0..<count { nodes[index].next = index + 1 < count ? nodes + index + 1 : rest }
        return nodes
    }
}

package typealias ConditionPointer = UnsafeMutablePointer<RequestCondition>
