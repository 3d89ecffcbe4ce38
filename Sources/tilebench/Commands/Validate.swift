import JSONText
import Workload

/// `tilebench validate`: what a scenario will do. Nothing is sent.
enum ValidateCommand {
    static func run(
        _ arguments: Arguments, console: Console
    ) throws(Failure) -> ExitCode {
        let plan = try ScenarioInput.plan(arguments, fetcher: nil)
        for note in plan.notes { console.note(note) }
        try console.print(JSONWriter.encodeText(plan.json, pretty: true) + "\n")
        return .success
    }
}
