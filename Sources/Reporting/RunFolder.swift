import Glibc
package import JSONText

/// Where the files of a run go. They appear together and whole, or not at all: each is written
/// under another name beside its place, and renamed when all are written.
package struct RunFolder: Sendable {
    package let path: String

    package init(path: String) { self.path = path }

    /// `<scenario name>-<UTC time>` in a directory. The name keeps letters, digits, `.`, `_` and
    /// `-`; the rest becomes `-`.
    package static func defaultPath(
        directory: String, scenarioName: String, epochNS: Int64
    ) -> String {
        let folder = safe(scenarioName) + "-" + UTCTime(epochNS: epochNS).compact
        return directory.isEmpty ? folder : directory + "/" + folder
    }

    static func safe(_ name: String) -> String {
        var safe = ""
        for character in name {
            let isKept = character.isLetter || "0123456789._-".contains(character)
            // File systems allow 255 bytes, and a time and an ending follow.
            guard safe.utf8.count + character.utf8.count <= 200 else { break }
            safe.append(isKept ? character : "-")
        }
        return safe.isEmpty ? "run" : safe
    }

    /// Makes the folder with its parents and tries to write in it, to know before a run and not
    /// after it.
    package func checkWritable() throws(RunFolderError) {
        try FileWriter.makeDirectory(path)
        let probe = FileWriter(path: path + "/report.json")
        try probe.stage(Array("{}\n".utf8))
        probe.discard()
    }

    /// Writes all files of a finished run, in place of those of an earlier one. `ledger` is what an
    /// embedded origin counted itself: the report can be held against it.
    package func write(report: JSONNode, ledger: JSONNode? = nil) throws(RunFolderError) {
        var files = [
            ("report.json", ReportJSON.encode(report)),
            ("summary.csv", Array(ReportCSV.summary(report).utf8)),
            ("timeline.csv", Array(ReportCSV.timeline(report).utf8)),
            ("zooms.csv", Array(ReportCSV.zooms(report).utf8)),
            ("renewals.csv", Array(ReportCSV.renewals(report).utf8)),
        ]
        if report["passes"] != nil {
            files.append(("passes.csv", Array(ReportCSV.passes(report).utf8)))
        }
        if let ledger { files.append(("origin.json", ReportJSON.encode(ledger))) }
        try write(files)
    }

    /// Writes the files of a referee: its report, and its `events` as renewals.csv.
    package func write(referee report: JSONNode) throws(RunFolderError) {
        try write([
            ("report.json", ReportJSON.encode(report)),
            ("renewals.csv", Array(ReportCSV.renewals(events: report["events"]).utf8)),
        ])
    }

    /// Writes the files of a search for the capacity; its steps have folders of their own. `ledger`
    /// is as of a run.
    package func write(capacity: JSONNode, ledger: JSONNode? = nil) throws(RunFolderError) {
        var files = [
            ("capacity.json", ReportJSON.encode(capacity)),
            ("capacity.csv", Array(CapacityJSON.csv(capacity).utf8)),
        ]
        if let ledger { files.append(("origin.json", ReportJSON.encode(ledger))) }
        try write(files)
    }

    /// Writes report.json alone, for a run that still goes on.
    package func writeCheckpoint(report: JSONNode) throws(RunFolderError) {
        try write([("report.json", ReportJSON.encode(report))])
    }

    /// Makes `latest` in the reports directory a relative link to this folder. Does nothing when
    /// the folder is not inside that directory.
    ///
    /// - Throws: when there is a directory or no permission in the way; the run's files are not
    ///   touched.
    package func linkLatest(in reportsDirectory: String) throws(RunFolderError) {
        guard let root = FileWriter.resolved(reportsDirectory),
            let own = FileWriter.resolved(path), own.hasPrefix(root + "/")
        else { return }
        let target = String(own.dropFirst(root.count + 1))
        let link = root + "/latest"
        // `--out Reports/latest` made a folder of that name.
        guard target != "latest" else { return }
        let temporary = FileWriter.temporaryPath(of: link)
        unlink(temporary)
        guard symlink(target, temporary) == 0 else {
            throw RunFolderError(action: "link", path: link, code: errno)
        }
        guard rename(temporary, link) == 0 else {
            let code = errno
            unlink(temporary)
            throw RunFolderError(action: "replace", path: link, code: code)
        }
    }

    private func write(_ files: [(name: String, bytes: [UInt8])]) throws(RunFolderError) {
        try FileWriter.makeDirectory(path)
        var staged: [FileWriter] = []
        do throws(RunFolderError) {
            for file in files {
                let writer = FileWriter(path: path + "/" + file.name)
                try writer.stage(file.bytes)
                staged.append(writer)
            }
            while let writer = staged.first {
                try writer.commit()
                staged.removeFirst()
            }
        } catch {
            for writer in staged { writer.discard() }
            throw error
        }
    }
}
