import Workload

/// One command: what the parser accepts and the help says.
struct CommandSpec: Sendable {
    var name: CommandName
    /// Half a sentence for the list of commands.
    var summary: String
    /// Forms of use after the command's name: `FILE|URL`.
    var usage: [String]
    /// Paragraphs of the command's own help.
    var details: [String]
    var operands: [OperandSpec] = []
    var flags: [FlagSpec] = []
    var examples: [ExampleSpec] = []

    /// The flag written `--name`, or nil.
    func flag(_ name: String) -> FlagSpec? { flags.first { $0.name == name } }

    /// The flag written `-x`, or nil.
    func flag(short: Character) -> FlagSpec? { flags.first { $0.short == short } }
}

/// The commands, by the word that is typed.
enum CommandName: String, CaseIterable, Sendable {
    case run, capacity, validate, probe, inspect
    case initialise = "init"
    case urls, serve, report, schema, version
}

/// A value without a flag in front.
struct OperandSpec: Sendable {
    /// As shown: `FILE|URL`.
    var name: String
    var isRequired = true
    /// Nil: any text.
    var choices: [String]?
}

/// One flag.
struct FlagSpec: Sendable {
    /// Without dashes.
    var name: String
    var short: Character?
    /// What the value is called in the help; nil: a switch without a value.
    var value: String?
    /// The only values taken; nil: any text.
    var choices: [String]?
    var isRepeatable = false
    /// One sentence, with a default if there is one.
    var help: String
    /// Heading it stands under in the help.
    var group = FlagGroup.general
    /// The scenario keys it stands for, by Workload's list.
    var scenarioFlag: ScenarioFlag?
    /// The scenario key it stands for.
    var shortcut: Shortcut?
}

/// Headings of the help, in their order.
enum FlagGroup: String, CaseIterable, Sendable {
    case general = "Flags"
    case scenario = "Scenario"
    case output = "Output"
}

/// A flag that is another way to write `--set path=value`.
struct Shortcut: Sendable {
    enum Form: Sendable {
        /// The value as it was typed; the scenario reads numbers and units from text.
        case text
        /// A switch that turns something off, or on.
        case isFalse
        case isTrue
        /// A switch that asks for something with its defaults.
        case emptyObject
        /// `SHARE:KIND`, one element of an array.
        case fault
    }

    var path: [String]
    var form = Form.text
}

/// One example of the help.
struct ExampleSpec: Sendable {
    var line: String
    var comment: String
}
