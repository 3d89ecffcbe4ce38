// swift-tools-version: 6.2
import PackageDescription

// The order of the targets is the order of the path of the data, lowest first: no target imports
// one that stands below it. `.ci/check-imports` holds the table and compares every import with it.

// jemalloc replaces malloc, which sanitizers and valgrind must do themselves.
let withoutJemalloc = Context.environment["TILEBENCH_NO_JEMALLOC"] == "1"

// The Makefile knows the commit and the exact compiler; a bare `swift build` says what it can.
#if compiler(>=6.4)
    let swiftMinor = "6.4 or newer"
#elseif compiler(>=6.3)
    let swiftMinor = "6.3"
#else
    let swiftMinor = "6.2"
#endif
let buildCommit = Context.environment["TILEBENCH_COMMIT"] ?? "unknown"
let buildSwift = Context.environment["TILEBENCH_SWIFT"] ?? swiftMinor

let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

func system(_ name: String, _ package: String, apt: String) -> Target {
    .systemLibrary(
        name: name, path: "Sources/System/\(name)", pkgConfig: package, providers: [.apt([apt])])
}

func module(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: strict)
}

func tests(
    _ name: String, _ dependencies: [Target.Dependency], exclude: [String] = [],
    resources: [Resource] = []
) -> Target {
    .testTarget(
        name: name, dependencies: dependencies, exclude: exclude, resources: resources,
        swiftSettings: strict)
}

let package = Package(
    name: "tilebench",
    products: [.executable(name: "tilebench", targets: ["tilebench"])],
    targets: [
        // C as Swift can see it.
        system("CCurl", "libcurl", apt: "libcurl4-openssl-dev"),
        system("CExpat", "expat", apt: "libexpat1-dev"),
        system("CMicrohttpd", "libmicrohttpd", apt: "libmicrohttpd-dev"),
        system("CZlib", "zlib", apt: "zlib1g-dev"),
        system("CLzma", "liblzma", apt: "liblzma-dev"),
        system("CBrotli", "libbrotlidec", apt: "libbrotli-dev"),
        system("CZstd", "libzstd", apt: "libzstd-dev"),
        system("COpenSSL", "libssl", apt: "libssl-dev"),
        .target(
            name: "CLinux", path: "Sources/System/CLinux",
            cSettings: [.define("_GNU_SOURCE")]),
        .target(
            name: "CLandMask", path: "Sources/System/CLandMask",
            exclude: ["generate.py", "land-110m.json", "land-z8.bin"]),
        .target(
            name: "CJemalloc", path: "Sources/System/CJemalloc",
            cSettings: withoutJemalloc ? [.define("TILEBENCH_NO_JEMALLOC")] : [],
            linkerSettings: withoutJemalloc ? [] : [.linkedLibrary("jemalloc")]),
        .target(
            name: "CBuildFacts", path: "Sources/System/CBuildFacts",
            cSettings: [
                .define("TILEBENCH_COMMIT", to: "\"\(buildCommit)\""),
                .define("TILEBENCH_SWIFT", to: "\"\(buildSwift)\""),
                .define("TILEBENCH_CONFIGURATION", to: "\"debug\"", .when(configuration: .debug)),
                .define(
                    "TILEBENCH_CONFIGURATION", to: "\"release\"", .when(configuration: .release)),
            ]),

        // Words and numbers.
        module("JSONText", []),
        module("TileModel", ["JSONText", "CExpat"]),
        module("Metrics", ["CJemalloc", "CZlib"]),

        // What to ask for and when; asking; saying what happened.
        module(
            "Workload", ["Metrics", "TileModel", "JSONText", "CLandMask", "CZlib", "CLzma"]),
        module(
            "Engine",
            [
                "Workload", "Metrics", "TileModel", "JSONText", "CBrotli", "CCurl", "CLinux",
                "COpenSSL", "CZlib", "CZstd", "CBuildFacts",
            ]),
        module("Reporting", ["Workload", "Metrics", "JSONText", "CZlib"]),

        // Something to aim at, and the command line.
        module("TileOrigin", ["TileModel", "JSONText", "CMicrohttpd", "CZlib", "CLinux"]),
        .executableTarget(
            name: "tilebench",
            dependencies: [
                "JSONText", "TileModel", "Metrics", "Workload", "Engine", "Reporting", "TileOrigin",
                "CBuildFacts",
            ],
            swiftSettings: strict),

        // Micro-benchmarks: counts are gated, times are printed.
        .executableTarget(
            name: "HotPaths",
            dependencies: ["JSONText", "TileModel", "Metrics", "Workload", "Engine", "CJemalloc"],
            path: "Benchmarks/HotPaths", swiftSettings: strict),

        // The renewal machine in worlds where everything may happen at any time.
        .target(
            name: "RenewalWorld", dependencies: ["Engine", "Metrics", "Workload"],
            path: "Tests/RenewalSimulation/World", swiftSettings: strict),
        .executableTarget(
            name: "RenewalSimulation", dependencies: ["RenewalWorld"],
            path: "Tests/RenewalSimulation/Command", swiftSettings: strict),

        // One test target per module, and the real binary against real servers.
        tests("JSONTextTests", ["JSONText"]),
        tests("TileModelTests", ["TileModel", "JSONText"], exclude: ["Vectors"]),
        tests("MetricsTests", ["Metrics", "CZlib"]),
        tests(
            "WorkloadTests",
            ["Workload", "Metrics", "TileModel", "JSONText", "CZlib", "CLzma"]),
        tests(
            "EngineTests",
            [
                "Engine", "Workload", "Metrics", "TileModel", "JSONText", "TileOrigin", "CCurl",
                "RenewalWorld",
            ],
            exclude: ["Vectors"]),
        tests(
            "ReportingTests", ["Reporting", "Workload", "Metrics", "JSONText"],
            exclude: ["Golden"]),
        tests("TileOriginTests", ["TileOrigin", "TileModel", "JSONText"]),
        tests("CommandTests", ["JSONText", "CZlib"], exclude: ["Servers"]),
    ],
    cLanguageStandard: .gnu2x
)
