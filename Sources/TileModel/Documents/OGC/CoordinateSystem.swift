/// The coordinate systems whose tiles can be asked for by place, with the order of their axes.
package enum CoordinateSystem: String, Sendable {
    /// EPSG:3857 and its older names: x, y in metres.
    case webMercator = "EPSG:3857"
    /// EPSG:4326: latitude, longitude in degrees.
    case latitudeLongitude = "EPSG:4326"
    /// CRS:84 of the OGC: longitude, latitude in degrees.
    case longitudeLatitude = "CRS:84"

    /// Reads a name in any of the spellings of capabilities: `EPSG:3857`, `CRS:84`,
    /// `urn:ogc:def:crs:EPSG:6.18:3:3857`, `http://www.opengis.net/def/crs/OGC/1.3/CRS84`,
    /// `http://www.opengis.net/gml/srs/epsg.xml#4326`. Nil for any other system.
    package init?(name: String) {
        let parts = name.uppercased().split { ":/#".contains($0) }
        guard let code = parts.last else { return nil }
        if code == "CRS84" || code == "84" && parts.contains(where: { $0 == "CRS" || $0 == "OGC" })
        {
            self = .longitudeLatitude
            return
        }
        guard parts.contains(where: { ["EPSG", "EPSG.XML", "ESRI"].contains($0) }) else {
            return nil
        }
        switch code {
        case "3857", "900913", "3785", "102100", "102113": self = .webMercator
        case "4326": self = .latitudeLongitude
        default: return nil
        }
    }

    var isGeographic: Bool { self != .webMercator }

    /// Metres per unit of the axes, as WMTS counts them (07-057r7, 6.1): a degree is the 360th part
    /// of the equator.
    var metresPerUnit: Double {
        isGeographic ? 2 * Double.pi * WebMercator.radiusMetres / 360 : 1
    }

    /// The world's width in units.
    var worldWidth: Double {
        isGeographic ? 360 : 2 * Double.pi * WebMercator.radiusMetres
    }

    /// A coordinate, x to the east and y to the north, in units.
    func position(longitude: Double, latitude: Double) -> (x: Double, y: Double) {
        guard !isGeographic else { return (longitude, latitude) }
        let place = WebMercator.position(longitude: longitude, latitude: latitude)
        return ((place.x - 0.5) * worldWidth, (0.5 - place.y) * worldWidth)
    }
}
