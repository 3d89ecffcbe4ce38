import CLinux
import Metrics

/// What the process used in the measured part, and the most it had open. Control thread only.
struct GeneratorWatch {
    private struct Mark {
        var atNS: UInt64
        var cpuNS: UInt64
        var throttledNS: UInt64
        var ticks: (stolen: UInt64, all: UInt64)

        init(_ nowNS: UInt64) {
            atNS = nowNS
            cpuNS = tb_process_cpu_ns()
            throttledNS = MachineProbe.throttledNS()
            ticks = MachineProbe.stolenTicks()
        }
    }

    private var begin: Mark?
    private var end: Mark?
    private var nextLookNS: UInt64 = 0
    private var descriptorsUsed = 0
    private var portsUsed = 0

    mutating func note(_ nowNS: UInt64, t0NS: UInt64, endNS: UInt64) {
        if begin == nil, nowNS >= t0NS { begin = Mark(nowNS) }
        if end == nil, nowNS >= endNS { end = Mark(nowNS) }
        guard nowNS >= nextLookNS else { return }
        nextLookNS = nowNS + 1_000_000_000
        descriptorsUsed = max(descriptorsUsed, MachineProbe.descriptorsUsed())
        portsUsed = max(portsUsed, MachineProbe.portsUsed())
    }

    mutating func noteDone(_ nowNS: UInt64) {
        if begin == nil { begin = Mark(nowNS) }
        if end == nil { end = Mark(nowNS) }
    }

    /// Adds what it knows to the generator's figures.
    func fill(_ facts: inout GeneratorFacts) {
        facts.descriptorsUsed = descriptorsUsed
        facts.descriptorsLimit = MachineProbe.raiseDescriptorLimit()
        facts.portsUsed = portsUsed
        facts.portsLimit = MachineProbe.portsLimit()
        facts.coresAvailable = MachineProbe.coresAvailable()
        facts.peakRSSBytes = MachineProbe.peakRSSBytes()
        if let memory = Jemalloc.statistics() {
            facts.jemallocAllocatedBytes = memory.allocatedBytes
            facts.jemallocResidentBytes = memory.residentBytes
        }
        facts.cpuNS = tb_process_cpu_ns()
        guard let begin else { return }
        let last = end ?? Mark(MonotonicClock.nowNS())
        let measuredCPU = last.cpuNS &- begin.cpuNS
        facts.throttledNS = last.throttledNS &- begin.throttledNS
        let wall = last.atNS &- begin.atNS
        if wall > 0 { facts.coresUsed = Double(measuredCPU) / Double(wall) }
        let all = last.ticks.all &- begin.ticks.all
        if all > 0 {
            facts.stolenShare = Double(last.ticks.stolen &- begin.ticks.stolen) / Double(all)
        }
    }
}
