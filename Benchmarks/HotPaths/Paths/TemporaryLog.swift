import Glibc

/// A file of lines for one benchmark, which deletes it.
struct TemporaryLog {
    let path: String

    init(lines: Int, _ line: (Int) -> String) throws {
        var template = Array("/tmp/tilebench-hotpaths-XXXXXX".utf8CString)
        let descriptor = mkstemp(&template)
        guard descriptor >= 0, let file = fdopen(descriptor, "w") else {
            throw SetUpFailure(description: "no temporary file")
        }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        for number in 0..<lines { fputs(line(number) + "\n", file) }
        guard fclose(file) == 0 else { throw SetUpFailure(description: "no room for \(path)") }
    }

    func delete() { unlink(path) }
}
