import Glibc
import Metrics

// Exit codes: 0, all within budget; 1, more allocated than allowed; 2, nothing could be judged.

func complain(_ message: String) {
    let line = "HotPaths: \(message)\n"
    write(STDERR_FILENO, line, line.utf8.count)
}

func fail(_ message: String) -> Never {
    complain(message)
    exit(2)
}

#if DEBUG
    print(
        """
        ============================================================================
        DEBUG BUILD: neither the times nor the bytes mean anything, no budget counts.
        Use `make bench`.
        ============================================================================
        """)
#endif

let allocatedBefore = Jemalloc.threadAllocatedBytes()
Work.use(UInt64(Array(0..<CommandLine.arguments.count + 1000).count))
guard Jemalloc.threadAllocatedBytes() > allocatedBefore else {
    fail("jemalloc is not the allocator, so nothing can be counted")
}

let wanted = CommandLine.arguments.dropFirst()
let chosen = Budget.all.filter { budget in
    wanted.isEmpty || wanted.contains { budget.name.hasPrefix($0) }
}
guard !chosen.isEmpty else {
    fail("no benchmark begins with \(wanted.joined(separator: " or "))")
}

print(Table.header)
var overBudget: [String] = []
for budget in chosen {
    do {
        let measurement = try Measurement.of(budget.path)
        print(Table.row(budget, measurement))
        if let bytesMax = budget.bytesMax, measurement.bytes > bytesMax {
            overBudget.append(budget.name)
        }
    } catch {
        fail("\(budget.name): \(error)")
    }
}
#if !DEBUG
    if !overBudget.isEmpty {
        complain("over budget: \(overBudget.joined(separator: "; "))")
        exit(1)
    }
#endif
