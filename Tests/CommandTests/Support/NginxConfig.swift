/// What a test wants nginx to do: a list of locations, and how to listen.
///
/// In the text of a location `@PREFIX@` is the server's temporary folder; `@PREFIX@/html/tiles`
/// holds the static tiles z/x/y.png up to zoom 5.
struct NginxConfig: Sendable {
    var workers = 1
    /// Listens with a self-signed certificate for localhost and 127.0.0.1.
    var tls = false
    /// With TLS by ALPN, without by prior knowledge.
    var http2 = false
    /// After so many requests nginx closes a kept-alive connection.
    var keepaliveRequests = 1_000_000
    /// Each its own text for the `http` and for the `server` block.
    var parts: [Part]

    struct Part: Sendable {
        var http = ""
        var server: String
    }

    init(_ parts: Part...) {
        self.parts = parts
    }

    /// The whole file.
    func text(port: Int, prefix: String, isRoot: Bool) -> String {
        let listen = "127.0.0.1:\(port)\(tls ? " ssl" : "")\(http2 ? " http2" : "") backlog=8192"
        let certificate =
            tls ? "ssl_certificate \(prefix)/cert.pem; ssl_certificate_key \(prefix)/key.pem;" : ""
        let text = """
            \(isRoot ? "user root;" : "")
            daemon off;
            worker_processes \(workers);
            worker_rlimit_nofile 20000;
            pid \(prefix)/nginx.pid;
            error_log \(prefix)/error.log warn;
            events { worker_connections 16384; }
            http {
                default_type application/octet-stream;
                types { image/png png; text/html html; }
                client_body_temp_path \(prefix)/temp/body;
                proxy_temp_path \(prefix)/temp/proxy;
                fastcgi_temp_path \(prefix)/temp/fastcgi;
                uwsgi_temp_path \(prefix)/temp/uwsgi;
                scgi_temp_path \(prefix)/temp/scgi;
                log_format test '$status $request_uri $server_protocol $connection '
                    '$connection_requests $body_bytes_sent "$http_user_agent"';
                access_log \(prefix)/access.log test;
                keepalive_requests \(keepaliveRequests);
                keepalive_timeout 75s;
                \(parts.map(\.http).joined(separator: "\n"))
                server {
                    listen \(listen);
                    \(certificate)
                    root \(prefix)/html;
                    reset_timedout_connection on;
                    \(parts.map(\.server).joined(separator: "\n"))
                }
            }
            """
        return text.replacing("@PREFIX@", with: prefix)
    }
}

extension NginxConfig.Part {
    /// Static tiles at `/tiles/{z}/{x}/{y}.png` up to zoom 5, 404 for others.
    static let tiles = Self(server: "location /tiles/ { }")

    /// The tiles again at `<path>{z}/{x}/{y}.png`, for holders of a live token of `service` in
    /// Authorization, the query value `token` or the cookie `token`; 401 for others.
    static func protected(by service: TokenService, at path: String = "/secure/") -> Self {
        Self(
            http: "upstream token_service { server 127.0.0.1:\(service.port); keepalive 32; }",
            server: """
                location \(path) { auth_request /_auth; alias @PREFIX@/html/tiles/; }
                location = /_auth {
                    internal;
                    proxy_pass http://token_service/auth;
                    proxy_pass_request_body off;
                    proxy_http_version 1.1;
                    proxy_set_header Connection "";
                    proxy_set_header Content-Length "";
                    proxy_set_header X-Original-URI $request_uri;
                }
                """)
    }

    /// One status for everything below `path`: 204, 404, 429, 503, ...
    static func status(_ status: Int, at path: String) -> Self {
        Self(server: "location \(path) { return \(status); }")
    }

    /// Resets the connection in place of an answer; the log says 444.
    static func reset(at path: String) -> Self { status(444, at: path) }

    /// Tiles at `path` up to a rate, and 429 above it.
    static func limited(at path: String, perSecond: Int, burst: Int) -> Self {
        Self(
            http: "limit_req_zone $binary_remote_addr zone=test:1m rate=\(perSecond)r/s;",
            server: """
                location \(path) {
                    limit_req zone=test burst=\(burst) nodelay;
                    limit_req_status 429;
                    alias @PREFIX@/html/tiles/;
                }
                """)
    }

    /// Tiles at `path` through a cache that tells hit from miss in X-Cache-Status. The server
    /// behind it listens on a unix socket and keeps no log.
    static func cached(at path: String, validS: Int = 60) -> Self {
        Self(
            http: """
                proxy_cache_path @PREFIX@/cache keys_zone=tiles:10m;
                server {
                    listen unix:@PREFIX@/origin.sock;
                    access_log off;
                    root @PREFIX@/html;
                }
                """,
            server: """
                location \(path) {
                    proxy_pass http://unix:@PREFIX@/origin.sock:/tiles/;
                    proxy_cache tiles;
                    proxy_cache_valid 200 \(validS)s;
                    add_header X-Cache-Status $upstream_cache_status always;
                }
                """)
    }
}
