/// What was typed after a command's name, checked against the table and nothing more.
struct Arguments: Sendable {
    var command: CommandName
    var operands: [String] = []
    /// Flags in the order typed; a switch has an empty value.
    var flags: [(spec: FlagSpec, value: String)] = []

    /// The value of a flag; nil when it was not given.
    func value(_ name: String) -> String? {
        flags.first { $0.spec.name == name }?.value
    }

    /// All values of a repeatable flag.
    func values(_ name: String) -> [String] {
        flags.filter { $0.spec.name == name }.map(\.value)
    }

    func has(_ name: String) -> Bool { value(name) != nil }
}

/// What the command line asks for.
enum Invocation: Sendable {
    /// The tool's help, or a command's.
    case help(CommandName?)
    case command(Arguments)
}
