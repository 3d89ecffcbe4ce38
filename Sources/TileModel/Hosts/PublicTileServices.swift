/// Public tile services whose terms forbid bulk requests: a load test of one harms everybody who
/// uses it. The list is short and known, not complete; it stops accidents, not intent.
package enum PublicTileServices {
    private struct Service {
        /// The host itself and everything below it.
        let domain: String
        let reason: String
    }

    private static let community =
        "run on donations for the community; bulk and automated requests are not permitted"
    private static let terms = "the provider's terms forbid bulk and automated requests"

    private static let services: [Service] = [
        // operations.osmfoundation.org/policies/tiles: no bulk downloading, no heavy use. The
        // vector tiles and the mirrors below a., b., c. are under the same policy.
        Service(
            domain: "tile.openstreetmap.org",
            reason: "the OpenStreetMap tile usage policy forbids bulk requests"),
        Service(
            domain: "vector.openstreetmap.org",
            reason: "the OpenStreetMap tile usage policy forbids bulk requests"),
        // The same servers under a short name.
        Service(
            domain: "tile.osm.org",
            reason: "the OpenStreetMap tile usage policy forbids bulk requests"),
        // German and French chapters: for sites of light use.
        Service(domain: "tile.openstreetmap.de", reason: community),
        Service(domain: "openstreetmap.fr", reason: community),
        // OpenTopoMap asks for caching and moderate use, one small team's servers.
        Service(domain: "tile.opentopomap.org", reason: community),
        Service(domain: "opentopomap.org", reason: community),
        // OpenRailwayMap, OpenSeaMap, Waymarked Trails: volunteers' machines.
        Service(domain: "tiles.openrailwaymap.org", reason: community),
        Service(domain: "tiles.openseamap.org", reason: community),
        Service(domain: "tile.waymarkedtrails.org", reason: community),
        // Wikimedia's maps are for Wikimedia's projects alone; the labs' tiles for its tools.
        Service(
            domain: "maps.wikimedia.org",
            reason: "Wikimedia's maps are for Wikimedia projects only"),
        Service(domain: "tiles.wmflabs.org", reason: community),
        // Esri's master agreement: no scraping and no bulk download of the basemaps.
        Service(domain: "arcgisonline.com", reason: terms),
        // Google Maps Platform terms, 3.2.3: no scraping, no pre-fetching, no mass download.
        Service(domain: "tile.googleapis.com", reason: terms),
        Service(domain: "maps.googleapis.com", reason: terms),
        Service(domain: "google.com", reason: terms),
        // Mapbox terms of service: no bulk download, no use beyond an end user's map view.
        Service(domain: "api.mapbox.com", reason: terms),
        Service(domain: "tiles.mapbox.com", reason: terms),
        // Stadia Maps, who also serve Stamen's styles: no bulk download, no load tests unasked.
        Service(domain: "tiles.stadiamaps.com", reason: terms),
        Service(domain: "tiles-eu.stadiamaps.com", reason: terms),
        // CARTO basemaps: free within grant limits, not for bulk use.
        Service(domain: "cartocdn.com", reason: terms),
        // MapTiler Cloud terms: no bulk download, no scraping.
        Service(domain: "api.maptiler.com", reason: terms),
        // Thunderforest terms: no bulk download.
        Service(domain: "tile.thunderforest.com", reason: terms),
        // Bing Maps Platform terms: no copying or pre-fetching of tiles.
        Service(domain: "virtualearth.net", reason: terms),
    ]

    /// Why a host must not be put under load without permission; nil when it is not on the list.
    package static func reason(host: String) -> String? {
        var name = host.lowercased()
        if name.hasSuffix(".") { name.removeLast() }
        return services.first { name == $0.domain || name.hasSuffix("." + $0.domain) }?.reason
    }
}
