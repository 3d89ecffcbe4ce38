import Glibc
import JSONText
import Reporting
import Workload

/// The files of a run in their folder. Failures are sentences: what was measured is worth more than
/// the files, and is printed whether they could be written or not.
struct RunFiles {
    let folder: RunFolder
    private let reportsDirectory: String

    /// Makes the folder and sees that it can be written to, before any load is made.
    ///
    /// - Throws: exit 2 with the path and the system's reason.
    init(_ arguments: Arguments, plan: Plan) throws(Failure) {
        reportsDirectory = plan.report.directory
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        do {
            if let path = arguments.value("out") {
                folder = RunFolder(path: path)
            } else {
                let path = RunFolder.defaultPath(
                    directory: reportsDirectory, scenarioName: plan.secrets.masking(plan.name),
                    epochNS: Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec))
                folder = try RunFiles.takeFolder(path, in: reportsDirectory)
            }
            try folder.checkWritable()
        } catch {
            throw Failure(.usage, "the results could not be kept: \(error)")
        }
    }

    /// A folder that no other run has, not even one of the same name and second: the path itself,
    /// or with -2, -3 and so on behind it.
    private static func takeFolder(
        _ path: String, in directory: String
    ) throws(RunFolderError) -> RunFolder {
        try RunFolder(path: directory.isEmpty ? "." : directory).checkWritable()
        var candidate = path
        var number = 1
        // What else is in the way is found out when the folder is tried.
        while mkdir(candidate, 0o777) != 0, errno == EEXIST {
            number += 1
            candidate = "\(path)-\(number)"
        }
        return RunFolder(path: candidate)
    }

    /// Nil when all is written, else what went wrong. `ledger` is the embedded origin's.
    func write(_ report: JSONNode, ledger: JSONNode?) -> String? {
        do {
            try folder.write(report: report, ledger: ledger)
            return nil
        } catch {
            return error.description
        }
    }

    /// The files of one load of several, a pass or a step, in a folder of its name.
    func write(_ report: JSONNode, in name: String) -> String? {
        do {
            try RunFolder(path: folder.path + "/" + name).write(report: report)
            return nil
        } catch {
            return error.description
        }
    }

    /// As ``write(_:ledger:)``, for a search for the capacity.
    func write(capacity: JSONNode, ledger: JSONNode?) -> String? {
        do {
            try folder.write(capacity: capacity, ledger: ledger)
            return nil
        } catch {
            return error.description
        }
    }

    /// As ``write(_:ledger:)``, for the report of a referee.
    func write(referee report: JSONNode) -> String? {
        do {
            try folder.write(referee: report)
            return nil
        } catch {
            return error.description
        }
    }

    func writeCheckpoint(_ report: JSONNode) -> String? {
        do {
            try folder.writeCheckpoint(report: report)
            return nil
        } catch {
            return error.description
        }
    }

    /// Points `Reports/latest` at the folder.
    func linkLatest() -> String? {
        do {
            try folder.linkLatest(in: reportsDirectory)
            return nil
        } catch {
            return error.description
        }
    }
}
