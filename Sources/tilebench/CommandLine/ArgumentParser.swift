import JSONText

/// Turns the words of the command line into an invocation, by the table.
///
/// `--flag value`, `--flag=value`, `-n 5` and `-n5` are one; `--` ends the flags; `-` is an
/// operand. A flag that takes a value takes the next word, unless that begins with two dashes.
struct ArgumentParser {
    private let spec: CommandSpec
    private var arguments: Arguments
    private var problems: [String] = []
    private var asksForHelp = false
    private var hasUnknownFlag = false

    /// - Parameter words: without the program's name.
    /// - Throws: exit 2 with every problem found, each with the nearest known word.
    static func parse(_ words: [String]) throws(Failure) -> Invocation {
        guard let first = words.first else {
            throw Failure(.usage, help: .tool)
        }
        switch first {
        case "--help", "-h":
            return .help(nil)
        case "--version":
            return try parse(["version"] + words.dropFirst())
        case "help":
            guard let topic = words.dropFirst().first(where: { !$0.hasPrefix("-") }) else {
                return .help(nil)
            }
            return .help(topic == "help" ? nil : try command(topic))
        default:
            break
        }
        if first.hasPrefix("-") {
            throw Failure(
                .usage, "unknown flag \(first): a command comes first, as tilebench run",
                help: .pointer(nil))
        }
        var parser = ArgumentParser(command: try command(first))
        return try parser.parse(Array(words.dropFirst()))
    }

    private static func command(_ word: String) throws(Failure) -> CommandName {
        if let name = CommandName(rawValue: word) { return name }
        let known = CommandName.allCases.map(\.rawValue) + ["help"]
        var message = "unknown command \(quoted(word))"
        if let near = nearest(word, in: known) {
            message += " (did you mean \(near)?)"
        } else if word.contains("{") || word.contains("/") || word.hasSuffix(".json") {
            message += " (did you mean tilebench run \(quoted(word))?)"
        }
        throw Failure(.usage, message, help: .pointer(nil))
    }

    private init(command: CommandName) {
        spec = ArgumentTable.command(command)
        arguments = Arguments(command: command)
    }

    private mutating func parse(_ words: [String]) throws(Failure) -> Invocation {
        var position = 0
        while position < words.count {
            let word = words[position]
            position += 1
            if word == "--" {
                arguments.operands += words[position...]
                break
            }
            let next = position < words.count ? words[position] : nil
            let takesNext: Bool
            if word.hasPrefix("--") {
                takesNext = long(word, next: next)
            } else if word.hasPrefix("-"), word != "-" {
                takesNext = short(word, next: next)
            } else {
                arguments.operands.append(word)
                takesNext = false
            }
            if takesNext { position += 1 }
        }
        if asksForHelp { return .help(spec.name) }
        checkOperands()
        guard problems.isEmpty else {
            throw Failure(.usage, problems, help: .pointer(spec.name))
        }
        return .command(arguments)
    }

    /// `--name`, `--name=value`. True when `next` was its value.
    private mutating func long(_ word: String, next: String?) -> Bool {
        let body = word.dropFirst(2)
        let equals = body.firstIndex(of: "=")
        let name = String(body[..<(equals ?? body.endIndex)])
        let inline = equals.map { String(body[body.index(after: $0)...]) }
        if name == ArgumentTable.help.name {
            asksForHelp = true
            return false
        }
        guard let flag = spec.flag(name) else {
            unknown("--\(name)", meant: name)
            return false
        }
        return take(flag, written: "--\(name)", inline: inline, next: next)
    }

    /// `-x`, `-x value`, `-xvalue`. True when `next` was its value.
    private mutating func short(_ word: String, next: String?) -> Bool {
        let body = word.dropFirst()
        guard let letter = body.first else { return false }
        if letter == ArgumentTable.help.short, body.count == 1 {
            asksForHelp = true
            return false
        }
        guard let flag = spec.flag(short: letter), flag.value != nil || body.count == 1 else {
            unknown(word, meant: String(body))
            return false
        }
        let rest = String(body.dropFirst())
        return take(flag, written: "-\(letter)", inline: rest.isEmpty ? nil : rest, next: next)
    }

    private mutating func take(
        _ flag: FlagSpec, written: String, inline: String?, next: String?
    ) -> Bool {
        if !flag.isRepeatable, arguments.has(flag.name) {
            problems.append("\(written) is given twice")
        }
        guard let valueName = flag.value else {
            if inline != nil { problems.append("\(written) takes no value") }
            arguments.flags.append((flag, ""))
            return false
        }
        // A value may begin with one dash (a western longitude) but hardly with two.
        let following = next.flatMap { $0.hasPrefix("--") ? nil : $0 }
        guard let value = inline ?? following, !value.isEmpty else {
            problems.append("\(written) needs a value: \(written) \(valueName)")
            return inline == nil && following != nil
        }
        if let choices = flag.choices, !choices.contains(value) {
            problems.append(
                "\(written) is \(quoted(value))" + ArgumentParser.choiceHint(value, choices))
        }
        arguments.flags.append((flag, value))
        return inline == nil
    }

    private mutating func unknown(_ written: String, meant: String) {
        hasUnknownFlag = true
        var message = "unknown flag \(written)"
        if let near = nearest(meant, in: spec.flags.map(\.name) + [ArgumentTable.help.name]) {
            message += " (did you mean --\(near)?)"
        } else if let owner = ArgumentTable.commands.first(where: { $0.flag(meant) != nil }) {
            message += " (a flag of tilebench \(owner.name.rawValue))"
        }
        problems.append(message)
    }

    private mutating func checkOperands() {
        let required = spec.operands.filter(\.isRequired)
        if arguments.operands.count < required.count {
            let missing = required[arguments.operands.count...].map(\.name).joined(separator: " ")
            problems.append("\(spec.name.rawValue) needs \(missing)")
        }
        // The word after an unknown flag may be its value: one problem, not two.
        if !hasUnknownFlag {
            for extra in arguments.operands.dropFirst(spec.operands.count) {
                problems.append("\(quoted(extra)) is one argument too many")
            }
        }
        for (operand, value) in zip(spec.operands, arguments.operands) {
            if let choices = operand.choices, !choices.contains(value) {
                problems.append(
                    "\(quoted(value)) is unknown" + ArgumentParser.choiceHint(value, choices))
            }
        }
    }

    private static func choiceHint(_ value: String, _ choices: [String]) -> String {
        let list = choices.joined(separator: ", ")
        return nearest(value, in: choices).map { " (did you mean \($0)? known: \(list))" }
            ?? " (known: \(list))"
    }
}

/// A word as it is shown in messages.
func quoted(_ word: String) -> String { "\"\(word)\"" }
