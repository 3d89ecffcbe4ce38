import Testing
import Workload

@testable import Engine

/// URLs as scenarios spell them become requests of the hosts that are dialled.
@Suite struct RequestWriterTests {
    @Test(arguments: [
        ("http://tiles.example/1/2/3.png", 0, "/1/2/3.png", "tiles.example"),
        ("HTTP://Tiles.EXAMPLE:80/1/2/3.png", 0, "/1/2/3.png", "tiles.example"),
        ("http://tiles.example", 0, "/", "tiles.example"),
        ("http://tiles.example?x=1", 0, "/?x=1", "tiles.example"),
        ("http://tiles.example/a?b=/c#d", 0, "/a?b=/c", "tiles.example"),
        ("http://tiles.example:08080/a", 1, "/a", "tiles.example:8080"),
        ("http://[::1]:8080/a", 2, "/a", "[::1]:8080"),
        ("https://tiles.example:443/a", 3, "/a", "tiles.example"),
    ])
    func requests(url: String, number: Int, target: String, host: String) throws {
        var writer = RequestWriter(
            origins: [
                "http://tiles.example", "http://tiles.example:8080", "http://[::1]:8080",
                "https://tiles.example",
            ], writesHost: true)
        let plan = Plan(
            name: "", target: TargetPlan(templates: []),
            workload: WorkloadPlan(kind: .popular(exponent: 1, weights: .osm)),
            load: LoadPlan(shape: .users(1)))
        let headers = HeaderSet(plan: plan, asksPacked: false)
        // A spelling is read when it is first met, and known from then on.
        for _ in 0..<2 {
            write(url, to: writer.url)
            let place = writer.host()
            let found = try #require(place)
            #expect(Int(found.number) == number)
            let request = writer.request(found, headers: headers.bare)
            #expect(
                String(decoding: request, as: UTF8.self)
                    == "GET \(target) HTTP/1.1\r\nHost: \(host)\r\n\r\n")
        }
        for other in ["http://tiles.example.org/a", "http://tiles.example:81/a", "ftp://a/"] {
            write(other, to: writer.url)
            let isKnown = writer.host() != nil
            #expect(!isKnown, "\(other)")
        }
    }

    private func write(_ text: String, to url: UnsafeMutablePointer<UInt8>) {
        for (index, byte) in (Array(text.utf8) + [0]).enumerated() { url[index] = byte }
    }
}
