/// A map client as a load sees it: how many asks it has under way, what it keeps, what it fetches
/// ahead.
package enum ViewerClient: String, Sendable, CaseIterable {
    case maplibreGL = "maplibre-gl"
    case maplibreNative = "maplibre-native"
    case leaflet
    case mapkit
    case openlayers

    /// Asks under way at most, of all hosts together; nil: the client sets no limit of its own.
    package var parallelMax: Int? {
        switch self {
        // `config.MAX_PARALLEL_IMAGE_REQUESTS`.
        case .maplibreGL: 16
        // `DEFAULT_MAXIMUM_CONCURRENT_REQUESTS`.
        case .maplibreNative: 20
        // `maxTilesLoading`.
        case .openlayers: 16
        case .leaflet, .mapkit: nil
        }
    }

    /// The same while the map moves.
    package var parallelMovingMax: Int? {
        switch self {
        // `config.MAX_PARALLEL_IMAGE_REQUESTS_PER_FRAME`.
        case .maplibreGL: 8
        // `Map.handlePostRender`, when a frame is drawn in time.
        case .openlayers: 8
        case .maplibreNative, .leaflet, .mapkit: parallelMax
        }
    }

    /// Tiles around the view that stay when they are there, and are not fetched for it.
    package var keptMargin: Int {
        switch self {
        // `keepBuffer`.
        case .leaflet: 2
        case .maplibreGL, .maplibreNative, .mapkit, .openlayers: 0
        }
    }

    /// So many zooms up, the tiles that cover the view are fetched first; 0: none are.
    package var prefetchZooms: Int {
        switch self {
        // `DEFAULT_PREFETCH_ZOOM_DELTA`; `TilePyramid::update` makes them before the view's own.
        case .maplibreNative: 4
        case .maplibreGL, .leaflet, .mapkit, .openlayers: 0
        }
    }

    /// What it is, for people; with what is not known of it.
    package var summary: String {
        switch self {
        case .maplibreGL:
            "MapLibre GL JS in a browser: 16 images at a time, 8 while the map moves."
                + " Vector tiles have the browser's limit alone, which makes no difference over"
                + " HTTP/1.1 to one or two hosts"
        case .maplibreNative:
            "MapLibre Native: 20 requests at a time; the tiles four zooms up come first"
        case .leaflet:
            "Leaflet 1.9 in a browser: no limit but the browser's connections (`per_user`);"
                + " two tiles around the view are kept, not fetched"
        case .openlayers:
            "OpenLayers in a browser: 16 tiles at a time, 8 while the map moves"
        case .mapkit:
            "MapKit with an MKTileOverlay of 256-point tiles. Apple documents no limit on parallel"
                + " requests, no order, no prefetching and no cancelling: assumed are URLSession's"
                + " 6 HTTP/1.1 connections per host (macOS; 4 are said of iOS), tiles from the"
                + " centre out and none fetched ahead"
        }
    }
}
