import JSONText
import TileModel

extension ScenarioKeys {
    static let target: [ScenarioKey] = [
        ScenarioKey(
            "tiles", .either([.text, .list(.text, 1...1000)]),
            "URL template or array of them, with {z} {x} {y} and the other placeholders."),
        ScenarioKey(
            "tilejson", .text, "TileJSON file or URL, fetched with the credentials of auth."),
        ScenarioKey(
            "style", .text, "Style file or URL, fetched with the credentials of auth."),
        ScenarioKey("wmts", .object(wmts), "A layer of a WMTS."),
        ScenarioKey("wms", .object(wms), "Layers of a WMS."),
        ScenarioKey("arcgis", .text, "URL of a MapServer or VectorTileServer."),
        ScenarioKey("origin", .object(origin), "The embedded tile server; {} is valid."),
        ScenarioKey(
            "scheme", .word(["xyz", "tms"]), default: .string("xyz"), "`tms` flips {y} only."),
        ScenarioKey(
            "tile_size", .count(from: 1, to: 8192), words: "of the document, else 256",
            "Pixels along a tile's edge; 512 for MapLibre sources that say so."),
        ScenarioKey(
            "max_zoom", .count(from: 0, to: 30), words: "of the document, else 22",
            "Above it the parent tile is asked for, once per view."),
        ScenarioKey(
            "ratio", .number(0.25...8), default: .int(1),
            "{ratio} and {r}: \"\" or \"@2x\"; {scale}: the number."),
        ScenarioKey(
            "unknown", .word(["error", "keep"]), default: .string("error"),
            "Unknown placeholders; `keep`: MapLibre's seven are replaced, other braces stay."),
        ScenarioKey(
            "compat",
            .words(of: ClientRules.self), default: .string("standard"),
            "Whose reading of a template is meant."),
        ScenarioKey("subdomains", .text, default: .string("abc"), "Letters {s} stands for."),
        ScenarioKey(
            "headers", .map(.textOrEmpty, keepsNull: true),
            words: "User-Agent: tilebench/<version>, Accept: image/webp,image/png,*/*;q=0.8",
            "Sent with every tile; null leaves one of the default headers out."),
        ScenarioKey(
            "hosts", .list(.text), words: "those written in the scenario",
            "The fence: no other host gets a request or the token."),
        ScenarioKey(
            "permission", .bool, default: .bool(false),
            "True: I may put this load on this server."),
    ]

    private static let wmts: [ScenarioKey] = [
        ScenarioKey("capabilities", .text, "File or URL of the capabilities."),
        ScenarioKey("layer", .text, "Identifier of the layer."),
        ScenarioKey("style", .text, "Identifier of the style."),
        ScenarioKey("tileMatrixSet", .text, "Identifier of the matrix set."),
        ScenarioKey("format", .text, "Media type of the tiles."),
        ScenarioKey("dimensions", .map(.text, keepsNull: false), "Values of the dimensions."),
        ScenarioKey("template", .text, "URL template, without capabilities."),
        ScenarioKey("matrix", .text, "Identifier of a zoom, as \"{z:02}\"."),
    ]

    private static let wms: [ScenarioKey] = [
        ScenarioKey("url", .text, "Address of the service."),
        ScenarioKey("version", .text, "Version of the protocol."),
        ScenarioKey("layers", .text, "Names of the layers."),
        ScenarioKey("styles", .textOrEmpty, "Names of the styles."),
        ScenarioKey("crs", .text, "Coordinate system."),
        ScenarioKey("format", .text, "Media type of the images."),
    ]

    private static let origin: [ScenarioKey] = [
        ScenarioKey(
            "tile", .word(["png", "mvt"]), default: .string("png"), "Format of the tiles."),
        ScenarioKey(
            "bytes", .size, words: "as the picture needs", "Bytes of a tile, padded to it."),
        ScenarioKey(
            "cache_control", .textOrEmpty, words: "of the embedded server",
            "Cache-Control of the tiles."),
        ScenarioKey(
            "latency",
            .object([
                ScenarioKey("median", .time, required: true, "Half of the answers take longer."),
                ScenarioKey("p99", .time, required: true, "One answer in a hundred takes longer."),
            ]), words: "none", "Distribution of the time an answer takes."),
        ScenarioKey(
            "token",
            .object([
                ScenarioKey("ttl", .time, words: "until revoked", "Life of a token."),
                ScenarioKey(
                    "advertise", .either([.bool, .duration]), default: .bool(true),
                    "Whether its life is told; a duration is told instead of the truth."),
                ScenarioKey(
                    "refuse_with",
                    .either([.status, .word(["bare", "json", "html", "redirect"])]),
                    default: .int(401),
                    "Shape of a refused tile: a status with a JSON body; bare, a 401 without body"
                        + " or challenge; json or html, an error inside a 200; redirect, a 302 to a"
                        + " login."),
                ScenarioKey(
                    "late", .time, words: "none",
                    "Refusals, and only they, are answered so much later."),
                ScenarioKey(
                    "issue_revokes", .bool, default: .bool(false),
                    "A new token ends the older ones of its cell."),
                ScenarioKey(
                    "rotate_refresh", .bool, default: .bool(false),
                    "Answers to the grants password and refresh_token bring a refresh token that"
                        + " can be used once."),
            ]), words: "no token is asked for", "Tiles need a token, fetched at /token."),
        ScenarioKey(
            "edge_cache",
            .object([
                ScenarioKey("hit_rate", .share, required: true, "Share of answers marked HIT.")
            ]), words: "none", "Simulated cache, told by X-Cache."),
        ScenarioKey(
            "faults",
            .list(
                .object([
                    ScenarioKey("share", .share, required: true, "Share of the answers hit."),
                    ScenarioKey("status", .status, "Answer with this status."),
                    ScenarioKey("reset", .bool, "Reset the connection."),
                    ScenarioKey("truncate", .bool, "End the body too early."),
                    ScenarioKey("stall", .bool, "Send nothing more."),
                ])), default: .array([]), "Faults on purpose, each of one kind."),
        ScenarioKey("threads", .count(from: 1, to: 256), default: .int(1), "Threads that serve."),
    ]

    static let connection: [ScenarioKey] = [
        ScenarioKey(
            "http", .word(["auto", "1.1", "2", .later("2-prior-knowledge")]),
            default: .string("auto"), "Version of HTTP; `auto` by ALPN. `2` needs https."),
        ScenarioKey("reuse", .bool, default: .bool(true), "False: a connection per request."),
        ScenarioKey(
            "per_user", .count(from: 1, to: 256), words: "6 with HTTP/1.1, 1 with HTTP/2",
            "For viewers: connections per user and host at most; others have one."),
        ScenarioKey(
            "max", .count(from: 1, to: 1_000_000), words: "none",
            "Connections per host for the whole run at most."),
        ScenarioKey(
            "streams", .count(from: 1, to: 1_000_000), default: .int(100),
            "HTTP/2 streams per connection at most."),
        ScenarioKey(
            "ip", .word(["any", "4", "6"]), default: .string("any"), "Family of addresses."),
        ScenarioKey(
            "resolve", .map(.either([.text, .list(.text, 1...64)]), keepsNull: false),
            default: .object([]), "Fixed addresses by host or host:port."),
        ScenarioKey(
            "dns", .word(["spread", "pin", "ttl"]), default: .string("spread"),
            "`spread` over all addresses, `pin` the first, `ttl`: looked up again every 60 s."),
        ScenarioKey(
            "proxy", .text, words: "none", "Only this one: proxy variables are ignored."),
        ScenarioKey("verify", .bool, default: .bool(true), "Check TLS certificates."),
        ScenarioKey("ca_file", .path, words: "of the system", "Certificates to trust, PEM."),
        ScenarioKey("cert_file", .path, "The client's certificate, PEM."),
        ScenarioKey("key_file", .path, "The client's private key, PEM."),
        ScenarioKey("server_name", .text, words: "the host", "Name for TLS."),
        ScenarioKey("unix_socket", .path, "Socket to connect to instead of the host."),
        ScenarioKey(
            "source_addresses", .list(.text), default: .array([]),
            "Addresses to connect from, in turn."),
        ScenarioKey(
            "compression", .bool, default: .bool(true),
            "Accept gzip, br and zstd; sizes are as received."),
        ScenarioKey(
            "redirects", .count(from: 0, to: 50), default: .int(0),
            "Followed at most; a redirect never leaves the fence."),
    ]
}
