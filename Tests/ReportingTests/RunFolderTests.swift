import Foundation
import JSONText
import Testing

@testable import Reporting

/// Files appear whole or not at all, and failures are said in words.
@Suite(.serialized) struct RunFolderTests {
    private static let full = ReportJSON.node(result: SampleResult.full, verdict: Verdict())
    private let report = full
    private static let files = [
        "passes.csv", "renewals.csv", "report.json", "summary.csv", "timeline.csv", "zooms.csv",
    ]

    @Test func writesAllFilesAndParents() throws {
        let scratch = try ScratchFolder()
        let folder = RunFolder(path: scratch.path + "/a/b//c/")
        try folder.checkWritable()
        #expect(try scratch.names(in: "a/b/c").isEmpty)
        try folder.write(report: report)
        #expect(try scratch.names(in: "a/b/c") == Self.files)
        #expect(try scratch.text("a/b/c/summary.csv") == ReportCSV.summary(report))
        #expect(try ReportJSON.read(Array(scratch.text("a/b/c/report.json").utf8)) == report)
    }

    @Test func replacesFilesOfAnEarlierRun() throws {
        let scratch = try ScratchFolder()
        try Data("old".utf8).write(to: URL(fileURLWithPath: scratch.path + "/report.json"))
        try Data("mine".utf8).write(to: URL(fileURLWithPath: scratch.path + "/notes.txt"))
        let folder = RunFolder(path: scratch.path)
        try folder.write(report: report)
        try folder.write(report: report)
        #expect(try scratch.names() == (Self.files + ["notes.txt"]).sorted())
        #expect(try scratch.text("report.json").hasPrefix("{"))
        #expect(try scratch.text("notes.txt") == "mine")
    }

    @Test func checkpointIsTheReportAlone() throws {
        let scratch = try ScratchFolder()
        try RunFolder(path: scratch.path).writeCheckpoint(report: report)
        #expect(try scratch.names() == ["report.json"])
    }

    @Test func fileInTheWay() throws {
        let scratch = try ScratchFolder()
        try Data().write(to: URL(fileURLWithPath: scratch.path + "/file"))
        for path in ["/file", "/file/run"] {
            let folder = RunFolder(path: scratch.path + path)
            let expected = "cannot make the folder \(scratch.path)/file: Not a directory"
            let checked = #expect(throws: RunFolderError.self) { try folder.checkWritable() }
            #expect(checked?.description == expected)
            let written = #expect(throws: RunFolderError.self) { try folder.write(report: report) }
            #expect(written?.description == expected)
        }
        #expect(try scratch.names() == ["file"])
    }

    @Test func directoryInPlaceOfAFile() throws {
        let scratch = try ScratchFolder()
        try FileManager.default.createDirectory(
            atPath: scratch.path + "/summary.csv", withIntermediateDirectories: false)
        let error = #expect(throws: RunFolderError.self) {
            try RunFolder(path: scratch.path).write(report: report)
        }
        #expect(
            error?.description == "cannot replace \(scratch.path)/summary.csv: Is a directory")
        #expect(try scratch.names() == ["report.json", "summary.csv"])
    }

    @Test func foldersThatCannotBeWritten() throws {
        // Root may write anywhere but here.
        for path in ["/proc/tilebench", "/proc"] {
            let error = #expect(throws: RunFolderError.self) {
                try RunFolder(path: path).checkWritable()
            }
            #expect(error?.path.hasPrefix("/proc") == true)
            #expect(error?.description.hasPrefix("cannot ") == true)
        }
    }

    @Test func noSpaceLeftIsSaid() {
        let error = RunFolderError(action: "write", path: "/full/report.json", code: ENOSPC)
        #expect(
            error.description == "cannot write /full/report.json: No space left on device")
    }

    /// The real thing: every write to this device fails.
    @Test(arguments: RunFolderTests.files)
    func fullDiskLeavesNothing(_ name: String) throws {
        let scratch = try ScratchFolder()
        let path = scratch.path + "/" + name
        #expect(symlink("/dev/full", FileWriter.temporaryPath(of: path)) == 0)
        let error = #expect(throws: RunFolderError.self) {
            try RunFolder(path: scratch.path).write(report: report)
        }
        #expect(error?.description == "cannot write \(path): No space left on device")
        #expect(try scratch.names().isEmpty)
    }

    @Test func latestLinksToTheLastRun() throws {
        let scratch = try ScratchFolder()
        let reports = scratch.path + "/Reports"
        for name in ["first", "second/inner"] {
            let folder = RunFolder(path: reports + "/" + name)
            try folder.write(report: report)
            try folder.linkLatest(in: reports)
            let target = try FileManager.default.destinationOfSymbolicLink(
                atPath: reports + "/latest")
            #expect(target == name)
        }
        #expect(try scratch.names(in: "Reports") == ["first", "latest", "second"])
        #expect(try scratch.names(in: "Reports/latest/") == Self.files)
        let outside = RunFolder(path: scratch.path + "/Reports2")
        try outside.write(report: report)
        try outside.linkLatest(in: reports)
        let target = try FileManager.default.destinationOfSymbolicLink(
            atPath: reports + "/latest")
        #expect(target == "second/inner")
    }

    @Test func folderNamedLatestIsLeftAlone() throws {
        let scratch = try ScratchFolder()
        let folder = RunFolder(path: scratch.path + "/latest")
        try folder.write(report: report)
        try folder.linkLatest(in: scratch.path)
        #expect(try scratch.names(in: "latest") == Self.files)
        let other = RunFolder(path: scratch.path + "/other")
        try other.write(report: report)
        let error = #expect(throws: RunFolderError.self) { try other.linkLatest(in: scratch.path) }
        #expect(error?.description == "cannot replace \(scratch.path)/latest: Is a directory")
        #expect(try scratch.names() == ["latest", "other"])
    }

    @Test(arguments: [
        ("quickstart", "quickstart"), ("a b/c:d", "a-b-c-d"), ("Zürich_1.0-x", "Zürich_1.0-x"),
        ("../../etc", "..-..-etc"), ("", "run"), ("\u{1B}[2J", "--2J"),
    ])
    func names(_ name: String, _ expected: String) {
        #expect(
            RunFolder.defaultPath(directory: "Reports", scenarioName: name, epochNS: 0)
                == "Reports/\(expected)-19700101T000000Z")
    }

    @Test func longNamesAreCut() {
        let name = String(repeating: "é", count: 300)
        #expect(RunFolder.safe(name).utf8.count == 200)
    }
}
