package import TileModel

/// A part of the map with a name, whose share of the asks is its weight's share of all weights.
package struct PlacePlan: Sendable, Hashable {
    package var name: String
    package var bounds: GeoBounds
    package var weight: Double

    package init(name: String, bounds: GeoBounds, weight: Double = 1) {
        self.name = name
        self.bounds = bounds
        self.weight = weight
    }
}

/// People who look at maps.
package struct ViewerPlan: Sendable, Hashable {
    /// How often each move is made; of any sum above 0. A move that cannot be made, such as
    /// zooming in at the deepest zoom, gives its share to the others.
    package struct Moves: Sendable, Hashable {
        package var pan = 0.7
        package var zoomIn = 0.2
        package var zoomOut = 0.1

        package init() {}
    }

    package var client = ViewerClient.maplibreGL
    package var viewportWidthPixels = 1280
    package var viewportHeightPixels = 800
    package var moves = Moves()
    /// Mean time from the request of a view to that of the next one.
    package var dwellNS: UInt64 = 2_000_000_000
    /// Asks for tiles that have left the view are cancelled.
    package var cancels = true
    /// Mean number of views of a session, at least 1.
    package var viewsMean = 10
    /// Where sessions begin: the exponent of popularity, and how often each zoom. Without meaning
    /// when the workload has weights of tiles.
    package var zipf = 1.0
    package var zoomWeights = WorkloadPlan.ZoomWeights.osm

    package init() {}
}

/// Asks as a log has them.
package struct ReplayPlan: Sendable, Hashable {
    package enum Format: String, Sendable, CaseIterable {
        /// By the first line that belongs to one of the others.
        case auto
        /// The combined and the common log of nginx and Apache.
        case combined
        /// CloudFront's standard logs.
        case cloudFront = "cloudfront"
        /// `t_ms,session,z,x,y[,action]`
        case csv
        /// A URL, a path or `z/x/y` per line.
        case urls
    }

    package static let standardInput = "-"

    /// Its path, or `standardInput`.
    package var file: String
    package var format = Format.auto
    /// How many times as fast as logged; counts where the load has no times of its own.
    package var speed = 1.0

    package init(file: String) {
        self.file = file
    }
}
