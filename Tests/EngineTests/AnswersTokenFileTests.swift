import Foundation
import Glibc
import Testing
import TileModel
import Workload

@testable import Engine

@Suite struct AnswersTokenFileTests {
    private func inFolder(_ body: (String) throws -> Void) throws { try inNewFolder(body) }

    private func inNewFolder<Result>(_ body: (String) throws -> Result) throws -> Result {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("tilebench-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        return try body(folder.path)
    }

    /// Of files for no target in particular, as those written by hand here.
    private static let target = #""target":"cbf29ce484222325""#

    private func write(_ text: String, to path: String, mode: Int = 0o600) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }

    @Test func roundTrip() throws {
        try inFolder { folder in
            let file = TokenFile(path: folder + "/token.json")
            let missing = file.load()
            #expect(missing.token == nil && missing.warning == nil)
            for expiry in [nil, 1_767_272_400.5, 1_767_272_400] as [Double?] {
                try file.save(IssuedToken(Credential("a\"b\\c"), expiresAtEpochS: expiry))
                let loaded = file.load()
                #expect(loaded.warning == nil)
                #expect(loaded.token?.credential.text == "a\"b\\c")
                #expect(loaded.token?.expiresAtEpochS == expiry)
            }
            let mode = try FileManager.default.attributesOfItem(atPath: file.path)[
                .posixPermissions]
            #expect(mode as? Int == 0o600)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["token.json"])
        }
    }

    @Test(arguments: [
        "", "{", "[]", "{}", "{\"version\":2,\"token\":\"a\",\"expires_at\":null}",
        "{\"version\":1,\"token\":\"\",\"expires_at\":null}",
        "{\"version\":1,\"token\":\"a\\nb\",\"expires_at\":null}",
        "{\"version\":1,\"token\":7,\"expires_at\":null}", "{\"version\":1,\"token\":\"a\"}",
        "{\"version\":1,\"token\":\"a\",\"expires_at\":\"soon\"}",
        "{\"version\":1,\"token\":\"a\",\"expires_at\":null} x",
    ])
    func corrupt(_ text: String) throws {
        try inFolder { folder in
            let path = folder + "/t"
            try write(text, to: path)
            let loaded = TokenFile(path: path).load()
            #expect(loaded.token == nil)
            #expect(loaded.warning?.contains("is corrupt") == true)
        }
    }

    @Test func notTrusted() throws {
        let good = "{\"version\":1,\"token\":\"secret\",\"expires_at\":null,\(Self.target)}"
        try inFolder { folder in
            for mode in [0o644, 0o640, 0o604, 0o620] {
                try write(good, to: folder + "/open", mode: mode)
                let loaded = TokenFile(path: folder + "/open").load()
                #expect(loaded.token == nil)
                #expect(loaded.warning?.contains("0600") == true)
                #expect(loaded.warning?.contains("secret") == false)
            }
            try write(good, to: folder + "/closed")
            #expect(TokenFile(path: folder + "/closed").load().token?.credential.text == "secret")
            try FileManager.default.createSymbolicLink(
                atPath: folder + "/link", withDestinationPath: folder + "/closed")
            #expect(TokenFile(path: folder + "/link").load().warning?.contains("link") == true)
            #expect(TokenFile(path: folder).load().warning?.contains("no regular file") == true)
            try write(String(repeating: "x", count: 300_000), to: folder + "/large")
            #expect(TokenFile(path: folder + "/large").load().warning != nil)
        }
    }

    @Test func failedSaveSaysWhyAndNotWhat() throws {
        try inFolder { folder in
            let file = TokenFile(path: folder + "/absent/token.json")
            let error = #expect(throws: TokenFileError.self) {
                try file.save(IssuedToken(Credential("topsecret")))
            }
            #expect(error?.description.contains("No such file") == true)
            #expect(error?.description.contains("topsecret") == false)
            // A folder in its place: the temporary file does not stay.
            try FileManager.default.createDirectory(
                atPath: folder + "/dir", withIntermediateDirectories: true)
            #expect(throws: TokenFileError.self) {
                try TokenFile(path: folder + "/dir").save(IssuedToken(Credential("t")))
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["dir"])
        }
    }

    @Test func partsAndRefreshTokens() throws {
        try inFolder { folder in
            let path = folder + "/token.json"
            let file = TokenFile(path: path, partNames: ["a", "b"], firstRefreshToken: "r0")
            let credential = Credential("t", parts: ["1", "2"])
            try file.save(IssuedToken(credential, expiresAtEpochS: 5, refreshToken: "r1"))
            var loaded = file.load()
            #expect(loaded.token?.credential == credential && loaded.refreshToken == "r1")
            // In another order, one of them, and one that is not there.
            let other = TokenFile(path: path, partNames: ["b", "a"]).load()
            #expect(other.token?.credential.parts == ["2", "1"] && other.refreshToken == nil)
            #expect(TokenFile(path: path).load().token?.credential == Credential("t"))
            let lacking = TokenFile(
                path: path, partNames: ["a", "c"], firstRefreshToken: "r0"
            ).load()
            #expect(lacking.token == nil && lacking.refreshToken == "r1")
            #expect(lacking.warning?.contains("lacks a part of the credential: a, c") == true)
            // The scenario has got a new refresh token since: the stored one is of the old login.
            let renewed = TokenFile(path: path, partNames: ["a", "b"], firstRefreshToken: "r9")
            #expect(renewed.load().refreshToken == nil)
            #expect(renewed.load().token?.credential == credential)
            let stored = try String(contentsOfFile: path, encoding: .utf8)
            #expect(!stored.contains("r0"))
            // One that came without a token leaves the one that is there.
            try file.save(refreshToken: "r2")
            loaded = file.load()
            #expect(loaded.token?.credential == credential && loaded.refreshToken == "r2")
            #expect(loaded.token?.expiresAtEpochS == 5)
        }
    }

    @Test func refreshTokenAlone() throws {
        try inFolder { folder in
            let file = TokenFile(path: folder + "/token.json", firstRefreshToken: "r0")
            try file.save(refreshToken: "r1")
            let loaded = file.load()
            #expect(loaded.token == nil && loaded.refreshToken == "r1" && loaded.warning == nil)
        }
    }

    @Test(arguments: [
        #""parts":{"a":"x\ny"}"#, #""parts":{"a":""}"#, #""parts":{"a":"1"},"refresh_token":"a b""#,
    ])
    func corruptParts(_ members: String) throws {
        try inFolder { folder in
            let path = folder + "/t"
            try write(
                "{\"version\":1,\"token\":\"a\",\"expires_at\":null,\(Self.target),\(members)}",
                to: path)
            let loaded = TokenFile(path: path, partNames: ["a"], firstRefreshToken: "r").load()
            #expect(loaded.token == nil && loaded.warning?.contains("is corrupt") == true)
        }
    }

    @Test func ofAnotherTarget() throws {
        try inFolder { folder in
            func file(_ target: [String]) -> TokenFile {
                TokenFile(path: folder + "/t", firstRefreshToken: "r0", target: target)
            }
            try file(["http://a", "x"]).save(IssuedToken(Credential("t"), refreshToken: "r1"))
            #expect(file(["http://a", "x"]).load().token?.credential.text == "t")
            for target in [["http://b", "x"], ["http://a", "y"], ["http://a"], []] {
                let loaded = file(target).load()
                #expect(loaded.token == nil && loaded.refreshToken == nil)
                #expect(loaded.warning?.contains("was written for another target") == true)
            }
            // One of an older version does not say.
            let old = "{\"version\":1,\"token\":\"secret\",\"expires_at\":null}"
            try write(old, to: folder + "/t")
            #expect(file([]).load().token == nil)
        }
    }

    @Test func theTargetOfAPlan() throws {
        func fingerprint(_ change: (inout Plan) -> Void) throws -> String? {
            var plan = Plan(
                name: "n", target: TargetPlan(templates: ["http://a/{z}/{x}/{y}"]),
                workload: WorkloadPlan(kind: .popular(exponent: 1, weights: .osm)),
                load: LoadPlan(shape: .users(1)))
            var auth = AuthPlan()
            auth.renewal = RenewalPlan(url: "http://a/token", timeoutNS: 1)
            plan.auth = auth
            return try inNewFolder { folder in
                plan.auth?.storePath = folder + "/t"
                change(&plan)
                guard let file = TokenFile(plan) else { return nil }
                try file.save(IssuedToken(Credential("t")))
                let text = try String(contentsOfFile: folder + "/t", encoding: .utf8)
                #expect(!text.contains("http"))
                return text.split(separator: "\"target\"").last.map(String.init)
            }
        }
        let changes: [(inout Plan) -> Void] = [
            { _ in }, { $0.target.sources[0].templates = ["http://b/{z}/{x}/{y}"] },
            { $0.auth?.renewal?.url = "http://b/token" }, { $0.auth?.renewal?.kind = .basic },
            { $0.auth?.renewal?.credentials.clientID = "c" },
            { $0.auth?.renewal?.credentials.username = "c" },
        ]
        #expect(try Set(changes.map { try fingerprint($0) }).count == changes.count)
        // Another path of the same host is the same target.
        let own = try fingerprint { _ in }
        let neighbour = try fingerprint {
            $0.target.sources[0].templates = ["http://a/v2/{z}/{x}/{y}"]
        }
        let none = try fingerprint { $0.auth?.storePath = nil }
        #expect(own != nil && neighbour == own && none == nil)
    }

    /// Whatever stands at a wrong path is left alone.
    @Test func nothingElseIsReplaced() throws {
        try inFolder { folder in
            let path = folder + "/t"
            func refusesToReplace(_ reason: String) throws {
                let before = try FileManager.default.attributesOfItem(atPath: path)
                #expect(TokenFile(path: path).obstacle()?.contains(reason) == true)
                let error = #expect(throws: TokenFileError.self) {
                    try TokenFile(path: path).save(IssuedToken(Credential("t")))
                }
                #expect(error?.description.contains("is left as it is") == true)
                let after = try FileManager.default.attributesOfItem(atPath: path)
                #expect(after[.systemFileNumber] as? Int == before[.systemFileNumber] as? Int)
                try FileManager.default.removeItem(atPath: path)
            }
            let texts = [
                "a text", "{}", "[]", "{\"name\":\"x\"}", "{\"version\": 4, \"serial\": 1}", " ",
                "{\"version\": 11,", String(repeating: "x", count: 300_000),
            ]
            for text in texts {
                try write(text, to: path)
                try refusesToReplace("holds something else than a token")
            }
            try write("a text", to: folder + "/text")
            try FileManager.default.createSymbolicLink(
                atPath: path, withDestinationPath: folder + "/text")
            try refusesToReplace("is a symbolic link")
            #expect(mkfifo(path, 0o600) == 0)
            try refusesToReplace("is no regular file")

            let stores = ["", "{\"version\": 1, \"tok", "{\"version\":2,\"token\":\"a\"}"]
            for text in stores {
                try write(text, to: path, mode: 0o644)
                try TokenFile(path: path).save(IssuedToken(Credential("t")))
                #expect(TokenFile(path: path).load().token?.credential.text == "t")
            }
            #expect(TokenFile(path: folder + "/absent").obstacle() == nil)
            #expect(TokenFile(path: folder + "/absent").folderProblem() == nil)
            #expect(TokenFile(path: "bare").folderProblem() == nil)
            let astray = TokenFile(path: folder + "/no/folder").folderProblem()
            #expect(astray?.hasSuffix("its folder \(folder)/no: No such file or directory") == true)
        }
    }
}
