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
        if let (other, text) = otherKind(bytes, console) {
            try console.print(
                arguments.has("json") ? JSONWriter.encodeText(other, pretty: true) + "\n" : text)
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

    /// What `serve --verdict` or `capacity` wrote, and its summary, if it is that.
    private static func otherKind(
        _ bytes: [UInt8], _ console: Console
    ) -> (node: JSONNode, text: String)? {
        let (node, problems) = JSONReader.parse(bytes, comments: false)
        guard problems.isEmpty, let node else { return nil }
        switch node["kind"]?.string {
        case RefereeText.kind: return (node, RefereeText.text(node))
        case CapacityJSON.kind:
            return (node, CapacityText.text(node, color: console.out.takesEscapes))
        default: return nil
        }
    }

    /// A run's folder stands for the report in it, a search's for its own file.
    private static func reportPath(_ word: String) -> String {
        var status = stat()
        guard stat(word, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return word }
        let folder = word + (word.hasSuffix("/") ? "" : "/")
        let capacity = folder + "capacity.json"
        return stat(capacity, &status) == 0 ? capacity : folder + "report.json"
    }
}
