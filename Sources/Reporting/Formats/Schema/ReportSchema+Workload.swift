import JSONText
import Metrics

extension ReportSchema {
    static let viewFields: [SchemaField] =
        [
            .count("sessions", "Sessions that began."),
            .count(
                "requested", "Views that began: full + incomplete + abandoned + open_at_end."),
            .count("full", "All tiles came before the viewer moved on."),
            .count("incomplete", "All tiles ended before that, some without a tile."),
            .count("abandoned", "The viewer moved on before that."),
            .count("open_at_end", "Not full when the run ended."),
            .count("tiles", "Shown by all views."),
            .count("tiles_held", "Of these, there from the view before."),
            .count("tiles_failed", "Of these, ended without a tile."),
            .count("tiles_missing", "Of these, not there at the end of the view."),
            SchemaField.number("tiles_per_view", "tiles / requested.").optional,
        ] + distributionFields + [
            distribution("all", "Of all views, the others with the time they were looked at.")
        ]

    static let placeFields: [SchemaField] =
        [
            .text("name", "As the scenario has it."),
            .count("started", "Asks begun."),
            .count("ok", "Good."),
            .count("failed", "Answered badly, or not at all."),
            .count("cancelled", "The viewer moved on."),
            .count("in_flight_at_end", "On the wire when the run ended."),
            .count("bytes", "Of bodies."),
        ]
        + ["p50_ms", "p90_ms", "p99_ms", "max_ms"].map {
            SchemaField.time($0, "Response time.").optional
        } + [SchemaField.object("views", "As `views`; with viewers.", viewFields).optional]

    static let mapPlace = SchemaField.object("A place.", placeFields)

    static let replay: [SchemaField] = [
        .text("format", "Of the log.", of: ["combined", "cloudfront", "csv", "urls"]),
        .count("lines", "Read: tiles + skipped."),
        .count("passes", "Times the log was begun."),
        .count("tiles", "Lines that ask for a tile."),
        .object(
            "skipped", "Lines that do not, by reason.",
            ReplayResult.reasons.map { .count($0, reason($0)) }),
        .count("reordered", "Asks put in the order of time."),
        .count("late", "Asks too far behind for that."),
        SchemaField.text("failure", "Why the log could not be read to its end.").optional,
    ]

    private static func reason(_ name: String) -> String {
        switch name {
        case "blank": "Blank, a comment, a header."
        case "no_tile": "A request for something else."
        case "bad_line": "Not of the format."
        case "too_long": "Longer than any line of it."
        case "method": "Another method than GET."
        case "time": "Its time cannot be read."
        default: "An ask was given up."
        }
    }
}
