/// What the embedded tile server serves and how it misbehaves: the `target.origin` part of a
/// scenario, resolved.
package struct OriginOptions: Sendable {
    /// The form of tile that the server's URL template names. Both are always served.
    package enum Tile: String, Sendable {
        case png
        case mvt
    }

    /// A log-normal delay before a tile is answered, by two of its percentiles in nanoseconds.
    package struct Latency: Sendable {
        package var medianNS: UInt64
        package var p99NS: UInt64

        package init(medianNS: UInt64, p99NS: UInt64) {
            self.medianNS = medianNS
            self.p99NS = p99NS
        }
    }

    /// A share of the tile requests that goes wrong in one way.
    package struct Fault: Sendable {
        package enum Kind: Sendable, Equatable {
            /// This status with a short text.
            case status(Int)
            /// The connection is reset without an answer.
            case reset
            /// Half of the body that Content-Length promises, then the end of the connection.
            case truncate
            /// Nothing, until a minute has passed.
            case stall
        }

        /// Share of all tile requests, 0...1.
        package var share: Double
        package var kind: Kind

        package init(share: Double, kind: Kind) {
            self.share = share
            self.kind = kind
        }
    }

    package var listenAddress = "127.0.0.1"
    /// 0: a free port of the kernel's choice.
    package var port: UInt16 = 0
    package var tile = Tile.png
    /// Size of a tile's body in bytes. A tile that is larger by nature (about 1 kB) stays as it is.
    package var bytes: Int?
    /// nil: the header is left out.
    package var cacheControl: String? = "public, max-age=60"
    package var latency: Latency?
    /// nil: tiles need no token and there is no token endpoint.
    package var token: Token?
    /// Share of the tile requests that a simulated edge cache answers; nil: there is no edge.
    package var edgeHitRate: Double?
    package var faults: [Fault] = []
    package var threads = 1
    package var seed: UInt64 = 1
    /// Clients are told apart by their addresses, what happens to their tokens is told while it
    /// happens, and pages of any origin may ask for tiles (CORS).
    package var isReferee = false

    package init() {}
}

/// Why the server could not start.
package struct OriginError: Error, CustomStringConvertible {
    package let address: String
    package let port: UInt16
    package let cause: String

    package var description: String { "cannot serve on \(address) port \(port): \(cause)" }
}
