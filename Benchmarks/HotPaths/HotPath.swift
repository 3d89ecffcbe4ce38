/// One micro-benchmark, in the three steps of SwiftNIO's performance tester. Its own values say
/// which case is meant; what it works on is the state, which lives through all measurements.
protocol HotPath {
    associatedtype State

    /// Operations of one `run`.
    var operations: Int { get }

    /// Not measured.
    func setUp() throws -> State

    /// All operations once. The result depends on each of them, so that none is optimised away.
    func run(_ state: inout State) -> UInt64

    /// Gives back what `setUp` took. Not measured.
    func tearDown(_ state: State)
}

extension HotPath {
    func tearDown(_ state: State) {}
}

/// Why a benchmark cannot be set up.
struct SetUpFailure: Error {
    let description: String
}
