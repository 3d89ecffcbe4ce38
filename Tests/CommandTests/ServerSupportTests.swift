import Foundation
import Testing

/// The servers of the other tests, tried by the smallest client there is: what they are trusted to
/// do, they do.
@Suite(.serialized)
struct ServerSupportTests {
    @Test func staticTilesAreRealFilesAndTheLogCountsThem() async throws {
        try await withNginx(NginxConfig(.tiles, .status(204, at: "/empty/"))) { server in
            for _ in 0..<3 {
                let answer = try await get(server, "/tiles/5/17/9.png")
                #expect(answer.status == 200)
                #expect(answer.headers["content-type"] == "image/png")
                #expect(answer.body == TilePNG.bytes(z: 5, x: 17, y: 9))
            }
            #expect(try await get(server, "/tiles/9/0/0.png").status == 404)
            #expect(try await get(server, "/empty/0/0/0.png").status == 204)
            let log = try await server.stopAndReadLog()
            #expect(log.statuses() == ["200": 3, "404": 1, "204": 1])
            #expect(log.statuses(without: ["/empty/"]) == ["200": 3, "404": 1])
            #expect(log.entries[0].version == "HTTP/1.1")
            #expect(log.entries[0].bodyBytes == TilePNG.bytes(z: 5, x: 17, y: 9).count)
        }
    }

    @Test func aTileDecodes() async throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("tile.png", TilePNG.bytes(z: 3, x: 4, y: 5))
        // Python's zlib and struct read it by the specification, chunk by chunk.
        let script = """
            import struct, sys, zlib
            png = open(sys.argv[1], 'rb').read(); at = 8; data = b''
            assert png[:8] == b'\\x89PNG\\r\\n\\x1a\\n'
            while at < len(png):
                size, name = struct.unpack('>I4s', png[at:at + 8])
                body = png[at + 8:at + 8 + size]
                assert struct.unpack('>I', png[at + 8 + size:at + 12 + size])[0] == \
            zlib.crc32(name + body)
                data += body if name == b'IDAT' else b''
                at += 12 + size
            print(len(zlib.decompress(data)))
            """
        let python = try ChildProcess(
            "/usr/bin/python3", ["-c", script, path], environment: [:],
            workingFolder: folder.path, outputFolder: folder)
        #expect(try await python.waitForEnd(timeoutS: 60) == .exited(0))
        #expect(python.output() == "\(256 * 33)\n", "\(python.errorOutput())")
    }

    @Test func faultsAreWhatTheySay() async throws {
        let config = NginxConfig(
            .status(503, at: "/down/"), .reset(at: "/reset/"),
            .limited(at: "/limited/", perSecond: 1, burst: 2), .cached(at: "/cached/"))
        try await withNginx(config) { server in
            #expect(try await get(server, "/down/x").status == 503)
            await #expect(throws: ProcessFailure.self) { _ = try await get(server, "/reset/x") }
            var limited: [Int] = []
            for _ in 0..<6 { limited.append(try await get(server, "/limited/0/0/0.png").status) }
            #expect(limited == [200, 200, 200, 429, 429, 429])
            for expected in ["MISS", "HIT", "HIT"] {
                let answer = try await get(server, "/cached/1/0/1.png")
                #expect(answer.headers["x-cache-status"] == expected)
                #expect(answer.body == TilePNG.bytes(z: 1, x: 0, y: 1))
            }
            let log = try await server.stopAndReadLog()
            #expect(log.statuses() == ["503": 1, "444": 1, "200": 6, "429": 3])
        }
    }

    @Test func tokensOpenTilesUntilTheyAreRevoked() async throws {
        try await withTokenService { service in
            try await withNginx(NginxConfig(.protected(by: service))) { server in
                let path = "/secure/2/1/1.png"
                #expect(try await get(server, path).status == 401)
                let token = try await service.token()
                for headers in [
                    ["Authorization": "Bearer \(token)"], ["Authorization": token],
                    ["Cookie": "a=b; token=\(token)"],
                ] {
                    #expect(try await get(server, path, headers).status == 200)
                }
                #expect(try await get(server, path + "?token=\(token)").status == 200)
                #expect(try await get(server, path + "?token=other").status == 401)
                try await service.revoke()
                #expect(try await get(server, path + "?token=\(token)").status == 401)
                let next = try await service.token()
                #expect(try await get(server, path + "?token=\(next)").status == 200)
                let counters = try await service.counters()
                #expect(
                    counters
                        == TokenService.Counters(
                            tokenRequests: 2, issued: 2, concurrentMax: 1, revocations: 1,
                            authOK: 5, authRefused: 3))
                let log = try await server.stopAndReadLog()
                #expect(log.statuses() == ["200": 5, "401": 3])
            }
        }
    }

    @Test func tokensExpireByThemselves() async throws {
        try await withTokenService(ttlS: 0.3, advertisedS: 3600) { service in
            let answer = try await LoopbackHTTP.request("POST", port: service.port, path: "/token")
            let document = try ReportJSON(text: answer.text)
            #expect(try document.double("expires_in") == 3600)
            let headers = ["Authorization": try document.string("token")]
            let port = service.port
            func status() async throws -> Int {
                try await LoopbackHTTP.request(port: port, path: "/auth", headers: headers).status
            }
            #expect(try await status() == 204)
            try await Task.sleep(for: .milliseconds(350))
            #expect(try await status() == 401)
        }
    }

    @Test(arguments: [
        (TokenService.Mode.error, 500, "something broke\n"),
        (.html, 200, "<!DOCTYPE html><title>Sign in</title>"),
        (.empty, 200, ""), (.malformed, 200, "{\"token\": \"abc"),
        (.noToken, 200, "{\"expires_in\": 60}"), (.tooMany, 429, "too many\n"),
        (.invalidGrant, 400, "{\"error\": \"invalid_grant\"}"),
    ])
    func aModeLastsForItsCount(mode: TokenService.Mode, status: Int, text: String) async throws {
        try await withTokenService { service in
            try await service.set(mode, count: 2)
            for _ in 0..<2 {
                let answer = try await LoopbackHTTP.request(port: service.port, path: "/token")
                #expect(answer.status == status)
                #expect(answer.text == text)
            }
            _ = try await service.token()
            let counters = try await service.counters()
            #expect(counters.tokenRequests == 3)
            #expect(counters.issued == 1)
        }
    }

    @Test func awkwardModes() async throws {
        try await withTokenService { service in
            let first = try await service.token()
            try await service.set(.same, count: 1)
            #expect(try await service.token() == first)
            #expect(try await service.token() != first)

            try await service.set(.dead, count: 1)
            let headers = ["Authorization": try await service.token()]
            let port = service.port
            let answer = try await LoopbackHTTP.request(port: port, path: "/auth", headers: headers)
            #expect(answer.status == 401)

            for mode in [TokenService.Mode.hang, .close] {
                try await service.set(mode, count: 1)
                await #expect(throws: ProcessFailure.self, "\(mode)") {
                    _ = try await LoopbackHTTP.request(port: port, path: "/token", timeoutS: 1)
                }
            }
            try await service.set(.slow, count: 1)
            let start = ContinuousClock.now
            _ = try await service.token()
            #expect(ContinuousClock.now - start >= .milliseconds(800))
        }
    }

    @Test func aFrozenServerAnswersAfterwards() async throws {
        var config = NginxConfig(.tiles)
        config.workers = 2
        try await withNginx(config) { server in
            server.freeze()
            let port = server.port
            await #expect(throws: ProcessFailure.self) {
                _ = try await LoopbackHTTP.request(
                    port: port, path: "/tiles/0/0/0.png", timeoutS: 1)
            }
            server.thaw()
            let answer = try await get(server, "/tiles/0/0/0.png")
            #expect(answer.status == 200)
        }
    }

    @Test func tlsSpeaksHTTP2ByItsCertificate() async throws {
        var config = NginxConfig(.tiles)
        config.tls = true
        config.http2 = true
        try await withNginx(config) { server in
            let folder = try TemporaryFolder()
            let client = try ChildProcess(
                "/usr/bin/openssl",
                [
                    "s_client", "-connect", "127.0.0.1:\(server.port)", "-alpn", "h2",
                    "-CAfile", server.certificatePath, "-verify_return_error",
                    "-verify_ip", "127.0.0.1",
                ],
                environment: [:], workingFolder: folder.path, outputFolder: folder)
            #expect(try await client.waitForEnd(timeoutS: 60) == .exited(0))
            #expect(client.output().contains("ALPN protocol: h2"), "\(client.errorOutput())")
        }
    }

    @Test func serversAreGoneAfterAFailure() async throws {
        struct Expected: Error {}
        var ports: [Int] = []
        await #expect(throws: Expected.self) {
            try await withTokenService { service in
                try await withNginx(NginxConfig(.tiles)) { server in
                    ports = [service.port, server.port]
                    throw Expected()
                }
            }
        }
        #expect(ports.count == 2)
        for port in ports { #expect(!LoopbackHTTP.accepts(port: port)) }
    }

    @Test func theBinaryRuns() async throws {
        let folder = try TemporaryFolder()
        let result = try await TilebenchBinary.run(["version"], in: folder)
        #expect(result.exitCode == 0, "\(result.errorOutput)")
        #expect(result.output.contains("tilebench"))
    }

    @Test func reportsAreReadByPath() throws {
        let report = try ReportJSON(text: #"{"a": {"b": [{"c": 7}], "d": 0.5, "n": {"200": 3}}}"#)
        #expect(try report.int("a.b.0.c") == 7)
        #expect(try report.double("a.d") == 0.5)
        #expect(try report.counts("a.n") == ["200": 3])
        #expect(!report.has("a.b.1"))
        #expect(throws: ProcessFailure.self) { _ = try report.int("a.x") }
        #expect(throws: ProcessFailure.self) { _ = try report.int("a.n") }
    }

    private func get(
        _ server: NginxServer, _ path: String, _ headers: [String: String] = [:]
    ) async throws -> LoopbackAnswer {
        try await LoopbackHTTP.request(port: server.port, path: path, headers: headers)
    }
}
