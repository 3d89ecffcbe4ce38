/// Help pages, made from the table.
struct HelpText {
    /// Columns of the page.
    var width: Int

    /// Of the tool as a whole.
    func tool() -> String {
        var page = "tilebench \(ToolVersion.text): \(ArgumentTable.toolSummary)\n\n"
        page += "Usage: tilebench COMMAND [ARGUMENTS]\n\nCommands:\n"
        page += table(ArgumentTable.commands.map { ($0.name.rawValue, sentence($0.summary)) })
        page += "\nExamples:\n" + examples(ArgumentTable.examples)
        page += "\nExit codes:\n"
        page += table(ExitCode.documented.map { (String($0.rawValue), sentence($0.sentence)) })
        page += "\nMore: tilebench help COMMAND\n"
        return page
    }

    /// Of one command.
    func command(_ spec: CommandSpec) -> String {
        let name = "tilebench \(spec.name.rawValue)"
        var page = wrap("\(name): \(spec.summary)", indent: 0) + "\n"
        for (index, form) in spec.usage.enumerated() {
            page += (index == 0 ? "Usage: " : "       ") + "\(name) \(form)\n"
        }
        for paragraph in spec.details {
            page += "\n" + wrap(paragraph, indent: 0)
        }
        let flags = spec.flags + [ArgumentTable.help]
        for group in FlagGroup.allCases {
            let rows = flags.filter { $0.group == group }.map { (label($0), $0.help) }
            if !rows.isEmpty { page += "\n\(group.rawValue):\n" + table(rows) }
        }
        if !spec.examples.isEmpty { page += "\nExamples:\n" + examples(spec.examples) }
        return page
    }

    private func label(_ flag: FlagSpec) -> String {
        let short = flag.short.map { "-\($0), " } ?? "    "
        return short + "--" + flag.name + (flag.value.map { " " + $0 } ?? "")
    }

    private func sentence(_ text: String) -> String {
        text.prefix(1).uppercased() + text.dropFirst() + "."
    }

    private func examples(_ examples: [ExampleSpec]) -> String {
        examples.map { "  # \($0.comment)\n  \($0.line)\n" }.joined()
    }

    /// Two columns; the second is wrapped under itself.
    private func table(_ rows: [(String, String)]) -> String {
        let first = (rows.map { $0.0.count }.max() ?? 0) + 4
        var text = ""
        for (label, sentence) in rows {
            let lines = wrap(sentence, indent: first).dropFirst(first)
            text += "  " + label + String(repeating: " ", count: first - 2 - label.count) + lines
        }
        return text
    }

    /// Lines of at most `width` columns, all indented, each with a newline at its end.
    private func wrap(_ text: String, indent: Int) -> String {
        let margin = String(repeating: " ", count: indent)
        var lines: [String] = []
        var line = margin
        for word in text.split(separator: " ") {
            if line.count > indent, line.count + 1 + word.count > width {
                lines.append(line)
                line = margin
            }
            line += (line.count > indent ? " " : "") + word
        }
        return (lines + [line]).map { $0 + "\n" }.joined()
    }
}
