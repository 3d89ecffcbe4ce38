import CMicrohttpd
import Glibc
import JSONText

/// A document that leads a map client to the tiles.
enum OriginDocument: Equatable {
    case tileJSON
    case style
    case wmtsCapabilities

    var contentType: String {
        self == .wmtsCapabilities ? "application/xml" : "application/json"
    }
}

/// Writes the documents. Their URLs have the host that the client used, and where tiles need a
/// token the place for it, `{token}`, which the client fills.
struct OriginDocuments {
    private static let zoomMax = 22
    /// Of Web Mercator: half of the equator in metres, and the latitude that makes it a square.
    private static let halfWorld = "20037508.3427892"
    private static let latitudeMax = 85.0511287798066

    private let options: OriginOptions
    /// `http://host:port`
    private let base: String

    init(_ options: OriginOptions, base: String) {
        self.options = options
        self.base = base
    }

    func text(_ document: OriginDocument) -> String {
        switch document {
        case .tileJSON: JSONWriter.encodeText(tileJSON, pretty: true) + "\n"
        case .style: JSONWriter.encodeText(style, pretty: true) + "\n"
        case .wmtsCapabilities: wmtsCapabilities
        }
    }

    private var query: String { options.token == nil ? "" : "?access_token={token}" }

    private func template(_ place: String) -> String {
        "\(base)/\(place).\(options.tile.rawValue)\(query)"
    }

    /// TileJSON 3.0.0.
    private var tileJSON: JSONNode {
        var members: [(String, JSONNode)] = [
            ("tilejson", .string("3.0.0")), ("name", .string("tilebench")),
            ("tiles", .array([.string(template("{z}/{x}/{y}"))])), ("scheme", .string("xyz")),
            ("minzoom", .int(0)), ("maxzoom", .int(OriginDocuments.zoomMax)),
            ("bounds", .array(bounds.map { .double($0) })),
        ]
        if options.tile == .mvt {
            let fields = ["z", "x", "y"].map { ($0, JSONNode.string("Number")) }
            members.append(
                (
                    "vector_layers",
                    .array([.object([("id", .string("tile")), ("fields", .object(fields))])])
                ))
        }
        return .object(members)
    }

    private var bounds: [Double] {
        [-180, -OriginDocuments.latitudeMax, 180, OriginDocuments.latitudeMax]
    }

    /// MapLibre's style, version 8: the tiles and nothing else.
    private var style: JSONNode {
        let isVector = options.tile == .mvt
        var source: [(String, JSONNode)] = [
            ("type", .string(isVector ? "vector" : "raster")),
            ("tiles", .array([.string(template("{z}/{x}/{y}"))])),
            ("minzoom", .int(0)), ("maxzoom", .int(OriginDocuments.zoomMax)),
        ]
        var layer: [(String, JSONNode)] = [
            ("id", .string("tiles")), ("type", .string(isVector ? "line" : "raster")),
            ("source", .string("tilebench")),
        ]
        if isVector {
            layer.append(("source-layer", .string("tile")))
        } else {
            source.append(("tileSize", .int(256)))
        }
        return .object([
            ("version", .int(8)), ("name", .string("tilebench")),
            ("sources", .object([("tilebench", .object(source))])),
            ("layers", .array([.object(layer)])),
        ])
    }
}

/// WMTS 1.0.0 (OGC 07-057r7): capabilities of a server that has the RESTful form alone.
extension OriginDocuments {
    static let wmtsException = """
        <?xml version="1.0" encoding="UTF-8"?>
        <ExceptionReport xmlns="http://www.opengis.net/ows/1.1" version="1.1.0">
          <Exception exceptionCode="OperationNotSupported" locator="request">
            <ExceptionText>GetCapabilities alone is served here; tiles have the URLs of its \
        ResourceURL.</ExceptionText>
          </Exception>
        </ExceptionReport>

        """

    /// `SERVICE=WMTS&REQUEST=GetCapabilities`; names in any letter case.
    static func asksForCapabilities(_ connection: OpaquePointer) -> Bool {
        var found = Found()
        withUnsafeMutablePointer(to: &found) {
            _ = MHD_get_connection_values(connection, .GET_ARGUMENT_KIND, findWMTSArgument, $0)
        }
        return found.service && found.request
    }

    fileprivate struct Found {
        var service = false
        var request = false
    }

    private var wmtsCapabilities: String {
        let type = options.tile == .png ? "image/png" : "application/vnd.mapbox-vector-tile"
        let resource = template("{TileMatrix}/{TileCol}/{TileRow}")
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <Capabilities xmlns="http://www.opengis.net/wmts/1.0" \
            xmlns:ows="http://www.opengis.net/ows/1.1" \
            xmlns:xlink="http://www.w3.org/1999/xlink" version="1.0.0">
              <ows:ServiceIdentification>
                <ows:Title>tilebench</ows:Title>
                <ows:ServiceType>OGC WMTS</ows:ServiceType>
                <ows:ServiceTypeVersion>1.0.0</ows:ServiceTypeVersion>
              </ows:ServiceIdentification>
              <Contents>
                <Layer>
                  <ows:Title>tilebench</ows:Title>
                  <ows:WGS84BoundingBox>
                    <ows:LowerCorner>-180 -\(OriginDocuments.latitudeMax)</ows:LowerCorner>
                    <ows:UpperCorner>180 \(OriginDocuments.latitudeMax)</ows:UpperCorner>
                  </ows:WGS84BoundingBox>
                  <ows:Identifier>tilebench</ows:Identifier>
                  <Style isDefault="true"><ows:Identifier>default</ows:Identifier></Style>
                  <Format>\(type)</Format>
                  <TileMatrixSetLink>
                    <TileMatrixSet>GoogleMapsCompatible</TileMatrixSet>
                  </TileMatrixSetLink>
                  <ResourceURL format="\(type)" resourceType="tile" template="\(resource)"/>
                </Layer>
                <TileMatrixSet>
                  <ows:Identifier>GoogleMapsCompatible</ows:Identifier>
                  <ows:SupportedCRS>urn:ogc:def:crs:EPSG::3857</ows:SupportedCRS>
                  <WellKnownScaleSet>urn:ogc:def:wkss:OGC:1.0:GoogleMapsCompatible\
            </WellKnownScaleSet>
            \(tileMatrices)
                </TileMatrixSet>
              </Contents>
              <ServiceMetadataURL xlink:href="\(base)/wmts/1.0.0/WMTSCapabilities.xml"/>
            </Capabilities>

            """
    }

    /// Scale denominators as of the well-known scale set: a pixel of zoom 0 at 0.28 mm.
    private var tileMatrices: String {
        (0...OriginDocuments.zoomMax).map { zoom in
            let scale = 559_082_264.0287178 / Double(1 << zoom)
            return """
                      <TileMatrix>
                        <ows:Identifier>\(zoom)</ows:Identifier>
                        <ScaleDenominator>\(scale)</ScaleDenominator>
                        <TopLeftCorner>-\(OriginDocuments.halfWorld) \
                \(OriginDocuments.halfWorld)</TopLeftCorner>
                        <TileWidth>256</TileWidth>
                        <TileHeight>256</TileHeight>
                        <MatrixWidth>\(1 << zoom)</MatrixWidth>
                        <MatrixHeight>\(1 << zoom)</MatrixHeight>
                      </TileMatrix>
                """
        }.joined(separator: "\n")
    }
}

private let findWMTSArgument: MHD_KeyValueIterator = { context, _, name, value in
    guard let found = context?.assumingMemoryBound(to: OriginDocuments.Found.self), let name,
        let value
    else { return .YES }
    if strcasecmp(name, "service") == 0 {
        found.pointee.service = strcasecmp(value, "WMTS") == 0
    } else if strcasecmp(name, "request") == 0 {
        found.pointee.request = strcasecmp(value, "GetCapabilities") == 0
    }
    return .YES
}
