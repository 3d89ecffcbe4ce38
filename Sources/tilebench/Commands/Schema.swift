import JSONText
import Reporting
import Workload

/// `tilebench schema`: the JSON Schema of what a person writes or reads.
enum SchemaCommand {
    static func run(
        _ arguments: Arguments, console: Console
    ) throws(Failure) -> ExitCode {
        let schema =
            switch arguments.operands[0] {
            case "scenario": ScenarioSchema.json()
            case "capacity": CapacitySchema.node
            default: ReportSchema.node
            }
        try console.print(JSONWriter.encodeText(schema, pretty: true) + "\n")
        return .success
    }
}
