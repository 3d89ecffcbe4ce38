/// A command that cannot go on. Thrown with what to say; formatted in one place, `Console.report`.
struct Failure: Error, Sendable {
    /// What to read on; printed after the problems.
    enum Help: Sendable {
        case none
        /// The tool's help itself.
        case tool
        /// One line that names the help of a command, or of the tool.
        case pointer(CommandName?)
    }

    var code: ExitCode
    /// A sentence each, without a full stop; all that is wrong.
    var problems: [String] = []
    /// Lines that name their place themselves, as `scenario.json:3:5: …`.
    var lines: [String] = []
    var help: Help

    init(_ code: ExitCode, lines: [String]) {
        self.code = code
        self.lines = lines
        help = .none
    }

    init(_ code: ExitCode, _ problems: [String] = [], help: Help = .none) {
        self.code = code
        self.problems = problems
        self.help = help
    }

    init(_ code: ExitCode, _ problem: String, help: Help = .none) {
        self.init(code, [problem], help: help)
    }
}
