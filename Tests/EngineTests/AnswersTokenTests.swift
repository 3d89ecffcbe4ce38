import JSONText
import Testing

@testable import Engine

@Suite struct AnswersTokenTests {
    static let now = 1_767_268_800.0

    static func received(
        _ status: Int, _ body: String, headers: [(name: String, value: String)] = []
    ) -> TokenAnswer.Received {
        TokenAnswer.Received(
            status: status, headers: headers, body: Array(body.utf8), sentEpochS: now,
            receivedEpochS: now)
    }

    static func parse(
        _ status: Int, _ body: String, headers: [(name: String, value: String)] = [],
        token: [String]? = nil, expires: [String]? = nil
    ) -> Result<IssuedToken, TokenFailure> {
        TokenAnswer.parse(
            received(status, body, headers: headers), tokenPath: token, expiresPath: expires)
    }

    @Test func everyVector() throws {
        let all = try #require(try vectors("token-responses.json").array)
        #expect(all.count >= 12)
        for vector in all {
            let id = try #require(vector["id"]?.string)
            let body = try #require(vector["body"])
            let now = try #require(vector["now_epoch_s"]?.double)
            let bytes = body.string.map { Array($0.utf8) } ?? JSONWriter.encode(body)
            let result = TokenAnswer.parse(
                TokenAnswer.Received(
                    status: try #require(vector["status"]?.int), body: bytes, sentEpochS: now,
                    receivedEpochS: now), tokenPath: nil, expiresPath: nil)
            let expected = try #require(vector["expected"])
            let issued = try? result.get()
            #expect(issued?.text == expected["token"]?.string, "\(id)")
            #expect(issued?.expiresAtEpochS == expected["expires_at_epoch_s"]?.double, "\(id)")
        }
    }
}
