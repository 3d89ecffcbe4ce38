import Glibc
import JSONText

/// Makes the levels of a source from a matrix set of a WMTS and a layer's limits in it.
enum TileMatrixBuilder {
    struct Matrices {
        /// By ascending zoom; at least one.
        var list: [TileMatrix]
        var followsWebMercator: Bool
    }

    /// - Throws: when a matrix cannot be read, or none is left.
    static func matrices(
        of set: XMLElement, link: XMLElement, _ system: CoordinateSystem,
        _ notes: inout DocumentNotes
    ) throws(DocumentRemark) -> Matrices {
        var drafts: [Draft] = []
        for element in set.all("TileMatrix") {
            drafts.append(try Draft(element, system, &notes))
        }
        // The identifiers are opaque and the order is the document's own.
        drafts.sort { $0.matrix.scaleDenominator > $1.matrix.scaleDenominator }
        let limits = try Limits(link, set: set.text(of: "Identifier") ?? "")
        var list: [TileMatrix] = []
        var followsWebMercator = system == .webMercator
        var least = 0
        for draft in drafts {
            var matrix = draft.matrix
            let zoom = max(least, draft.zoomLeast(system))
            guard zoom <= Int(TileID.zoomMax) else {
                notes.add(draft.element.remark("is deeper than zoom \(TileID.zoomMax): ignored"))
                continue
            }
            least = zoom + 1
            matrix.zoom = UInt8(zoom)
            guard let range = try limits.range(of: matrix, draft.element, &notes) else { continue }
            matrix.limits = range
            followsWebMercator = followsWebMercator && isWebMercators(matrix)
            list.append(matrix)
        }
        for remark in limits.unused(drafts.map(\.matrix.identifier)) { notes.add(remark) }
        guard !list.isEmpty else {
            throw link.remark(
                drafts.isEmpty
                    ? "its matrix set has no <TileMatrix>" : "no matrix of the set has tiles")
        }
        return Matrices(list: list, followsWebMercator: followsWebMercator)
    }

    /// The identifiers by zoom, up to the deepest; "" where there is no matrix.
    static func names(_ matrices: [TileMatrix]) -> [String] {
        var names: [String] = []
        for matrix in matrices {
            while names.count < Int(matrix.zoom) { names.append("") }
            names.append(matrix.identifier)
        }
        return names
    }

    /// How far, in tiles, a matrix may be off Web Mercator's at the far side of the world: corner
    /// and scale are written with fewer digits than they have.
    private static let gridTiles = 0.1

    /// Whether the tiles are those of Web Mercator's pyramid at the matrix's zoom.
    private static func isWebMercators(_ matrix: TileMatrix) -> Bool {
        let width = CoordinateSystem.webMercator.worldWidth
        return abs(width / matrix.spanX - exp2(Double(matrix.zoom))) <= gridTiles
            && abs(width / matrix.spanY - exp2(Double(matrix.zoom))) <= gridTiles
            && abs(matrix.left + width / 2) <= gridTiles * matrix.spanX
            && abs(matrix.top - width / 2) <= gridTiles * matrix.spanY
    }

    /// A matrix as it is written, its zoom and limits not known yet.
    private struct Draft {
        let element: XMLElement
        var matrix: TileMatrix

        init(
            _ element: XMLElement, _ system: CoordinateSystem, _ notes: inout DocumentNotes
        ) throws(DocumentRemark) {
            self.element = element
            let scale = try element.required("ScaleDenominator")
            let denominator = try scale.number()
            let corner = try element.required("TopLeftCorner")
            let pair = try corner.pair()
            let pixels = 1...16_384
            let tileWidth = try element.required("TileWidth").whole(in: pixels)
            let tileHeight = try element.required("TileHeight").whole(in: pixels)
            // A zoom has at most 2^30 columns.
            let columns = try element.required("MatrixWidth").whole(in: 1...1 << 30)
            let rows = try element.required("MatrixHeight").whole(in: 1...1 << 30)
            // A pixel of the standard is 0.28 mm (07-057r7, 6.1).
            let resolution = denominator * 0.28e-3 / system.metresPerUnit
            let span = (resolution * Double(tileWidth), resolution * Double(tileHeight))
            // Not a hundredth of a millimetre, and not many worlds.
            guard span.0 > 1e-10, span.1 > 1e-10, span.0 < 1e10, span.1 < 1e10 else {
                throw scale.remark("\(denominator) is no scale of a map")
            }
            let (left, top) = Draft.corner(pair, system, corner, &notes)
            matrix = TileMatrix(
                identifier: try element.required("Identifier").text, zoom: 0,
                scaleDenominator: denominator, columns: UInt32(columns), rows: UInt32(rows),
                tileWidth: tileWidth, tileHeight: tileHeight,
                topLeftCorner: [pair.first, pair.second], left: left, top: top, spanX: span.0,
                spanY: span.1, limits: TileRange(z: 0, x: 0...0, y: 0...0))
        }

        /// The corner to the east and north. Its order is that of the system's axes; one that is
        /// beyond a pole so, but not the other way round, is taken the other way round.
        private static func corner(
            _ pair: (first: Double, second: Double), _ system: CoordinateSystem,
            _ element: XMLElement, _ notes: inout DocumentNotes
        ) -> (left: Double, top: Double) {
            guard system.isGeographic else { return (pair.first, pair.second) }
            let isLatitudeFirst = system == .latitudeLongitude
            let latitude = isLatitudeFirst ? pair.first : pair.second
            let longitude = isLatitudeFirst ? pair.second : pair.first
            let isSwapped = abs(latitude) > 90.000001 && abs(longitude) <= 90.000001
            if isSwapped {
                notes.add(
                    element.remark(
                        "is not in the order of \(system.rawValue), so it is taken as"
                            + " \(isLatitudeFirst ? "longitude, latitude" : "latitude, longitude")")
                )
            }
            return isSwapped ? (latitude, longitude) : (longitude, latitude)
        }

        /// The least zoom at which the pyramid's columns are as narrow as the matrix's and as many.
        func zoomLeast(_ system: CoordinateSystem) -> Int {
            let columns = max(
                system.worldWidth / matrix.spanX - TileMatrixBuilder.gridTiles,
                Double(max(matrix.columns, matrix.rows)))
            var zoom = 0
            while zoom <= Int(TileID.zoomMax), exp2(Double(zoom)) < columns { zoom += 1 }
            return zoom
        }
    }
}

/// `TileMatrixSetLimits` of a layer: which matrices it has and which of their tiles.
private struct Limits {
    private var elements: [String: XMLElement] = [:]
    private let prefix: String
    private let isWhole: Bool

    init(_ link: XMLElement, set: String) throws(DocumentRemark) {
        let list = link.all(path: "TileMatrixSetLimits", "TileMatrixLimits")
        prefix = set + ":"
        isWhole = list.isEmpty
        for element in list { elements[try element.required("TileMatrix").text] = element }
    }

    /// The names a matrix may have here: its own, and its own with the set's before it or cut off.
    private func names(_ identifier: String) -> [String] {
        let isPrefixed = identifier.hasPrefix(prefix)
        return [
            identifier,
            isPrefixed ? String(identifier.dropFirst(prefix.count)) : prefix + identifier,
        ]
    }

    /// The tiles of a matrix; nil when it has none.
    func range(
        of matrix: TileMatrix, _ element: XMLElement, _ notes: inout DocumentNotes
    ) throws(DocumentRemark) -> TileRange? {
        let whole = TileRange(
            z: matrix.zoom, x: 0...matrix.columns - 1, y: 0...matrix.rows - 1)
        if isWhole { return whole }
        guard let limits = names(matrix.identifier).lazy.compactMap({ elements[$0] }).first else {
            return nil
        }
        let numbers = 0...Int(Int32.max)
        let rows = (
            try limits.required("MinTileRow").whole(in: numbers),
            try limits.required("MaxTileRow").whole(in: numbers)
        )
        let columns = (
            try limits.required("MinTileCol").whole(in: numbers),
            try limits.required("MaxTileCol").whole(in: numbers)
        )
        guard rows.0 <= rows.1, columns.0 <= columns.1 else {
            notes.add(limits.remark("the least row or column is above the greatest: no tiles"))
            return nil
        }
        let y = UInt32(rows.0)...UInt32(rows.1)
        let x = UInt32(columns.0)...UInt32(columns.1)
        guard x.overlaps(whole.x), y.overlaps(whole.y) else {
            notes.add(limits.remark("all tiles are outside the matrix"))
            return nil
        }
        if x.upperBound > whole.x.upperBound || y.upperBound > whole.y.upperBound {
            notes.add(limits.remark("goes beyond the matrix, which has fewer tiles"))
        }
        return TileRange(z: matrix.zoom, x: x.clamped(to: whole.x), y: y.clamped(to: whole.y))
    }

    /// Remarks on limits of matrices that are not in the set.
    func unused(_ identifiers: [String]) -> [DocumentRemark] {
        let known = Set(identifiers.flatMap(names))
        return elements.filter { !known.contains($0.key) }.map(\.value)
            .sorted { ($0.place.line, $0.place.column) < ($1.place.line, $1.place.column) }
            .map { $0.remark("its matrix is not in the set: ignored") }
    }
}
