import JSONText
import Testing
import TileModel

@testable import Workload

/// Workloads as the plan writes them.
struct PlanWorkloadTests {
    private func written(_ change: (inout WorkloadPlan) throws -> Void) throws -> String {
        var plan = try plan(local())
        try change(&plan.workload)
        return JSONWriter.encodeText(try #require(plan.json["workload"]))
    }

    @Test func viewers() throws {
        let text = try written { workload in
            var viewers = ViewerPlan()
            viewers.client = .leaflet
            viewers.cancels = false
            viewers.moves.zoomIn = 0.25
            workload.kind = .viewers(viewers)
            workload.zooms = 2...9
            workload.places = [
                PlacePlan(
                    name: "alps", bounds: try GeoBounds(west: 5, south: 45, east: 10, north: 47),
                    weight: 2.5)
            ]
        }
        #expect(
            text == """
                {"kind":"viewers","client":"leaflet","viewport":[1280,800],\
                "moves":{"pan":0.7,"zoom_in":0.25,"zoom_out":0.1},"dwell":"2s",\
                "cancel":false,"zipf":1,"zoom_weights":"osm",\
                "places":[{"name":"alps","bounds":[5,45,10,47],"weight":2.5}],\
                "zooms":[2,9]}
                """)
    }

    @Test func replays() throws {
        var replay = ReplayPlan(file: "access.log.gz")
        replay.format = .cloudFront
        var plan = try plan(local())
        plan.workload.kind = .replay(replay)
        plan.load.shape = .logged
        #expect(
            JSONWriter.encodeText(try #require(plan.json["workload"])) == """
                {"kind":"replay","file":"access.log.gz","format":"cloudfront","speed":1}
                """)
        #expect(
            try written { $0.kind = .replay(replay) } == """
                {"kind":"replay","file":"access.log.gz","format":"cloudfront","think":"0s"}
                """)
    }

    /// The fingerprint of a plan knows what a log of weights holds, not where it is.
    @Test func weights() throws {
        var fingerprints: Set<String> = []
        for (name, text) in [
            ("a.txt", "1/0/0 5\n"), ("b.txt", "1/0/0 5\n"), ("a.txt", "1/0/0 5\n1/1/1 7\n"),
        ] {
            let file = try LogFile(text)
            var plan = try plan(local())
            plan.workload.tileWeights = try TileWeights(
                path: file.path, file: name, zooms: 0...14, regions: [])
            let json = JSONWriter.encodeText(try #require(plan.json["workload"]))
            #expect(json.hasPrefix("{\"kind\":\"popular\",\"weights_file\":\"\(name)\","))
            fingerprints.insert(JSONWriter.encodeText(plan.fingerprintJSON))
        }
        #expect(fingerprints.count == 2)
    }
}
