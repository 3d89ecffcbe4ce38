package import CCurl
import Glibc
package import Metrics

/// libcurl's result codes in the report's words. The texts never hold a URL, hence no token.
package enum CurlFailure {
    /// Why a transfer failed. `hasSent`: the request went out; `hasAnswer`: some of the answer
    /// came.
    package static func cause(
        _ code: CURLcode, osError: Int32, hasSent: Bool, hasAnswer: Bool
    ) -> FailureCause {
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: return .name
        case CURLE_COULDNT_CONNECT:
            return isOwnLimit(osError) ? .generator : .connect
        case CURLE_OPERATION_TIMEDOUT: return .timeout
        case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM,
            CURLE_SSL_CIPHER, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR,
            CURLE_SSL_ENGINE_NOTFOUND, CURLE_SSL_ENGINE_SETFAILED, CURLE_SSL_INVALIDCERTSTATUS:
            return .tls
        case CURLE_PARTIAL_FILE: return .truncated
        // Bodies are unpacked only where they are to be checked.
        case CURLE_BAD_CONTENT_ENCODING: return .invalidTile
        case CURLE_GOT_NOTHING, CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_HTTP2_STREAM:
            return hasSent ? .reset : .connect
        // libcurl says "out of memory" of an answer's head that is longer than it takes.
        case CURLE_OUT_OF_MEMORY: return hasAnswer ? .protocol : .generator
        case CURLE_FAILED_INIT, CURLE_INTERFACE_FAILED: return .generator
        default: return hasSent || hasAnswer ? .protocol : .connect
        }
    }

    private static func isOwnLimit(_ osError: Int32) -> Bool {
        [EMFILE, ENFILE, EADDRNOTAVAIL, ENOBUFS, ENOMEM].contains(osError)
    }

    package static func text(_ code: CURLcode, osError: Int) -> String {
        switch code {
        // libcurl speaks of its own side here.
        case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY: "the answer is no HTTP"
        case CURLE_ABORTED_BY_CALLBACK: "interrupted"
        default: String(cString: curl_easy_strerror(code)) + systemText(code, osError: osError)
        }
    }

    /// ` (Connection refused)`: what the system said, when it said something.
    package static func systemText(_ code: CURLcode, osError: Int) -> String {
        guard osError != 0, code != CURLE_OPERATION_TIMEDOUT else { return "" }
        return " (\(SystemError.text(Int32(truncatingIfNeeded: osError))))"
    }
}
