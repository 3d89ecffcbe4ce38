import JSONText
import Workload

/// The flags of `tilebench capacity` that are its own.
struct CapacityOptions {
    private static let rateMin = 0.1
    private static let stepMinNS: UInt64 = 1_000_000_000
    /// Closer than that two steps of one server differ by chance.
    private static let resolutionRange = 0.005...1.0
    /// Keys of `load` that the search sets itself.
    static let ownKeys = ["users", "rate", "stages", "for", "count"]

    private(set) var fromPerS = 10.0
    private(set) var toPerS = 100_000.0
    private(set) var stepNS: UInt64 = 10_000_000_000
    private(set) var resolution = 0.05
    private var problems: [String] = []

    /// - Throws: exit 2 with every flag that cannot be read.
    init(_ arguments: Arguments) throws(Failure) {
        let overrides = try ScenarioOverrides.of(arguments)
        if let text = arguments.value("from") { readRate(text, "--from", \.fromPerS) }
        if let text = arguments.value("to") { readRate(text, "--to", \.toPerS) }
        if let text = arguments.value("step-for") { readStep(text) }
        if let text = arguments.value("resolution") { readResolution(text) }
        if problems.isEmpty, fromPerS > toPerS {
            problems.append(
                "--from \(UnitText.text(perSecond: fromPerS)) is above --to"
                    + " \(UnitText.text(perSecond: toPerS))")
        }
        for override in overrides
        where override.path.first == "passes"
            || override.path.count > 1 && override.path[0] == "load"
                && Self.ownKeys.contains(override.path[1])
        {
            problems.append(
                "\(override.label) has no effect: the search has steps of its own (--from, --to and"
                    + " --step-for)")
        }
        guard problems.isEmpty else {
            throw Failure(.usage, problems, help: .pointer(arguments.command))
        }
    }

    /// The highest rate as the load of the scenario, so that whatever forbids it is known before
    /// the first request.
    var overrides: [ScenarioOverride] {
        func own(_ path: [String], _ value: JSONNode, _ label: String) -> ScenarioOverride {
            ScenarioOverride(path: path, value: value, label: label)
        }
        return [
            own(["load", "rate"], .string(UnitText.text(perSecond: toPerS)), "--to"),
            own(["load", "for"], .string(UnitText.text(durationNS: stepNS)), "--step-for"),
            own(["load", "count"], .null, "--step-for"),
            own(["passes"], .null, "--step-for"),
        ]
    }

    private mutating func readRate(
        _ text: String, _ flag: String, _ target: WritableKeyPath<CapacityOptions, Double>
    ) {
        do throws(UnitText.Failure) {
            let rate = try UnitText.rate(text)
            if rate >= Self.rateMin {
                self[keyPath: target] = rate
            } else {
                problems.append("\(flag) \(text) is below \(Self.rateMin)/s, the least")
            }
        } catch {
            problems.append("\(flag) needs a rate, as 500/s, not \(quoted(text))")
        }
    }

    private mutating func readStep(_ text: String) {
        do throws(UnitText.Failure) {
            stepNS = try UnitText.duration(text)
            guard stepNS < Self.stepMinNS else { return }
            problems.append("--step-for \(text) is shorter than 1s: too short to tell something")
        } catch {
            problems.append("--step-for needs a time, as 10s, not \(quoted(text))")
        }
    }

    private mutating func readResolution(_ text: String) {
        do throws(UnitText.Failure) {
            resolution = try UnitText.share(text)
            guard !Self.resolutionRange.contains(resolution) else { return }
            problems.append("--resolution \(text) is not within 0.5% and 100%")
        } catch {
            problems.append("--resolution needs a share, as 5%, not \(quoted(text))")
        }
    }
}
