/// The whole program as one function from words to an exit code.
enum Tool {
    static func run(_ words: [String], console: Console) -> ExitCode {
        do {
            switch try ArgumentParser.parse(words) {
            case .help(nil):
                try console.print(HelpText(width: console.helpWidth(console.out)).tool())
                return .success
            case .help(let command?):
                let page = HelpText(width: console.helpWidth(console.out))
                try console.print(page.command(ArgumentTable.command(command)))
                return .success
            case .command(let arguments):
                return try run(arguments, console: console)
            }
        } catch {
            console.report(error)
            return error.code
        }
    }

    private static func run(
        _ arguments: Arguments, console: Console
    ) throws(Failure) -> ExitCode {
        switch arguments.command {
        case .run: try RunCommand.run(arguments, console: console)
        case .capacity: try CapacityCommand.run(arguments, console: console)
        case .validate: try ValidateCommand.run(arguments, console: console)
        case .probe: try ProbeCommand.run(arguments, console: console)
        case .inspect: try InspectCommand.run(arguments, console: console)
        case .initialise: try InitCommand.run(arguments, console: console)
        case .urls: try URLsCommand.run(arguments, console: console)
        case .serve: try ServeCommand.run(arguments, console: console)
        case .report: try ReportCommand.run(arguments, console: console)
        case .schema: try SchemaCommand.run(arguments, console: console)
        case .version: try VersionCommand.run(arguments, console: console)
        }
    }
}
