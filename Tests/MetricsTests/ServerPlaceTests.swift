import Testing

@testable import Metrics

@Suite struct ServerPlaceTests {
    private func add(
        _ recorder: Recorder, _ edge: String, _ address: String, _ cls: CacheClass,
        isGood: Bool = true, bytes: UInt64 = 10, serviceNS: UInt64 = 1_000, atNS: Int64 = 0
    ) {
        Array(edge.utf8).withUnsafeBufferPointer { edge in
            Array(address.utf8).withUnsafeBufferPointer { address in
                recorder.serverPlace(
                    edge: edge, address: address, cls, isGood: isGood, bytes: bytes,
                    serviceNS: serviceNS, intendedNS: atNS)
            }
        }
    }

    @Test func placesOfAllReactorsAreAdded() throws {
        let recorders = [Recorder(), Recorder()]
        for _ in 0..<3 { add(recorders[0], "FRA", "10.0.0.1", .hit) }
        add(recorders[0], "LHR", "10.0.0.1", .miss)
        add(recorders[0], "", "10.0.0.2", .unknown)
        add(recorders[1], "LHR", "10.0.0.2", .hit, bytes: 5)
        for _ in 0..<4 { add(recorders[1], "LHR", "10.0.0.1", .miss, isGood: false) }
        add(recorders[1], "LHR", "10.0.0.1", .hit, atNS: -1)
        let cache = merged(recorders, measuredNS: 1_000_000_000).cache
        #expect(cache.edges.map(\.name) == ["LHR", "FRA"])
        #expect(cache.edges.map(\.count) == [6, 3])
        #expect(cache.edges.map(\.bytes) == [55, 30])
        #expect(cache.edges.map(\.hitRate) == [0.5, 1])
        #expect(cache.edges.map(\.service.count) == [6, 3])
        #expect(cache.addresses.map(\.name) == ["10.0.0.1", "10.0.0.2"])
        #expect(cache.addresses.map(\.count) == [8, 2])
        // One of two good answers told nothing: no rate is claimed.
        #expect(cache.addresses[1].hitRate == nil)
        #expect(cache.edgesBeyond == 0 && cache.addressesBeyond == 0)
    }

    @Test func whatFindsNoRowIsCounted() {
        let recorder = Recorder()
        for number in 0..<40 { add(recorder, "E\(number)", "10.0.0.1", .hit) }
        add(recorder, "E0", "10.0.0.1", .hit)
        add(recorder, "E39", "10.0.0.1", .hit)
        let cache = merged([recorder], measuredNS: 1_000_000_000).cache
        #expect(cache.edges.count == 32)
        #expect(cache.edges.first?.name == "E0" && cache.edges.first?.count == 2)
        #expect(cache.edgesBeyond == 9)
        #expect(cache.addresses.map(\.count) == [42])
    }
}
