import Foundation
import Testing

/// Compares a text with the file of that name beside the tests. `TILEBENCH_UPDATE_GOLDEN=1` writes
/// the files instead; what changed is then in the version control's diff.
func expectGolden(
    _ text: String, _ name: String, filePath: String = #filePath,
    sourceLocation: SourceLocation = #_sourceLocation
) throws {
    let folder = URL(fileURLWithPath: filePath).deletingLastPathComponent()
        .appendingPathComponent("Golden")
    let file = folder.appendingPathComponent(name)
    if ProcessInfo.processInfo.environment["TILEBENCH_UPDATE_GOLDEN"] == "1" {
        try Data(text.utf8).write(to: file)
        return
    }
    let expected = String(decoding: try Data(contentsOf: file), as: UTF8.self)
    guard text != expected else { return }
    Issue.record(
        "\(name) differs (TILEBENCH_UPDATE_GOLDEN=1 updates it):\n\(lineDiff(expected, text))",
        sourceLocation: sourceLocation)
}

/// Lines that only one of the texts has, `-` of the first and `+` of the second, with their
/// numbers.
func lineDiff(_ old: String, _ new: String) -> String {
    // CR LF is one Character: by bytes, the CR shows as part of the line.
    func lines(_ text: String) -> [String] {
        text.utf8.split(separator: 0x0A, omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
    }
    let changes = lines(new).difference(from: lines(old))
    return changes.prefix(60).map { change in
        switch change {
        case .remove(let offset, let line, _): "-\(offset + 1): \(line.debugDescription)"
        case .insert(let offset, let line, _): "+\(offset + 1): \(line.debugDescription)"
        }
    }.joined(separator: "\n")
}

/// A fresh folder, removed with the object.
final class ScratchFolder {
    let path: String

    init() throws {
        let url = FileManager.default.temporaryDirectory
            .appendingPathComponent("tilebench-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        path = url.resolvingSymlinksInPath().path
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func names(in folder: String = "") throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path + "/" + folder).sorted()
    }

    func text(_ name: String) throws -> String {
        String(
            decoding: try Data(contentsOf: URL(fileURLWithPath: path + "/" + name)), as: UTF8.self)
    }
}
