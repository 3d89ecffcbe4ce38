import Glibc

extension TokenAnswer {
    /// As the other `parse`, of what a fetch gave.
    package static func parse(
        _ answer: OneShot.Answer, tokenPath: [String]?, expiresPath: [String]?
    ) -> Result<IssuedToken, TokenFailure> {
        if let failure = answer.failure {
            let text =
                answer.isTimeout
                ? "the token endpoint did not answer in time"
                : "no answer from the token endpoint: \(failure)"
            return .failure(TokenFailure(isPermanent: false, text: text))
        }
        if answer.bodyBytes > answer.body.count {
            return .failure(
                TokenFailure(isPermanent: false, text: "the token endpoint's answer is too large"))
        }
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        let receivedEpochS = Double(now.tv_sec) + Double(now.tv_nsec) / 1e9
        let received = Received(
            status: answer.status, headers: answer.headers, body: answer.body,
            sentEpochS: receivedEpochS - Double(answer.totalNS) / 1e9,
            receivedEpochS: receivedEpochS)
        return parse(received, tokenPath: tokenPath, expiresPath: expiresPath)
    }
}
