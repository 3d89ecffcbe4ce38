import JSONText
package import Metrics

/// What an answer means to a map: from the status, the headers and how the body begins, since no
/// status alone is to be trusted. It names outcomes and decides nothing.
package enum OutcomeRule {
    /// - Parameters:
    ///   - prefix: The first bytes of the body; empty when none were kept.
    ///   - bodyBytes: Length of the whole body.
    ///   - isUnpacked: Whether they and the length are without what `Content-Encoding` names.
    ///   - isRefusal: Whether the scenario takes the answer for a refused token.
    package static func outcome(
        status: Int, facts: borrowing AnswerFacts, prefix: UnsafeBufferPointer<UInt8>,
        bodyBytes: UInt64, isUnpacked: Bool, isRefusal: Bool
    ) -> Outcome {
        if isRefusal { return .authExpired }
        if facts.isBlocked { return .blocked }
        switch status {
        case 204, 205: return .emptyTile
        case 304: return .notModified
        case 200..<300: return success(facts, prefix, bodyBytes, isUnpacked)
        default: return failure(status, facts, prefix)
        }
    }

    private static func success(
        _ facts: borrowing AnswerFacts, _ prefix: UnsafeBufferPointer<UInt8>,
        _ bodyBytes: UInt64, _ isUnpacked: Bool
    ) -> Outcome {
        if facts.isNoTile { return .noTile }
        let type = facts.contentType
        // A vector tile may be empty; a picture of no bytes cannot be drawn.
        if bodyBytes == 0 { return type.isImage ? .softError : .emptyTile }
        let bytes = TileBytes(prefix: prefix, bodyBytes: bodyBytes)
        if bytes.isTile { return .tile }
        if facts.contentEncoding != .none, bytes == .gzip || bytes == .unknown {
            if isUnpacked, bytes == .gzip, facts.contentEncoding != .other { return .gzipTwice }
            // Still encoded: only the type can tell.
            return promisesTile(type) ? .tile : .softError
        }
        switch bytes {
        case .gzip: return .gzipUndeclared
        case .json: return jsonOutcome(prefix)
        case .markup:
            if isVectorImage(type, prefix) { return .tile }
            return textOutcome(prefix)
        default: break
        }
        if type.isImage || type == .mvt { return isRecognised(type) ? .softError : .tile }
        if type == .octetStream || type == .other { return .tile }
        // A script that calls back, or a sentence.
        let json = jsonOutcome(prefix)
        return json == .softError ? textOutcome(prefix) : json
    }

    /// Whether all bodies of that type are known by their bytes, so that one which is not is none.
    private static func isRecognised(_ type: AnswerFacts.ContentType) -> Bool { type != .image }

    private static func promisesTile(_ type: AnswerFacts.ContentType) -> Bool {
        switch type {
        case .json, .html, .xml, .text: false
        default: true
        }
    }

    private static func isVectorImage(
        _ type: AnswerFacts.ContentType, _ prefix: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        type == .image && prefix.contains("<svg")
    }

    /// ArcGIS puts its errors into answers with the status 200.
    private static func jsonOutcome(_ prefix: UnsafeBufferPointer<UInt8>) -> Outcome {
        guard let code = JSONBody.node(prefix)?["error"]?["code"] else { return .softError }
        switch code.int ?? code.string.flatMap({ Int($0) }) {
        case 401, 498, 499: return .authExpired
        case 403: return .authDenied
        default: return .softError
        }
    }

    private static func textOutcome(_ prefix: UnsafeBufferPointer<UInt8>) -> Outcome {
        if prefix.contains("invalid token") { return .authExpired }
        return prefix.contains("tileoutofrange") ? .noTile : .softError
    }

    /// Operators that block a client say which rule it broke, or that it is blocked.
    private static func namesPolicy(_ prefix: UnsafeBufferPointer<UInt8>) -> Bool {
        prefix.contains("usage policy") || prefix.contains("/policies/")
            || prefix.contains("access blocked")
    }

    private static func failure(
        _ status: Int, _ facts: borrowing AnswerFacts, _ prefix: UnsafeBufferPointer<UInt8>
    ) -> Outcome {
        // RFC 6750 section 3.1. With `insufficient_scope` the token is good, and not for this.
        if facts.challenges.contains(ChallengeErrors.invalidToken) { return .authExpired }
        if facts.challenges.saysInsufficientScope { return .authDenied }
        switch status {
        case 401, 498, 499: return .authExpired
        case 403 where namesPolicy(prefix), 418 where namesPolicy(prefix): return .blocked
        case 403: return .authDenied
        case 404, 410: return .noTile
        case 400 where prefix.contains("tileoutofrange"): return .noTile
        case 420, 429: return .rateLimited
        case 400..<500: return .clientError
        case 503, 504: return .overloaded
        case 500...: return .serverError
        // A redirect that was not followed leads to a login more often than to a tile.
        default: return .softError
        }
    }
}
