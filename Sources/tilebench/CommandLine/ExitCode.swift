/// What the process says when it ends; scripts and pipelines depend on these numbers.
enum ExitCode: Int32, CaseIterable, Sendable {
    case success = 0
    case gateFailed = 99
    case usage = 2
    case unmeasurable = 3
    case invalid = 4
    case inconclusive = 5
    case internalFault = 70
    case interrupted = 130
    case terminated = 143

    /// When several apply the first one here is given.
    static let precedence: [ExitCode] = [
        .internalFault, .usage, .interrupted, .terminated, .unmeasurable, .invalid, .gateFailed,
        .inconclusive, .success,
    ]

    /// The code of a process for which all of `codes` apply; success when none does.
    static func first(of codes: some Sequence<ExitCode>) -> ExitCode {
        let applying = Set(codes)
        return precedence.first { applying.contains($0) } ?? .success
    }

    /// Those that a command can end with.
    static let documented = allCases.filter { $0 != .inconclusive }

    /// For the help.
    var sentence: String {
        switch self {
        case .success: "ran, and every gate passed (or none was set)"
        case .gateFailed:
            "ran, and a gate failed; also when abort_when ended the run, serve --verdict found an "
                + "app's renewal wrong, or no rate of capacity held"
        case .usage: "bad usage or bad scenario; every problem is listed"
        case .unmeasurable: "could not measure: no connection, no answer, or no usable token"
        case .invalid: "measured, but the measurement is not valid"
        case .inconclusive: "comparison inconclusive"
        case .internalFault: "internal fault, with what to report"
        case .interrupted: "interrupted by SIGINT; the report of what was measured is written"
        case .terminated: "ended by SIGTERM; the report of what was measured is written"
        }
    }
}
