import JSONText
import Metrics
import Testing

@testable import Reporting

@Suite struct CSVTests {
    @Test(arguments: [
        ("plain", "plain"), ("", ""), ("a,b", "\"a,b\""), ("say \"x\"", "\"say \"\"x\"\"\""),
        ("two\nlines", "\"two\nlines\""), ("two\r\nlines", "\"two\r\nlines\""),
        ("é, 漢", "\"é, 漢\""), (" blank ", " blank "),
    ])
    func quoting(_ field: String, _ expected: String) {
        var text = ""
        CSV.append([field, "x"], to: &text)
        #expect(Array(text.utf8) == Array((expected + ",x\r\n").utf8))
    }

    @Test func columnsAreTheSameInEveryRun() throws {
        let results = [SampleResult.full, SampleResult.small, SampleResult.empty]
        let files: [(JSONNode) -> String] = [
            ReportCSV.summary, ReportCSV.timeline, ReportCSV.zooms, ReportCSV.renewals,
        ]
        for file in files {
            let headers = results.map { result in
                rows(file(ReportJSON.node(result: result, verdict: Verdict()))).first
            }
            #expect(Set(headers).count == 1)
        }
    }

    @Test func summaryIsTheReport() throws {
        let report = ReportJSON.node(result: SampleResult.full, verdict: Verdict())
        let table = rows(ReportCSV.summary(report))
        #expect(table.count == 2)
        #expect(table[0].count == table[1].count)
        #expect(Set(table[0]).count == table[0].count)
        let byName = Dictionary(uniqueKeysWithValues: zip(table[0], table[1]))
        #expect(byName["scenario.name"] == "full \"quoted\"")
        #expect(byName["machine.cpu"] == "Example CPU, 2.0 GHz")
        #expect(byName["ledger.failed_by.timeout"] == "5")
        #expect(byName["ledger.failed_by_detail.timeout.first_byte"] == "5")
        #expect(byName["auth.renewals.per_expiry_max"] == "1")
        #expect(byName["auth.injections_missed"] == "1")
        #expect(byName["requests.redirected"] == "5")
        #expect(byName["run.interrupted"] == "false")
        #expect(byName["run.signal"] == "")
        #expect(byName["cache.server.hit.count"] == "9000")
        #expect(byName["verdict"] == "none")
        for name in ["histogram", "plan", "status.200", "evidence", "low_resolution", "reasons"] {
            #expect(!table[0].contains { $0.hasSuffix(name) }, "\(name)")
        }
        for (name, value) in byName {
            let node = name.split(separator: ".").reduce(report as JSONNode?) {
                $0?[String($1)]
            }
            #expect(CSV.field(node) == value, "\(name)")
        }
    }

    /// A reader of its own, by the rules of RFC 4180.
    private func rows(_ text: String) -> [[String]] {
        var rows: [[String]] = [[]]
        var field: [UInt8] = []
        var isQuoted = false
        let bytes = Array(text.utf8)
        var at = 0
        while at < bytes.count {
            let byte = bytes[at]
            let next = at + 1 < bytes.count ? bytes[at + 1] : 0
            switch (byte, isQuoted) {
            case (0x22, true) where next == 0x22:
                field.append(byte)
                at += 1
            case (0x22, _): isQuoted.toggle()
            case (0x2C, false), (0x0D, false):
                rows[rows.count - 1].append(String(decoding: field, as: UTF8.self))
                field = []
                if byte == 0x0D {
                    at += 1
                    if at + 1 < bytes.count { rows.append([]) }
                }
            default: field.append(byte)
            }
            at += 1
        }
        return rows
    }
}
