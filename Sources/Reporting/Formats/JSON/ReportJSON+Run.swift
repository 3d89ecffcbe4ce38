import JSONText
import Metrics

/// What ran, on what, and how the generator fared.
extension ReportJSON {
    static func tool(_ tool: ToolFacts) -> JSONNode {
        var node = ObjectBuilder()
        node.add("version", text: tool.version)
        node.add("commit", text: tool.commit)
        node.add("build", text: tool.build)
        node.add("swift", text: tool.swift)
        node.add("libcurl", text: tool.libcurl)
        node.add("jemalloc", text: tool.jemalloc)
        return node.node
    }

    static func machine(_ machine: MachineFacts) -> JSONNode {
        var node = ObjectBuilder()
        node.add("cpu", text: machine.cpu)
        node.add("cores", count: machine.cores)
        node.add("kernel", text: machine.kernel)
        node.add("memory_bytes", count: machine.memoryBytes)
        return node.node
    }

    static func scenario(_ scenario: ScenarioFacts) -> JSONNode {
        var node = ObjectBuilder()
        node.add("name", text: scenario.name)
        node.add("sha256", text: scenario.sha256)
        node.add("seed", count: scenario.seed)
        let (plan, problems) = JSONReader.parse(
            scenario.planJSON.utf8, comments: false, depthLimit: 64)
        // Written by this program, so it can be read; a report is worth more than a crash if not.
        node.add("plan", problems.isEmpty ? plan : .string(scenario.planJSON))
        return node.node
    }

    static func run(_ run: RunFacts) -> JSONNode {
        var node = ObjectBuilder()
        node.add("started_at", text: run.startedAt)
        node.add("warmup_s", s: run.warmupNS)
        node.add("warmup_asks", count: run.warmupAsks)
        node.add("measured_s", s: run.measuredNS)
        node.add("drain_s", s: run.drainNS)
        node.add("interrupted", flag: run.interrupted)
        node.add("signal", text: run.signal)
        node.add("aborted", text: run.aborted)
        node.add("shard", count: run.shard)
        node.add("shards", count: run.shards)
        node.add("validity", text: run.validity.rawValue)
        node.add("reasons", .array(run.reasons.map(JSONNode.string)))
        node.add("pass", text: run.pass)
        return node.node
    }

    static func generator(_ result: RunResult) -> JSONNode {
        let generator = result.generator
        let sent = result.requests.sent
        var node = ObjectBuilder()
        node.add("threads", count: generator.threads)
        node.add("transport", text: generator.transport)
        node.add("transport_reason", text: generator.transportReason)
        node.add("cpu_s", s: generator.cpuNS)
        node.add(
            "cpu_us_per_request",
            rounded: sent == 0 ? nil : Double(generator.cpuNS) / 1e3 / Double(sent))
        node.add("cores_used", rounded: generator.coresUsed)
        node.add("cores_available", rounded: generator.coresAvailable)
        node.add("throttled_s", s: generator.throttledNS)
        node.add("peak_rss_bytes", count: generator.peakRSSBytes)
        node.add("jemalloc_allocated_bytes", count: generator.jemallocAllocatedBytes)
        node.add("jemalloc_resident_bytes", count: generator.jemallocResidentBytes)
        node.add("allocated_bytes_per_request", rounded: generator.allocatedBytesPerRequest)
        node.add("descriptors_used", count: generator.descriptorsUsed)
        node.add("descriptors_limit", count: generator.descriptorsLimit)
        node.add("ports_used", count: generator.portsUsed)
        node.add("ports_limit", count: generator.portsLimit)
        node.add("start_lag", distribution(generator.startLag))
        node.add("loop_lag", distribution(generator.loopLag))
        return node.node
    }
}
