import Workload

/// A benchmark and what it may allocate.
struct Budget {
    let name: String
    /// Bytes per operation at most; nil: only the time is of interest.
    let bytesMax: Double?
    let path: any HotPath

    init(_ name: String, _ bytesMax: Double?, _ path: any HotPath) {
        self.name = name
        self.bytesMax = bytesMax
        self.path = path
    }

    private static let cdn = "https://{a-c}.example.org/tiles/"

    /// All benchmarks with the bytes that one operation may allocate. What happens for every ask
    /// allocates nothing. Times are printed only: they belong to a machine, counts do not.
    static var all: [Budget] {
        [
            Budget("recorder: an ask with its request", 0, RecorderPath()),
            Budget("template: {z}/{x}/{y}", 0, TemplatePath(cdn + "{z}/{x}/{y}.png")),
            Budget("template: {quadkey}", 0, TemplatePath(cdn + "{quadkey}.png?token={token}")),
            Budget(
                "template: {bbox-epsg-3857}", 0,
                TemplatePath("https://example.org/wms?bbox={bbox-epsg-3857}&width=256")),
            Budget("stream: list", 0, StreamPath(.list)),
            Budget("stream: pyramid by rows", 0, StreamPath(.pyramid(.rows))),
            Budget("stream: pyramid by Hilbert", 0, StreamPath(.pyramid(.hilbert))),
            Budget("stream: pyramid at random", 0, StreamPath(.pyramid(.random))),
            Budget("stream: popular in bounds", 0, StreamPath(.popularInBounds)),
            Budget("stream: popular on land", 0, StreamPath(.popularOnLand)),
            Budget("stream: popular by a tile log", 0, StreamPath(.popularByLog)),
            Budget("viewers: an action of a session", 0, ViewerPath()),
            Budget("replay: a line of a log", 0, ReplayPath()),
            Budget("pacer: constant", 0, PacerPath(.constant)),
            Budget("pacer: stages", 0, PacerPath(.stages)),
            Budget("pacer: Poisson", 0, PacerPath(.poisson)),
            Budget("answer: headers, cache, outcome", 0, AnswerPath()),
            Budget("answer: refusal rule, an image", 0, RefusalPath()),
            Budget("client cache: kept, validated, found", 0, ClientCachePath()),
            // A refusal allocates nothing. Each storm leaves two records, of the expiry and of the
            // token, in lists that grow by doubling: that is up to 2.5 KB for its 100 asks.
            Budget("token: an ask of a storm", 25, TokenPath()),
            Budget("histogram: p99", 0, PercentilePath()),
            Budget("json: a document of 1 MB", nil, JSONPath()),
        ]
    }
}
