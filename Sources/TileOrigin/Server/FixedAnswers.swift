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
    let revokeMethods: Fixed
    /// By the verdict's raw value.
    let refusals: [Fixed]
    /// By the fault's index; the answer of a fault without a status is never sent.
    let faults: [Fixed]

    init(_ options: OriginOptions) {
        noSuchTile = FixedAnswers.text(404, "no such tile: outside the pyramid, or z above 30\n")
        unknown = FixedAnswers.text(404, "not here: tiles are at /{z}/{x}/{y}.png and .mvt\n")
        tileMethods = FixedAnswers.text(405, "method not allowed\n", [("Allow", "GET, HEAD")])
        tokenMethods = FixedAnswers.text(405, "method not allowed\n", [("Allow", "GET, POST")])
        revokeMethods = FixedAnswers.text(405, "method not allowed\n", [("Allow", "POST")])
        let refuseWith = options.token?.refuseWith ?? 401
        refusals = TokenVerdict.allCases.map { FixedAnswers.refusal(refuseWith, $0) }
        faults = options.faults.map { fault in
            guard case .status(let status) = fault.kind else {
                return Fixed(status: 0, bodyBytes: 0, answer: nil)
            }
            return FixedAnswers.text(
                status, "fault on purpose: \(status)\n", [("Cache-Control", "no-store")])
        }
    }

    deinit {
        let single = [noSuchTile, unknown, tileMethods, tokenMethods, revokeMethods]
        for fixed in single + refusals + faults {
            if let answer = fixed.answer { MHD_destroy_response(answer) }
        }
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

    private static func refusal(_ status: Int, _ verdict: TokenVerdict) -> Fixed {
        let body =
            JSONWriter.encodeText(
                .object([
                    ("error", .string("invalid_token")), ("reason", .string("\(verdict)")),
                ])) + "\n"
        var headers = [("Cache-Control", "no-store")]
        if status == 401 {
            headers.append(("WWW-Authenticate", "Bearer error=\"invalid_token\""))
        }
        return Fixed(
            status: status, bodyBytes: body.utf8.count,
            answer: ReadyAnswer.make(body, type: "application/json", headers: headers))
    }
}
