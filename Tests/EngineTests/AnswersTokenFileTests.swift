import Foundation
import Testing

@testable import Engine

@Suite struct AnswersTokenFileTests {
    private func inFolder(_ body: (String) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("tilebench-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder.path)
    }

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
        let good = "{\"version\":1,\"token\":\"secret\",\"expires_at\":null}"
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
            try write("{\"version\":1,\"token\":\"a\",\"expires_at\":null,\(members)}", to: path)
            let loaded = TokenFile(path: path, partNames: ["a"], firstRefreshToken: "r").load()
            #expect(loaded.token == nil && loaded.warning?.contains("is corrupt") == true)
        }
    }
}
