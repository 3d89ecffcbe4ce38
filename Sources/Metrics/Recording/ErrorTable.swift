/// Kinds of errors and how often each happened: at most `kindsMax` kinds, the rest by cause alone.
struct ErrorTable {
    static let kindsMax = 64
    private static let causes = FailureCause.allCases.count

    private struct Kind {
        var cause: FailureCause
        var key: UInt32 = 0
        var count: UInt64 = 0
        var firstAtNS: Int64 = 0
    }
    /// Behind one pointer, as everything a recorder counts with.
    private struct State {
        var used = 0
        /// Words for the kinds, by index; written once per kind.
        var texts = [String](repeating: "", count: kindsMax)
    }

    private let state = UnsafeMutablePointer<State>.allocate(capacity: 1)
    private let kinds = UnsafeMutablePointer<Kind>.allocate(capacity: kindsMax)
    /// By cause.
    private let others = UnsafeMutablePointer<Kind>.allocate(capacity: causes)

    init() {
        state.initialize(to: State())
        // Places that are not used yet hold any cause.
        kinds.initialize(repeating: Kind(cause: .status), count: Self.kindsMax)
        for cause in FailureCause.allCases {
            (others + Int(cause.rawValue)).initialize(to: Kind(cause: cause))
        }
    }

    func deallocate() {
        state.deinitialize(count: 1)
        state.deallocate()
        kinds.deallocate()
        others.deallocate()
    }

    /// True when the kind is new and got a place.
    func count(cause: FailureCause, key: UInt32, atNS: Int64) -> Bool {
        if let index = index(cause: cause, key: key) {
            kinds[index].count &+= 1
            return false
        }
        let used = state.pointee.used
        guard used < Self.kindsMax else {
            let other = others + Int(cause.rawValue)
            if other.pointee.count == 0 { other.pointee.firstAtNS = atNS }
            other.pointee.count &+= 1
            return false
        }
        kinds[used] = Kind(cause: cause, key: key, count: 1, firstAtNS: atNS)
        state.pointee.used = used + 1
        return true
    }

    func setText(cause: FailureCause, key: UInt32, text: String) {
        guard let index = index(cause: cause, key: key) else { return }
        state.pointee.texts[index] = text
    }

    /// A walk over at most 64 places, on the path of errors only.
    private func index(cause: FailureCause, key: UInt32) -> Int? {
        for index in 0..<state.pointee.used
        where kinds[index].key == key && kinds[index].cause == cause {
            return index
        }
        return nil
    }

    var entries: [ErrorEntry] {
        var entries: [ErrorEntry] = []
        for index in 0..<state.pointee.used {
            let text = state.pointee.texts[index]
            entries.append(
                ErrorEntry(
                    cause: kinds[index].cause.key,
                    detail: text.isEmpty ? "\(kinds[index].key)" : text,
                    count: kinds[index].count, firstAtNS: kinds[index].firstAtNS))
        }
        for index in 0..<Self.causes where others[index].count > 0 {
            entries.append(
                ErrorEntry(
                    cause: others[index].cause.key, detail: ErrorEntry.otherDetail,
                    count: others[index].count, firstAtNS: others[index].firstAtNS))
        }
        return entries
    }
}

extension ErrorEntry {
    /// The detail of all kinds that found no place.
    package static let otherDetail = "other"

    /// The same kinds of several reactors as one, most frequent first. Beyond the limit on kinds
    /// the rarest go to `otherDetail` of their cause.
    static func merged(_ lists: [[ErrorEntry]]) -> [ErrorEntry] {
        var kinds = sums(lists.joined())
        let others = kinds.filter { $0.detail == otherDetail }
        kinds.removeAll { $0.detail == otherDetail }
        let rest = kinds.dropFirst(ErrorTable.kindsMax).map { entry in
            var entry = entry
            entry.detail = otherDetail
            return entry
        }
        return Array(kinds.prefix(ErrorTable.kindsMax)) + sums([others, rest].joined())
    }

    private static func sums(_ entries: some Sequence<ErrorEntry>) -> [ErrorEntry] {
        var byKind: [[String]: ErrorEntry] = [:]
        for entry in entries {
            guard var sum = byKind[[entry.cause, entry.detail]] else {
                byKind[[entry.cause, entry.detail]] = entry
                continue
            }
            sum.count += entry.count
            sum.firstAtNS = min(sum.firstAtNS, entry.firstAtNS)
            byKind[[entry.cause, entry.detail]] = sum
        }
        return byKind.values.sorted {
            ($1.count, $0.cause, $0.detail) < ($0.count, $1.cause, $1.detail)
        }
    }
}
