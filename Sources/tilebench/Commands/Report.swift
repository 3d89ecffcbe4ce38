import Glibc
import JSONText
import Reporting

/// `tilebench report`: the summary of a stored report.
enum ReportCommand {
    static func run(
        _ arguments: Arguments, console: Console
    ) throws(Failure) -> ExitCode {
        let path = reportPath(arguments.operands[0])
        let bytes = try FileText.read(path)
        if let referee = referee(bytes) {
            try console.print(
                arguments.has("json")
                    ? JSONWriter.encodeText(referee, pretty: true) + "\n"
                    : RefereeText.text(referee))
            return .success
        }
        let report: JSONNode
        do {
            report = try ReportJSON.read(bytes)
        } catch {
            throw Failure(
                .usage, lines: error.problems.map { "\(path == "-" ? "stdin" : path): \($0)" })
        }
        if arguments.has("json") {
            try console.print(String(decoding: ReportJSON.encode(report), as: UTF8.self))
        } else {
            try console.print(console.summary(of: report))
        }
        return .success
    }

    /// The report of `serve --verdict`, if it is one.
    private static func referee(_ bytes: [UInt8]) -> JSONNode? {
        let (node, problems) = JSONReader.parse(bytes, comments: false)
        guard problems.isEmpty, node?["kind"]?.string == RefereeText.kind else { return nil }
        return node
    }

    /// A run's folder stands for the report in it.
    private static func reportPath(_ word: String) -> String {
        var status = stat()
        guard stat(word, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return word }
        return word + (word.hasSuffix("/") ? "" : "/") + "report.json"
    }
}
