import CMicrohttpd
import JSONText

/// Answers that are the same for every request, made once.
final class FixedAnswers: @unchecked Sendable {
    /// An answer, its status and the size of its body. Immutable after the start.
    struct Fixed {
        let status: Int
        let bodyBytes: Int
        let answer: OpaquePointer?
    }

    let noSuchTile: Fixed
    let unknown: Fixed
    /// 405 with the methods that the path has.
    let tileMethods: Fixed
    let tokenMethods: Fixed
    let postMethods: Fixed
    let login: Fixed
    /// To a browser that asks whether it may send a request (CORS preflight).
    let preflight: Fixed
    let badHost: Fixed
    let noSuchOperation: Fixed
    let tooManyCells: Fixed
    let badRequest: Fixed
    let invalidGrant: Fixed
    /// By the fault's place in `allCases`; the answers of faults that have none are never sent.
    let renewalFaults: [Fixed]
    /// By the verdict's raw value.
    let refusals: [Fixed]
    /// By the fault's index; the answer of a fault without a status is never sent.
    let faults: [Fixed]

    init(_ options: OriginOptions) {
        noSuchTile = FixedAnswers.text(404, "no such tile: outside the pyramid, or z above 30\n")
        unknown = FixedAnswers.text(404, "not here: tiles are at /{z}/{x}/{y}.png and .mvt\n")
        tileMethods = FixedAnswers.text(405, "method not allowed\n", [("Allow", "GET, HEAD")])
        tokenMethods = FixedAnswers.text(405, "method not allowed\n", [("Allow", "GET, POST")])
        postMethods = FixedAnswers.text(405, "method not allowed\n", [("Allow", "POST")])
        login = FixedAnswers.page(200, "Log in", [])
        preflight = FixedAnswers.preflight()
        badHost = FixedAnswers.text(400, "Host is not a host\n")
        noSuchOperation = FixedAnswers.xml(400, OriginDocuments.wmtsException)
        tooManyCells = FixedAnswers.error(503, "temporarily_unavailable")
        badRequest = FixedAnswers.error(400, "invalid_request")
        invalidGrant = FixedAnswers.error(400, "invalid_grant")
        renewalFaults = OriginOptions.RenewalFault.allCases.map(FixedAnswers.answer)
        let shape = options.token?.refuseWith ?? .status(401)
        refusals = TokenVerdict.allCases.map { FixedAnswers.refusal(shape, $0) }
        faults = options.faults.map { fault in
            guard case .status(let status) = fault.kind else {
                return Fixed(status: 0, bodyBytes: 0, answer: nil)
            }
            return FixedAnswers.text(
                status, "fault on purpose: \(status)\n", [("Cache-Control", "no-store")])
        }
        if options.isReferee {
            for fixed in all { ReadyAnswer.allowAnyOrigin(fixed.answer) }
        }
    }

    deinit {
        for fixed in all {
            if let answer = fixed.answer { MHD_destroy_response(answer) }
        }
    }

    private var all: [Fixed] {
        let single = [
            noSuchTile, unknown, tileMethods, tokenMethods, postMethods, login, preflight, badHost,
            noSuchOperation, tooManyCells, badRequest, invalidGrant,
        ]
        return single + renewalFaults + refusals + faults
    }

    /// Statuses whose answers have no body (RFC 9110) get none.
    private static func text(
        _ status: Int, _ text: String, _ headers: [(String, String)] = []
    ) -> Fixed {
        let body = status == 204 || status == 304 ? "" : text
        return Fixed(
            status: status, bodyBytes: body.utf8.count,
            answer: ReadyAnswer.make(body, headers: headers))
    }

    private static func page(
        _ status: Int, _ title: String, _ headers: [(String, String)]
    ) -> Fixed {
        let body = "<!DOCTYPE html><html><title>\(title)</title><h1>\(title)</h1></html>\n"
        return Fixed(
            status: status, bodyBytes: body.utf8.count,
            answer: ReadyAnswer.make(body, type: "text/html; charset=utf-8", headers: headers))
    }

    /// `*` does not stand for Authorization; the last header lets public pages reach private
    /// addresses.
    private static func preflight() -> Fixed {
        let headers = [
            ("Access-Control-Allow-Methods", "GET, HEAD, POST"),
            ("Access-Control-Allow-Headers", "*, Authorization"),
            ("Access-Control-Max-Age", "600"),
            ("Access-Control-Allow-Private-Network", "true"),
        ]
        return Fixed(status: 204, bodyBytes: 0, answer: ReadyAnswer.make("", headers: headers))
    }

    private static func xml(_ status: Int, _ body: String) -> Fixed {
        Fixed(
            status: status, bodyBytes: body.utf8.count,
            answer: ReadyAnswer.make(body, type: "application/xml"))
    }

    private static func json(
        _ status: Int, _ node: JSONNode, _ headers: [(String, String)] = []
    ) -> Fixed {
        let body = JSONWriter.encodeText(node) + "\n"
        return Fixed(
            status: status, bodyBytes: body.utf8.count,
            answer: ReadyAnswer.make(
                body, type: "application/json",
                headers: [("Cache-Control", "no-store")] + headers))
    }

    /// The form of RFC 6749, section 5.2.
    private static func error(
        _ status: Int, _ code: String, _ headers: [(String, String)] = []
    ) -> Fixed {
        json(status, .object([("error", .string(code))]), headers)
    }

    private static func answer(_ fault: OriginOptions.RenewalFault) -> Fixed {
        switch fault {
        case .slow, .hang, .close, .same, .expired: Fixed(status: 0, bodyBytes: 0, answer: nil)
        case .status500: error(500, "server_error")
        case .status429: error(429, "temporarily_unavailable", [("Retry-After", "1")])
        case .status401: error(401, "invalid_client", [("WWW-Authenticate", "Basic")])
        case .malformed: cut("{\"token\": \"0123456789", "application/json")
        case .empty: cut("", "application/json")
        }
    }

    private static func cut(_ body: String, _ type: String) -> Fixed {
        Fixed(
            status: 200, bodyBytes: body.utf8.count,
            answer: ReadyAnswer.make(body, type: type, headers: [("Cache-Control", "no-store")]))
    }

    private static func refusal(
        _ shape: OriginOptions.Refusal, _ verdict: TokenVerdict
    ) -> Fixed {
        let noStore = ("Cache-Control", "no-store")
        switch shape {
        case .bare:
            return Fixed(
                status: 401, bodyBytes: 0, answer: ReadyAnswer.make("", headers: [noStore]))
        case .json:
            let error: [(String, JSONNode)] = [
                ("code", .int(498)), ("message", .string("Invalid Token")),
                ("details", .array([.string(verdict.reason)])),
            ]
            return json(200, .object([("error", .object(error))]))
        case .html:
            return page(200, "Invalid Token", [noStore])
        case .redirect:
            return text(302, "log in\n", [("Location", "/login"), noStore])
        case .status(let status):
            let body: [(String, JSONNode)] = [
                ("error", .string("invalid_token")), ("reason", .string(verdict.reason)),
            ]
            let challenge = ("WWW-Authenticate", "Bearer error=\"invalid_token\"")
            return json(status, .object(body), status == 401 ? [challenge] : [])
        }
    }
}
