import JSONText
import Reporting
import Workload

/// `tilebench schema`: the JSON Schema of what a person writes or reads.
enum SchemaCommand {
    static func run(
        _ arguments: Arguments, console: Console
    ) throws(Failure) -> ExitCode {
        let schema = arguments.operands[0] == "scenario" ? ScenarioSchema.json() : ReportSchema.node
        try console.print(JSONWriter.encodeText(schema, pretty: true) + "\n")
        return .success
    }
}
