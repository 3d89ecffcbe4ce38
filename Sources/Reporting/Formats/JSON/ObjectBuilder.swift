import JSONText

/// Members of an object in the order they are added. What is nil or no number is left out: a report
/// says nothing rather than null or NaN.
struct ObjectBuilder {
    private var members: [(String, JSONNode)] = []

    var node: JSONNode { .object(members) }

    mutating func add(_ name: String, _ node: JSONNode?) {
        if let node { members.append((name, node)) }
    }

    mutating func add(_ name: String, count: UInt64?) {
        add(name, count.map(JSONNode.uint))
    }

    mutating func add(_ name: String, count: Int) { add(name, .int(count)) }

    mutating func add(_ name: String, text: String?) {
        add(name, text.map(JSONNode.string))
    }

    mutating func add(_ name: String, flag: Bool) { add(name, .bool(flag)) }

    /// All digits: a share of 0.9999999 must not become 1.
    mutating func add(_ name: String, exact value: Double?) {
        guard let value, value.isFinite else { return }
        // A negative zero would be written as one.
        add(name, .double(value == 0 ? 0 : value))
    }

    /// Six decimals, for what is measured and divided.
    mutating func add(_ name: String, rounded value: Double?) {
        add(name, exact: value.map { ($0 * 1e6).rounded() / 1e6 })
    }

    /// Nanoseconds, written in milliseconds with up to six decimals: nothing is lost.
    mutating func add(_ name: String, ms valueNS: UInt64?) {
        add(name, exact: valueNS.map { Double($0) / 1e6 })
    }

    /// Nanoseconds, written in seconds with up to nine decimals: nothing is lost.
    mutating func add(_ name: String, s valueNS: UInt64?) {
        add(name, exact: valueNS.map { Double($0) / 1e9 })
    }

    mutating func add(_ name: String, s valueNS: Int64?) {
        add(name, exact: valueNS.map { Double($0) / 1e9 })
    }

    /// One member for every case, zeros too.
    mutating func add<Case: CaseIterable>(
        _ name: String, counts: [UInt64], by _: Case.Type, key: (Case) -> String
    ) {
        add(name, ObjectBuilder.counts(counts, by: Case.self, key: key))
    }

    /// - Parameter counts: In the order of the cases.
    static func counts<Case: CaseIterable>(
        _ counts: [UInt64], by _: Case.Type, key: (Case) -> String
    ) -> JSONNode {
        .object(zip(Case.allCases, counts).map { (key($0), .uint($1)) })
    }

    /// Counts by status code, in rising order. 0 is none and is left out.
    static func counts(byStatus counts: [Int: UInt64]) -> JSONNode {
        .object(
            counts.filter { $0.key > 0 && $0.value > 0 }.sorted { $0.key < $1.key }
                .map { (String($0.key), .uint($0.value)) })
    }

    /// Counts by name, in the order of the names.
    static func counts(byName counts: [String: UInt64]) -> JSONNode {
        .object(counts.sorted { $0.key < $1.key }.map { ($0.key, .uint($0.value)) })
    }
}
