import Engine
import Glibc
import Metrics
import Reporting
import Workload

/// The steps of a search for the capacity, one load after another. Each is a run of its own, with
/// its own folder, and draws its tiles from a seed of its own: with the same tiles in the same
/// order a server would answer all but the first step from its cache.
struct CapacityRun {
    private(set) var result: CapacityResult
    /// What the steps, and how the search ended, make of the exit code.
    private(set) var codes: [ExitCode] = []

    private let setup: LoadSetup
    private let isQuiet: Bool
    private let console: Console
    private var search: CapacitySearch

    init(
        _ setup: LoadSetup, _ settings: CapacityResult.Settings, isQuiet: Bool, _ console: Console
    ) {
        self.setup = setup
        self.isQuiet = isQuiet
        self.console = console
        result = CapacityResult(settings: settings)
        search = CapacitySearch(
            from: settings.fromPerS, to: settings.toPerS, resolution: settings.resolution)
    }

    /// - Throws: exit 2 when the plan cannot be carried out.
    mutating func makeSteps() throws(Failure) {
        announce()
        while let rate = search.next {
            let plan = stepPlan(rate)
            let end = try load(plan)
            let report = RunReport(end.result, plan: plan)
            let step = step(rate, end, report, plan)
            keep(step, report, isWhole: end.signal == nil)
            if let signal = end.signal { return interrupt(signal) }
            search.take(step.judgement.end)
        }
        finish()
    }

    // MARK: - One step

    private func stepPlan(_ rate: Double) -> Plan {
        var plan = setup.plan
        var arrivals = LoadPlan.Arrivals.constant
        if case .rate(_, let written) = plan.load.shape { arrivals = written }
        plan.load.shape = .rate(perSecond: rate, arrivals: arrivals)
        plan.seed &+= UInt64(result.steps.count)
        return plan
    }

    private func load(_ plan: Plan) throws(Failure) -> RunEnd {
        let progress = setup.progress()
        var hooks = setup.hooks(progress)
        // A document's token is young in the first step only.
        if !result.steps.isEmpty { hooks.tokenAnswer = nil }
        let load: LoadRun
        do {
            load = try LoadRun(
                plan: plan, tool: ToolVersion.facts(), signals: setup.signals, hooks: hooks)
        } catch {
            throw Failure(.usage, error.description)
        }
        defer { progress.clear() }
        return load.run()
    }

    private func step(
        _ rate: Double, _ end: RunEnd, _ report: RunReport, _ plan: Plan
    ) -> CapacityStep {
        let number = result.steps.count + 1
        let judgement =
            end.unmeasurable.map { StepJudgement(unmeasurable: plan.secrets.masking($0)) }
            ?? StepJudgement(report.result, gates: report.verdict, plan: plan)
        return CapacityStep(
            number: number, folder: number < 10 ? "step-0\(number)" : "step-\(number)",
            ratePerS: rate, report.result, judgement: judgement)
    }

    /// A step that a signal ended leaves its report, and says nothing of the server.
    private mutating func keep(_ step: CapacityStep, _ report: RunReport, isWhole: Bool) {
        if result.steps.isEmpty {
            result.tool = report.result.tool
            result.machine = report.result.machine
            result.scenario = report.result.scenario
            result.startedAt = report.result.run.startedAt
        }
        if let problem = setup.files.write(report.node, in: step.folder) {
            codes.append(.usage)
            console.note(problem)
        }
        guard isWhole else { return }
        result.steps.append(step)
        if !isQuiet { console.note("step \(step.number), \(step.sentence)") }
    }

    // MARK: - The whole

    private func announce() {
        guard !isQuiet else { return }
        let settings = result.settings
        let rates = CapacitySearch.ratesMax(
            from: settings.fromPerS, to: settings.toPerS, resolution: settings.resolution)
        let seconds = Double(settings.warmupNS + settings.stepNS) / 1e9
        console.note(
            "at most \(rates) rates from \(UnitText.text(perSecond: settings.fromPerS)) to"
                + " \(UnitText.text(perSecond: settings.toPerS)), each for"
                + " \(TextNumbers.duration(s: seconds)); one that does not hold is tried again")
    }

    private mutating func interrupt(_ signal: Int32) {
        result.heldPerS = search.held
        result.failedPerS = search.failed
        codes.append(signal == SIGTERM ? .terminated : .interrupted)
    }

    private mutating func finish() {
        result.heldPerS = search.held
        result.failedPerS = search.failed
        switch search.outcome {
        case nil: preconditionFailure("the search goes on")
        case .limit: result.end = .limit
        case .noLimit: result.end = .noLimit
        case .failedAtStart:
            result.end = .failedAtStart
            codes.append(.gateFailed)
        case .generator(let rate):
            result.end = .generator
            result.endedAtPerS = rate
            if setup.plan.failsWhenInvalid { codes.append(.invalid) }
        case .unanswered(let rate):
            result.end = .unanswered
            result.endedAtPerS = rate
            codes.append(.unmeasurable)
            let why = result.steps.last?.judgement.reason ?? "there was no answer"
            console.note("could not measure: \(why)")
        }
    }
}
