import JSONText
import Testing
import TileModel

@testable import Workload

@Suite("A URL in place of a file")
struct ScenarioURLTests {
    private func plan(
        _ url: String, _ flags: [(ScenarioFlag, String)], set: [String] = []
    ) throws -> Plan {
        let overrides = try ScenarioLoader.overrides(flags) + set.map(ScenarioOverride.parse)
        return try ScenarioFile.load(
            node: ScenarioLoader.scenario(fromURL: url), label: "URL", nameDefault: "host",
            overrides: overrides, environment: [:], version: "1"
        ).get()
    }

    private let url = "http://127.0.0.1:9/{z}/{x}/{y}.png"

    @Test("Defaults")
    func defaults() throws {
        let plan = try plan(url, [])
        #expect(plan.name == "host")
        #expect(plan.load.shape == .users(10))
        #expect(plan.load.durationNS == 10_000_000_000)
        #expect(plan.target.templates == [url])
    }

    @Test("Flags")
    func flags() throws {
        let plan = try plan(
            url,
            [
                (.rate, "200/s"), (.zooms, "8-14"), (.bounds, "5.9,45.8,10.5,47.8"),
                (.duration, "3s"), (.seed, "7"), (.warmup, "1s"), (.name, "x"),
            ])
        #expect(plan.load.shape == .rate(perSecond: 200, arrivals: .constant))
        #expect(plan.workload.zooms == 8...14)
        #expect(plan.workload.bounds?.east == 10.5)
        #expect(plan.load.durationNS == 3_000_000_000)
        #expect(plan.load.warmupNS == 1_000_000_000)
        #expect((plan.seed, plan.name) == (7, "x"))
        let counted = try self.plan(url, [(.users, "3"), (.count, "50")])
        #expect(counted.load.count == 50)
        #expect(counted.load.durationNS == nil)
        #expect(counted.load.shape == .users(3))
        #expect(try self.plan(url, [], set: ["load.rate=5"]).load.isOpen)
    }

    @Test("The printed scenario holds what the flags said")
    func printed() throws {
        let node = try ScenarioLoader.scenario(
            fromURL: url, flags: [(.rate, "200/s"), (.count, "9"), (.zooms, "4")])
        #expect(
            JSONWriter.encodeText(node) == "{\"target\":{\"tiles\":\"\(url)\"},"
                + "\"workload\":{\"kind\":\"popular\",\"zooms\":[4,4]},"
                + "\"load\":{\"rate\":\"200/s\",\"count\":9}}")
    }

    @Test(
        "Flags that mean nothing",
        arguments: [
            (ScenarioFlag.zooms, "a-b"), (.zooms, "1-2-3"), (.zooms, ""), (.bounds, "1,2,3"),
            (.bounds, "1,2,3,x"), (.bounds, "1,2,3,4,5"),
        ])
    func badFlags(flag: ScenarioFlag, text: String) {
        #expect(throws: JSONProblem.self) { try ScenarioLoader.overrides([(flag, text)]) }
    }

    @Test(
        "What an address most likely leads to",
        arguments: [
            ("https://h.example/tiles.json", "tilejson"),
            ("https://h.example/v3.JSON#a", "tilejson"),
            ("https://h.example/style.json?key=1", "style"),
            ("https://h.example/1.0.0/WMTSCapabilities.xml", "wmts"),
            ("https://h.example/wmts?SERVICE=WMTS&REQUEST=GetCapabilities", "wmts"),
            ("https://h.example/maps?service=WMS", "wms"),
            ("https://h.example/arcgis/rest/services/A/MapServer", "arcgis"),
            ("https://h.example/arcgis/rest/services/A/VectorTileServer/?f=json", "arcgis"),
            ("https://h.example/{z}/{x}/{y}.json", ""), ("https://h.example/tile.png", ""),
        ])
    func documents(url: String, kind: String) throws {
        #expect(ScenarioLoader.documentKind(byURL: url)?.rawValue ?? "" == kind)
        let target = try ScenarioLoader.scenario(fromURL: url)["target"]
        #expect(target?.members?.map(\.name) == [kind.isEmpty ? "tiles" : kind])
        let value = target?.members?.first?.node
        #expect((value?["capabilities"] ?? value?["url"] ?? value)?.string == url)
    }
}
