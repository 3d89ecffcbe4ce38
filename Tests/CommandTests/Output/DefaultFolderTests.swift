import Foundation
import Testing

/// Where a run's files go when nobody says where.
struct DefaultFolderTests {
    @Test func twoRunsOfOneSecondHaveFoldersOfTheirOwn() async throws {
        let folder = try TemporaryFolder()
        let form = DateFormatter()
        form.locale = Locale(identifier: "en_US_POSIX")
        form.timeZone = TimeZone(identifier: "UTC")
        form.dateFormat = "yyyyMMdd'T'HHmmss'Z'"
        // As if another run had begun in every second that this one can begin in.
        // Counted from one moment: a loop that looks at the clock can leave a second out.
        let start = Date()
        for second in 0..<120 {
            let time = form.string(from: start.addingTimeInterval(Double(second)))
            try folder.write("Reports/same-\(time)/report.json", "of another run")
            if second % 2 == 0 {
                try folder.write("Reports/same-\(time)-2/report.json", "of another run")
            }
        }
        try folder.write(
            "same.json",
            #"{"target": {"origin": {}}, "load": {"users": 1, "count": 3}, "on_invalid": "warn"}"#)
        let result = try await TilebenchBinary.run(["run", "same.json"], in: folder)
        #expect(result.exitCode == 0, "\(result.errorOutput)")
        var own: [String] = []
        for name in folder.names(in: "Reports") where name != "latest" {
            let report = try folder.read("Reports/\(name)/report.json")
            if report != "of another run" { own.append(name) }
        }
        #expect(own.count == 1)
        #expect(own.first?.hasSuffix("Z-2") == true || own.first?.hasSuffix("Z-3") == true)
        #expect(result.errorOutput.contains("files in Reports/\(own.first ?? "")\n"))
        let latest = try FileManager.default.destinationOfSymbolicLink(
            atPath: folder.path("Reports/latest"))
        #expect(latest == own.first)
    }
}
