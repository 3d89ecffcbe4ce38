import Glibc
import JSONText
import Reporting

/// Results on stdout, everything else on stderr.
struct Console: Sendable {
    let out = Terminal(descriptor: STDOUT_FILENO)
    let err = Terminal(descriptor: STDERR_FILENO)

    /// Prints a result.
    ///
    /// - Returns: false when nobody reads on.
    /// - Throws: exit 2 when it cannot be written, as on a full disk.
    @discardableResult
    func print(_ text: String) throws(Failure) -> Bool {
        switch out.write(text) {
        case .all: return true
        case .unread: return false
        case .failed(let number):
            throw Failure(.usage, "cannot write to stdout: \(errorText(number))")
        }
    }

    /// A sentence about the work that is no result. Nothing can be done when it cannot be written.
    func note(_ sentence: String) {
        _ = err.write("tilebench: \(sentence)\n")
    }

    /// Text for people that is laid out already.
    func show(_ text: String) {
        _ = err.write(text)
    }

    /// Says what went wrong, in one write.
    func report(_ failure: Failure) {
        var text = ""
        for problem in failure.problems { text += "tilebench: \(problem)\n" }
        for line in failure.lines { text += line + "\n" }
        switch failure.help {
        case .none: break
        case .tool: text += HelpText(width: helpWidth(err)).tool()
        case .pointer(nil): text += "See tilebench --help\n"
        case .pointer(let command?): text += "See tilebench help \(command.rawValue)\n"
        }
        _ = err.write(text)
    }

    /// Columns of a help page: as the terminal, but lines that can be read.
    func helpWidth(_ terminal: Terminal) -> Int { min(max(terminal.columns, 60), 100) }
}

/// The system's words for an error number.
func errorText(_ number: Int32) -> String {
    strerror(number).map { String(cString: $0) } ?? "error \(number)"
}

extension Console {
    /// A report in sentences and tables, with colours where stdout takes them.
    func summary(of report: JSONNode) -> String {
        TextSummary.text(report: report, color: out.takesEscapes)
    }
}
