import JSONText
import Metrics

extension ReportSchema {
    static let cache: [SchemaField] = [
        SchemaField.object(
            "client",
            "The client's own cache; absent when off: lookups = hits + revalidated + misses.",
            [
                .count("lookups", "Tiles wanted."),
                .count("hits", "Answered without a request."),
                .count("revalidated", "Answered by a 304."),
                .count("misses", "Fetched."),
                .count("stored", "Tiles put in."),
                .count("evicted", "Tiles put out to make room."),
                .count("bytes", "Held at the end."),
                SchemaField.share("hit_rate", "hits / lookups.").optional,
                .count("stale_hits", "Of the hits: shown although no longer fresh."),
                .count("refreshes", "Asks that validated what was shown stale."),
                .count("hit_bytes", "Bodies that hits kept off the network."),
                .count("revalidated_bytes", "Bodies that 304 answers kept off the network."),
            ]
        ).optional,
        .object(
            "server", "The server's cache by its headers: answers by class.",
            CacheClass.allCases.map {
                .reference($0.key, "Answers of this class.", to: "server_class")
            } + [
                SchemaField.share(
                    "hit_rate",
                    "(hit + stale_hit) / (hit + stale_hit + revalidated + miss) over 2xx and 304;"
                        + " absent when more than 5 % are unknown."
                ).optional,
                .counts("evidence", "Answers by the header that was believed."),
                SchemaField.count(
                    "foreign_hits",
                    "First pass of several: hits that no ask of the run can have filled, at least;"
                        + " absent where that is not known."
                ).optional,
                .array(
                    "edges",
                    "Answers by the edge location that cf-ray, x-amz-cf-pop or x-served-by names,"
                        + " the busiest first.", of: place),
                .array("addresses", "Answers by remote address, the busiest first.", of: place),
                .count("edges_beyond", "Answers of edge locations that found no row."),
                .count("addresses_beyond", "Answers of addresses that found no row."),
            ]),
    ]

    private static let place = SchemaField.object(
        nil,
        [
            .text("name", "Of the place."), .count("count", "Answers."),
            .count("bytes", "Bytes of their bodies."),
            SchemaField.share("hit_rate", "As cache.server.hit_rate.").optional,
            SchemaField.time("p50_ms", "Service time.").optional,
            SchemaField.time("p99_ms", "Service time.").optional,
        ])

    static let serverClass = SchemaField.object(
        "Answers of one class.",
        [
            .count("count", "Answers."),
            .count("bytes", "Bytes of their bodies."),
            .count("edge", "Told by the cache at the edge."),
            .count("shield", "Told by the cache behind it."),
            SchemaField.time("p50_ms", "Service time.").optional,
            SchemaField.time("p99_ms", "Service time.").optional,
        ])
}
