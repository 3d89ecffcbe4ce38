import Engine
import Metrics
import Reporting
import Workload

/// The passes of a run: each but the only one has its files in a folder of its own, and the last
/// one's report holds the figures of all.
///
/// Gates are judged on the last pass, which is the one that the earlier ones prepare.
struct PassLog {
    let files: RunFiles
    private let plan: Plan
    private let console: Console
    private var rows: [PassRow] = []
    /// Of the passes before the last.
    private(set) var codes: [ExitCode] = []

    init(plan: Plan, files: RunFiles, console: Console) {
        self.plan = plan
        self.files = files
        self.console = console
    }

    /// A pass has ended; gives it back, with the figures of all, when it is the last: by the plan,
    /// or because it could not be measured, was interrupted or ended by `abort_when`.
    mutating func take(_ ended: RunEnd) -> RunEnd? {
        guard plan.passes.count > 1 else { return ended }
        var end = ended
        let name = plan.passes[rows.count]
        end.result.run.pass = name
        let isBroken =
            end.unmeasurable != nil || end.signal != nil || end.result.run.aborted != nil
        let isLast = isBroken || rows.count + 1 == plan.passes.count
        let report = RunReport(end.result, plan: plan, judgesGates: false)
        var row = PassRow(name: name, end.result)
        row.validity = report.validity
        rows.append(row)
        if let problem = files.write(report.node, in: name) { console.note(problem) }
        if isLast {
            end.unmeasurable = end.unmeasurable.map { "pass \"\(name)\": \($0)" }
            end.result.passes = rows
            return end
        }
        codes += report.codes(plan)
        return nil
    }
}
