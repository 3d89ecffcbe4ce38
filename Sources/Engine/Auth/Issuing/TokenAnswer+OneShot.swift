import Glibc
import Workload

extension TokenAnswer.Received {
    /// What a fetch gave that has just ended.
    init(_ answer: OneShot.Answer) {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        let receivedEpochS = Double(now.tv_sec) + Double(now.tv_nsec) / 1e9
        self.init(
            status: answer.status, headers: answer.headers, body: answer.body,
            sentEpochS: receivedEpochS - Double(answer.totalNS) / 1e9 + Double(answer.sentNS) / 1e9,
            receivedEpochS: receivedEpochS)
    }
}

extension TokenAnswer {
    /// As the other `parse`, of what a fetch gave that has just ended.
    package static func parse(
        _ answer: OneShot.Answer, rule: TokenAnswerRule
    ) -> Result<IssuedToken, TokenFailure> {
        if let failure = answer.failure {
            let text =
                answer.isTimeout
                ? timeoutText(rule)
                : "no answer from the token endpoint: \(failure)"
            return .failure(.transient(text))
        }
        if answer.bodyBytes > answer.body.count {
            return .failure(.transient("the token endpoint's answer is too large"))
        }
        return parse(Received(answer), rule: rule)
    }

    static func timeoutText(_ rule: TokenAnswerRule) -> String {
        "the token endpoint did not answer within \(UnitText.text(durationNS: rule.timeoutNS))"
            + " (auth.renewal.timeout)"
    }

    /// The refresh token of an answer that brought nothing else of use.
    package static func refreshToken(_ answer: OneShot.Answer) -> String? {
        answer.failure == nil ? refreshToken(Received(answer)) : nil
    }
}
