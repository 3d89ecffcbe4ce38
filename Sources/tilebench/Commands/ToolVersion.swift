import CBuildFacts
import Engine
import Metrics

/// Which build this is.
enum ToolVersion {
    static let text = "0.1.0"

    static func facts() -> ToolFacts {
        var facts = ToolFacts()
        facts.version = text
        facts.commit = String(cString: tb_build_commit())
        facts.build = String(cString: tb_build_configuration())
        facts.swift = String(cString: tb_build_swift())
        facts.libcurl = CurlLibrary.version
        // "5.3.0-0-g54eaed1d…": the commit of a release says nothing more.
        facts.jemalloc = Jemalloc.version.map { String($0.prefix { $0 != "-" }) } ?? "none"
        return facts
    }
}
