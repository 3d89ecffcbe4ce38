import CLinux
import Glibc
package import Metrics

/// What the machine and the process say of themselves, from /proc and cgroups. A file that is not
/// there gives 0 or nil, never a guess.
package enum MachineProbe {
    package static func facts() -> MachineFacts {
        var facts = MachineFacts()
        let cpuinfo = text(of: "/proc/cpuinfo")
        facts.cpu = value(of: "model name", in: cpuinfo, separator: ":") ?? "unknown"
        facts.cores = sysconf(Int32(_SC_NPROCESSORS_ONLN))
        facts.kernel = text(of: "/proc/sys/kernel/osrelease").trimmedASCII
        let memory = value(of: "MemTotal", in: text(of: "/proc/meminfo"), separator: ":")
        facts.memoryBytes = (memory.flatMap { UInt64($0.prefix { $0.isNumber }) } ?? 0) * 1024
        return facts
    }

    /// Cores this process may use: the smaller of affinity and CPU quota.
    package static func coresAvailable() -> Double {
        let cores = tb_affinity_cores()
        let affinity = cores > 0 ? Double(cores) : Double(sysconf(Int32(_SC_NPROCESSORS_ONLN)))
        return min(affinity, quotaCores() ?? affinity)
    }

    /// cgroup v2 `cpu.max`, or v1's quota and period; nil: no quota.
    private static func quotaCores() -> Double? {
        let v2 = text(of: "/sys/fs/cgroup/cpu.max").split(separator: " ").map { $0.trimmedASCII }
        if v2.count == 2, let quota = Double(v2[0]), let period = Double(v2[1]), period > 0 {
            return quota / period
        }
        let quota = Double(text(of: "/sys/fs/cgroup/cpu/cpu.cfs_quota_us").trimmedASCII) ?? -1
        let period = Double(text(of: "/sys/fs/cgroup/cpu/cpu.cfs_period_us").trimmedASCII) ?? 0
        return quota > 0 && period > 0 ? quota / period : nil
    }

    /// Time the cgroup was stopped by its quota, ns since it exists.
    package static func throttledNS() -> UInt64 {
        let statistics = text(of: "/sys/fs/cgroup/cpu.stat")
        if let value = value(of: "throttled_usec", in: statistics, separator: " ") {
            return (UInt64(value) ?? 0) * 1000
        }
        let old = text(of: "/sys/fs/cgroup/cpu/cpu.stat")
        return value(of: "throttled_time", in: old, separator: " ").flatMap { UInt64($0) } ?? 0
    }

    /// (stolen, all) clock ticks of the machine so far.
    package static func stolenTicks() -> (stolen: UInt64, all: UInt64) {
        let line = text(of: "/proc/stat").split(separator: "\n").first ?? ""
        let ticks = line.split(separator: " ").dropFirst().compactMap { UInt64($0) }
        guard ticks.count > 7 else { return (0, 0) }
        return (ticks[7], ticks[0..<8].reduce(0, +))
    }

    package static func peakRSSBytes() -> UInt64 {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return UInt64(max(0, usage.ru_maxrss)) * 1024
    }

    /// TCP sockets of this network namespace, in use or in TIME_WAIT: each holds a local port.
    package static func portsUsed() -> Int {
        let line = text(of: "/proc/net/sockstat").split(separator: "\n").first {
            $0.hasPrefix("TCP:")
        }
        let words = line?.split(separator: " ") ?? []
        func number(after word: String) -> Int {
            words.firstIndex { $0 == word }.flatMap {
                words.indices.contains($0 + 1) ? Int(words[$0 + 1]) : nil
            } ?? 0
        }
        return number(after: "inuse") + number(after: "tw")
    }

    package static func portsLimit() -> Int {
        let range = text(of: "/proc/sys/net/ipv4/ip_local_port_range")
            .split { $0 == "\t" || $0 == " " || $0 == "\n" }.compactMap { Int($0) }
        return range.count == 2 ? range[1] - range[0] + 1 : 0
    }

    /// Open descriptors of this process.
    package static func descriptorsUsed() -> Int {
        guard let folder = opendir("/proc/self/fd") else { return 0 }
        defer { closedir(folder) }
        var count = 0
        while readdir(folder) != nil { count += 1 }
        // ".", ".." and the folder's own descriptor.
        return max(0, count - 3)
    }

    /// Raises the soft limit of descriptors to the hard one and returns it.
    package static func raiseDescriptorLimit() -> Int {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        if limit.rlim_cur < limit.rlim_max {
            limit.rlim_cur = limit.rlim_max
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        }
        return Int(clamping: limit.rlim_cur)
    }

    // MARK: files

    private static func text(of path: String) -> String {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return "" }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 16_384)
        let count = read(descriptor, &bytes, bytes.count)
        return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : ""
    }

    private static func value(of key: String, in text: String, separator: Character) -> String? {
        for line in text.split(separator: "\n") where line.hasPrefix(key) {
            guard let cut = line.firstIndex(of: separator) else { continue }
            return String(line[line.index(after: cut)...]).trimmedASCII
        }
        return nil
    }
}
