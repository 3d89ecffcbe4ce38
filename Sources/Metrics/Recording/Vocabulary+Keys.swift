// The words of the report for the cases of the vocabulary.

extension FailureCause {
    /// Its key in `ledger.failed_by` and in `errors`.
    package var key: String {
        switch self {
        case .status: "status"
        case .timeout: "timeout"
        case .connect: "connect"
        case .tls: "tls"
        case .name: "name"
        case .reset: "reset"
        case .truncated: "truncated"
        case .protocol: "protocol"
        case .invalidTile: "invalid_tile"
        case .unauthorized: "unauthorized"
        case .generator: "generator"
        }
    }
}

extension AuthFailure {
    /// Its key in `auth.asks_failed` and `ledger.failed_by.unauthorized`.
    package var key: String {
        switch self {
        case .authRetries: "auth_retries"
        case .parkTimeout: "park_timeout"
        case .parkOverflow: "park_overflow"
        case .cooling: "cooling"
        case .dead: "dead"
        case .locked: "locked"
        }
    }
}

extension TimeoutPhase {
    /// Its key in `ledger.failed_by.timeout`.
    package var key: String {
        switch self {
        case .connect: "connect"
        case .tls: "tls"
        case .firstByte: "first_byte"
        case .body: "body"
        }
    }
}

extension TileDefect {
    /// Its key in `ledger.failed_by.invalid_tile`.
    package var key: String {
        switch self {
        case .format: "format"
        case .tooSmall: "min_bytes"
        case .tooLarge: "max_bytes"
        }
    }
}

extension Outcome {
    /// Its key in `outcomes`.
    package var key: String {
        switch self {
        case .tile: "tile"
        case .emptyTile: "empty_tile"
        case .notModified: "not_modified"
        case .noTile: "no_tile"
        case .authExpired: "auth_expired"
        case .authDenied: "auth_denied"
        case .blocked: "blocked"
        case .softError: "soft_error"
        case .clientError: "client_error"
        case .rateLimited: "rate_limited"
        case .overloaded: "overloaded"
        case .serverError: "server_error"
        case .gzipUndeclared: "gzip_undeclared"
        case .gzipTwice: "gzip_twice"
        }
    }
}

extension CacheClass {
    /// Its key in `cache.server` and `auth.accepted_while_expired`.
    package var key: String {
        switch self {
        case .hit: "hit"
        case .staleHit: "stale_hit"
        case .revalidated: "revalidated"
        case .miss: "miss"
        case .bypass: "bypass"
        case .dynamic: "dynamic"
        case .synthetic: "synthetic"
        case .error: "error"
        case .unknown: "unknown"
        }
    }
}

extension Phase {
    /// Its key in `phases`.
    package var key: String {
        switch self {
        case .nameLookup: "name_lookup"
        case .connect: "connect"
        case .tls: "tls"
        case .send: "send"
        case .firstByte: "first_byte"
        case .download: "download"
        }
    }
}
