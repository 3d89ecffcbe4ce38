import JSONText
import Metrics

/// `tilebench version`: which build this is.
enum VersionCommand {
    static func run(
        _ arguments: Arguments, console: Console
    ) throws(Failure) -> ExitCode {
        let facts = ToolVersion.facts()
        if arguments.has("json") {
            let node = JSONNode.object([
                ("version", .string(facts.version)), ("commit", .string(facts.commit)),
                ("build", .string(facts.build)), ("swift", .string(facts.swift)),
                ("libcurl", .string(facts.libcurl)), ("jemalloc", .string(facts.jemalloc)),
            ])
            try console.print(JSONWriter.encodeText(node, pretty: true) + "\n")
            return .success
        }
        try console.print(
            """
            tilebench \(facts.version)
            commit \(facts.commit), \(facts.build) build, Swift \(facts.swift)
            libcurl \(facts.libcurl), jemalloc \(facts.jemalloc)

            """)
        return .success
    }
}
