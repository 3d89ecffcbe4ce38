/// Many runs on all cores.
package struct Batch: Sendable {
    package private(set) var runs: UInt64 = 0
    package private(set) var steps: UInt64 = 0
    /// Of the runs, so that equal ones count once.
    package private(set) var fingerprints: Set<UInt64> = []
    /// Seeds of runs that broke something, and what.
    package private(set) var failures: [(seed: UInt64, problems: [String])] = []

    package init() {}

    /// With the runs of `count` seeds from `first` on.
    package func adding(_ count: UInt64, first: UInt64, threads: Int) async -> Batch {
        let share = count / UInt64(threads) + 1
        return await withTaskGroup(of: Batch.self) { group in
            for thread in 0..<UInt64(threads) {
                let start = thread * share
                let end = min(start + share, count)
                guard start < end else { continue }
                group.addTask { Batch.run(first &+ start, end - start) }
            }
            var sum = self
            for await batch in group { sum.merge(batch) }
            return sum
        }
    }

    private mutating func merge(_ other: Batch) {
        runs += other.runs
        steps += other.steps
        fingerprints.formUnion(other.fingerprints)
        failures += other.failures
    }

    private static func run(_ first: UInt64, _ count: UInt64) -> Batch {
        var batch = Batch()
        batch.fingerprints.reserveCapacity(Int(count))
        var simulation = Simulation()
        for offset in 0..<count {
            let seed = first &+ offset
            let outcome = simulation.run(Policy(seed: seed))
            batch.runs += 1
            batch.steps += outcome.steps
            batch.fingerprints.insert(outcome.fingerprint)
            if !outcome.violations.isEmpty { batch.failures.append((seed, outcome.problems)) }
        }
        return batch
    }
}
