import Engine
import Metrics
import Workload

/// What a run would make of an answer, in words.
struct ProbeJudgement {
    let outcome: Outcome
    private let status: Int
    /// Whether the scenario takes the answer for a refused token.
    let isRefusal: Bool
    /// The token is good, and the answer says that it is not for this.
    let lacksScope: Bool
    /// The kind of service it looks like, where the scenario says another or none.
    let fitting: ProbeProfile?
    private let cacheClass: CacheClass
    private let isShield: Bool
    private let evidence: String?

    init(_ answer: OneShot.Answer, url: String, plan: Plan) {
        status = answer.status
        var facts = AnswerFacts()
        facts.cache.believed = plan.cache.serverHeader.map { BelievedHeader($0) }
        for header in answer.headers {
            Array("\(header.name): \(header.value)\r\n".utf8).withUnsafeBytes {
                facts.note(line: $0)
            }
        }
        let rule = plan.auth.map { RefusalRule($0.rejection) }
        (isRefusal, outcome) = answer.body.withUnsafeBufferPointer { body in
            let isRefusal =
                rule?.isRefusal(status: answer.status, facts: facts, prefix: body) ?? false
            let outcome = OutcomeRule.outcome(
                status: answer.status, facts: facts, prefix: body,
                bodyBytes: UInt64(answer.bodyBytes), isUnpacked: false, isRefusal: isRefusal)
            return (isRefusal, outcome)
        }
        lacksScope = !isRefusal && facts.challenges.saysInsufficientScope
        let fitting = ProbeProfile(answer, facts, url: url)
        self.fitting = fitting?.profile == plan.auth?.profile ? nil : fitting
        let verdict = facts.cache.verdict(status: answer.status)
        cacheClass = verdict.cls
        isShield = verdict.isShield
        let names = CacheEvidence.names + [plan.cache.serverHeader ?? ""]
        let index = Int(verdict.evidence)
        evidence = names.indices.contains(index) ? names[index] : nil
    }

    /// `hit at the edge, by X-Cache`.
    var cacheText: String {
        guard let evidence, cacheClass != .unknown else {
            return "unknown: no header says what a cache did"
        }
        let tier = isShield ? "behind the nearest cache" : "at the nearest cache"
        return "\(cacheClass.key) \(tier), by \(evidence)"
    }

    /// Nil when nothing speaks for another kind of service than the scenario's.
    var profileText: String? {
        guard let fitting else { return nil }
        let name = fitting.profile.rawValue
        let meaning =
            fitting.isRefusal
            ? "; there this \(status) means an expired token"
            : outcome == .authDenied ? "; there this \(status) is no expired token" : ""
        return "\(name) fits, by \(fitting.mark)\(meaning)"
    }

    /// `tile: a usable tile`.
    var outcomeText: String { "\(outcome.key): \(meaning)" }

    private var meaning: String {
        switch outcome {
        case .tile: "a usable tile"
        case .emptyTile: "success without content"
        case .notModified: "the stored tile is still good"
        case .noTile: "the tile does not exist"
        case .authExpired: "a new token is wanted"
        case .authDenied: "not allowed; a new token does not help"
        case .blocked: "a usage policy answers"
        case .softError where (300..<400).contains(status): "a redirect that is not followed"
        case .softError: "success by its status, but no tile"
        case .clientError: "the request is wrong"
        case .rateLimited: "too many requests"
        case .overloaded: "the server is overloaded"
        case .serverError: "the server failed"
        case .gzipUndeclared: "gzip, but Content-Encoding does not say so"
        case .gzipTwice: "gzip within gzip, of which Content-Encoding names one"
        }
    }
}
