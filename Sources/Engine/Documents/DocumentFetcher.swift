import Glibc
import TileModel
package import Workload

/// Fetches the documents that a target names, with the credentials that its tiles are asked with:
/// each at most once, of a bounded size, within a bounded time, and never outside the fence. Its
/// requests are before the run and in none of its books. One thread.
package final class DocumentFetcher {
    private static let redirectsMax = 5
    private static let timeoutNS: UInt64 = 30_000_000_000

    private let isCancelled: @Sendable () -> Bool
    private var known: [String: Result<FetchedDocument, DocumentFailure>] = [:]
    private var credential: Credential?
    /// The answer that brought the token; nil when none was asked for.
    package private(set) var tokenAnswer: OneShot.Answer?

    package init(isCancelled: @escaping @Sendable () -> Bool = { false }) {
        self.isCancelled = isCancelled
    }

    package func fetch(_ request: DocumentRequest) -> Result<FetchedDocument, DocumentFailure> {
        if let result = known[request.url] { return result }
        let result: Result<FetchedDocument, DocumentFailure>
        do throws(DocumentFailure) {
            result = .success(try fetched(request))
        } catch {
            result = .failure(
                DocumentFailure(request.plan.secrets.masking(error.message), hint: error.hint))
        }
        known[request.url] = result
        return result
    }

    private func fetched(_ request: DocumentRequest) throws(DocumentFailure) -> FetchedDocument {
        let plan = request.plan
        if let renewal = plan.auth?.renewal, renewal.kind == .document, renewal.url == request.url {
            return try viaRenewal(renewal, plan)
        }
        let bearer = try bearer(plan)
        var answer = try follow(request, bearer)
        if isRefused(answer.answer, plan), let newer = try renewed(after: bearer, plan) {
            answer = try follow(request, newer)
        }
        return try document(
            answer.answer, url: answer.url, isRefused: isRefused(answer.answer, plan))
    }

    private func document(
        _ answer: OneShot.Answer, url: String, isRefused: Bool = false
    ) throws(DocumentFailure) -> FetchedDocument {
        guard answer.status == 200 else {
            throw DocumentFailure(
                "the document was answered with status \(answer.status)",
                hint: isRefused || [401, 403].contains(answer.status)
                    ? "it is asked for with the token of auth, where its tiles have it" : nil)
        }
        return FetchedDocument(
            bytes: answer.body, contentType: answer.header("content-type"), url: url)
    }

    // MARK: - Requests

    /// Follows redirects inside the fence.
    private func follow(
        _ request: DocumentRequest, _ bearer: Credential?
    ) throws(DocumentFailure) -> (answer: OneShot.Answer, url: String) {
        let plan = request.plan
        let first = url(request.template, bearer, plan)
        var url = first
        for _ in 0...Self.redirectsMax {
            let answer = try ask(url, bearer, plan)
            guard [301, 302, 303, 307, 308].contains(answer.status),
                let location = answer.header("location")
            else { return (answer, url == first ? request.url : url) }
            guard let next = URLReference.resolve(location, against: url) else {
                throw DocumentFailure("the document is redirected to what is no URL")
            }
            guard plan.target.allows(url: next) else {
                let host = origin(of: next).map { "`\($0)`" } ?? "another scheme"
                throw DocumentFailure(
                    "the document is redirected to \(host), outside the fence",
                    hint: "target.hosts lists every host that may get a request")
            }
            url = next
        }
        throw DocumentFailure("the document is redirected more than \(Self.redirectsMax) times")
    }

    private func ask(
        _ url: String, _ bearer: Credential?, _ plan: Plan
    ) throws(DocumentFailure) -> OneShot.Answer {
        var request = OneShot.Request(url: url, timeoutNS: Self.timeoutNS)
        request.bodyMax = DocumentLimits.bytesMax
        request.isBounded = true
        let headers = CredentialHeaders(plan: plan, asksPacked: false)
        request.headers = headers.constant + (bearer.map { headers.bearing($0) } ?? [])
        // What tiles are asked for with says of images that they are welcome.
        request.headers.removeAll { $0.name.lowercasedASCII == "accept" }
        request.headers.append(
            HeaderPlan(name: "Accept", value: "application/json,text/xml,application/xml,*/*;q=0.8")
        )
        let answer = OneShot(connection: plan.connection).fetch(request, isCancelled: isCancelled)
        guard !answer.isTooLong else {
            throw DocumentFailure(
                "the document is longer than \(DocumentLimits.bytesMax >> 20) MiB")
        }
        guard answer.status > 0, answer.failure == nil else {
            throw DocumentFailure(
                "the document was not answered: \(answer.failure ?? "no answer")")
        }
        return answer
    }

    /// The address with the credential in it.
    private func url(_ url: String, _ bearer: Credential?, _ plan: Plan) -> String {
        guard let bearer else { return url }
        var text = url.replacing("{token}", with: percentEncoded(bearer.text))
        for (name, part) in zip(plan.auth?.partNames ?? [], bearer.parts) {
            text = text.replacing("{token.\(name)}", with: percentEncoded(part))
        }
        return text
    }

    private func isRefused(_ answer: OneShot.Answer, _ plan: Plan) -> Bool {
        plan.auth?.rejection.statuses.contains(answer.status) ?? false
    }

    // MARK: - Tokens

    /// A token as the tiles will be asked with; nil without `auth`.
    private func bearer(_ plan: Plan) throws(DocumentFailure) -> Credential? {
        if let credential { return credential }
        guard let auth = plan.auth else { return nil }
        if let token = auth.staticToken {
            credential = Credential(token)
        } else if let stored = stored(plan), auth.start == .stored {
            credential = stored
        } else if let renewal = auth.renewal, renewal.kind != .document {
            credential = try renewed(renewal, plan)
        }
        return credential
    }

    /// What a tile of the plan is asked with, its document having been fetched; nil without `auth`.
    package func credential(of plan: Plan) throws(DocumentFailure) -> Credential? {
        guard let renewal = plan.auth?.renewal, renewal.kind == .document else {
            return try bearer(plan)
        }
        let answer =
            tokenAnswer
            ?? OneShot(connection: plan.connection).fetch(
                OneShot.Request(
                    renewal: renewal, state: RenewalState(), userAgent: plan.target.userAgent,
                    timeoutNS: renewal.timeoutNS), isCancelled: isCancelled)
        switch TokenAnswer.parse(answer, rule: TokenAnswerRule(renewal, of: plan)) {
        case .success(let issued): return issued.credential
        case .failure(let failure):
            throw DocumentFailure("no token: \(plan.secrets.masking(failure.text))")
        }
    }

    private func stored(_ plan: Plan) -> Credential? {
        guard let auth = plan.auth, let path = auth.storePath else { return nil }
        let file = TokenFile(
            path: path, partNames: auth.partNames,
            firstRefreshToken: auth.renewal?.credentials.refreshToken)
        guard let token = file.load().token, token.lifeLeftNS != nil || token.expiresAtEpochS == nil
        else { return nil }
        return token.credential
    }

    /// Another token when the one that was refused came from the store.
    private func renewed(
        after refused: Credential?, _ plan: Plan
    ) throws(DocumentFailure) -> Credential? {
        guard refused != nil, tokenAnswer == nil, let renewal = plan.auth?.renewal,
            renewal.kind != .document
        else { return nil }
        credential = try renewed(renewal, plan)
        return credential
    }

    private func renewed(_ renewal: RenewalPlan, _ plan: Plan) throws(DocumentFailure) -> Credential
    {
        let answer = OneShot(connection: plan.connection).fetch(
            OneShot.Request(
                renewal: renewal, state: state(renewal, plan), userAgent: plan.target.userAgent,
                timeoutNS: renewal.timeoutNS), isCancelled: isCancelled)
        switch TokenAnswer.parse(answer, rule: TokenAnswerRule(renewal, of: plan)) {
        case .success(let issued):
            tokenAnswer = answer
            return issued.credential
        case .failure(let failure):
            throw DocumentFailure("no token for the document: \(failure.text)")
        }
    }

    private func state(_ renewal: RenewalPlan, _ plan: Plan) -> RenewalState {
        guard renewal.kind == .refreshToken, let path = plan.auth?.storePath else {
            return RenewalState()
        }
        let file = TokenFile(
            path: path, partNames: plan.auth?.partNames ?? [],
            firstRefreshToken: renewal.credentials.refreshToken)
        return RenewalState(refreshToken: file.load().token?.refreshToken)
    }

    /// The document is the credential: fetching it is the first renewal.
    private func viaRenewal(
        _ renewal: RenewalPlan, _ plan: Plan
    ) throws(DocumentFailure) -> FetchedDocument {
        var request = OneShot.Request(
            renewal: renewal, state: RenewalState(), userAgent: plan.target.userAgent,
            timeoutNS: renewal.timeoutNS)
        request.bodyMax = DocumentLimits.bytesMax
        let answer = OneShot(connection: plan.connection).fetch(request, isCancelled: isCancelled)
        guard answer.status > 0, answer.failure == nil else {
            throw DocumentFailure(
                "the document was not answered: \(answer.failure ?? "no answer")")
        }
        guard !answer.isTooLong else {
            throw DocumentFailure(
                "the document is longer than \(DocumentLimits.bytesMax >> 20) MiB")
        }
        let document = try document(answer, url: renewal.url)
        tokenAnswer = answer
        return document
    }
}
