/// The commands that look at documents.
extension ArgumentTable {
    private static let documentSentence =
        "URL or FILE is a TileJSON, a MapLibre style, WMTS or WMS capabilities, or an ArcGIS tile "
        + "service. It is fetched with the credentials of the flags."

    static let inspect = CommandSpec(
        name: .inspect,
        summary: "say what was understood of a TileJSON, style, WMTS, WMS or ArcGIS service",
        usage: ["URL|FILE [--json] [FLAGS]"],
        details: [
            documentSentence,
            "Prints layers, zooms, bounds, templates, size of the pyramid and hosts, and asks for "
                + "one tile of each source whose hosts are the document's own or in target.hosts.",
            "Exit code 0 when the document was understood, 2 when it was not, 3 when it, a token "
                + "or a tile could not be had at all.",
        ],
        operands: [OperandSpec(name: "URL|FILE")],
        flags: [
            FlagSpec(name: "json", help: "Print it as JSON.", group: .output)
        ] + scenarioFlags,
        examples: [
            ExampleSpec(
                line: "tilebench inspect http://localhost:8080/tiles.json",
                comment: "What does this TileJSON offer?"),
            ExampleSpec(
                line: "tilebench inspect 'http://localhost:8080/wmts?service=WMTS' "
                    + "--set target.wmts.layer=roads",
                comment: "One layer of a WMTS."),
        ])

    static let initialise = CommandSpec(
        name: .initialise,
        summary:
            "write a scenario with comments for a TileJSON, style, WMTS, WMS or ArcGIS service",
        usage: ["URL|FILE [FLAGS]"],
        details: [
            documentSentence,
            "Prints the scenario on stdout. Where a layer has to be chosen it takes the first, and "
                + "hosts without which no tile would be left it writes down: read both.",
        ],
        operands: [OperandSpec(name: "URL|FILE")],
        flags: scenarioFlags,
        examples: [
            ExampleSpec(
                line: "tilebench init http://localhost:8080/tiles.json > scenario.json",
                comment: "A scenario to begin with.")
        ])
}
