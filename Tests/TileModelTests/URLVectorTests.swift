import Testing

@testable import TileModel

/// URLs as map clients make them.
///
/// The vectors of three clients are other programs' rules and not claimed: OpenLayers hashes
/// ((x << z) + y) in 32 bits to choose a host, Mapbox GL JS replaces some placeholders only once
/// and does not know `{ratio}`, iD has names of its own (`{zoom}`, `{ty}`, `{@2x}`).
@Suite struct URLVectorTests {
    struct Vector: Decodable, Sendable, CustomTestStringConvertible {
        var id: String
        var client: String?
        var template: String
        var z: UInt8
        var x: UInt32
        var y: UInt32
        var scheme: String
        var ratio: Double?
        var options: [String: Option]?
        var expected: String

        var testDescription: String { "\(id) \(template)" }

        var rules: ClientRules? {
            switch client ?? "maplibre-native" {
            case "maplibre-native": .maplibreNative
            case "maplibre-gl-js": .maplibreGL
            case "leaflet": .leaflet
            default: nil
            }
        }
    }

    enum Option: Decodable, Sendable {
        case text(String)
        case list([String])

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let list = try? container.decode([String].self) {
                self = .list(list)
            } else {
                self = .text(try container.decode(String.self))
            }
        }
    }

    static let all = (try? vectors("url-vectors", as: [Vector].self)) ?? []

    @Test func vectorsAreThere() {
        let claimed = Self.all.filter { $0.rules != nil }
        #expect(claimed.count > 50)
        #expect(Set(claimed.compactMap(\.rules)).count == 3)
    }

    @Test(arguments: all.filter { $0.rules != nil })
    func urlIsAsTheClientMakesIt(vector: Vector) throws {
        var options = TemplateOptions()
        options.client = try #require(vector.rules)
        options.scheme = try #require(TemplateOptions.Scheme(rawValue: vector.scheme))
        options.ratio = vector.ratio ?? 1
        for (name, option) in vector.options ?? [:] {
            switch option {
            case .list(let list) where name == "subdomains": options.subdomains = list
            case .text(let text) where name == "subdomains":
                options.subdomains = text.map { String($0) }
            case .text(let text): options.variables[name] = text
            case .list: Issue.record("\(name) is a list")
            }
        }
        let tile = TileID(z: vector.z, x: vector.x, y: vector.y)
        do throws(TemplateError) {
            let template = try TileTemplate(vector.template, options: options)
            #expect(template.url(tile) == vector.expected)
            #expect(template.lengthMax >= vector.expected.utf8.count)
        } catch {
            #expect("ERROR: \(error.message)" == vector.expected)
        }
    }

    /// MapLibre Native's vectors hold for `unknown: keep` as well, except that TMS flips `{y}`
    /// only.
    @Test(arguments: all.filter { $0.rules == .maplibreNative && $0.scheme == "xyz" })
    func keepIsNativesRule(vector: Vector) throws {
        let options = TemplateOptions(ratio: vector.ratio ?? 1, unknown: .keep)
        let template = try TileTemplate(vector.template, options: options)
        #expect(
            template.url(TileID(z: vector.z, x: vector.x, y: vector.y)) == vector.expected)
    }

    struct ArrayVectors: Decodable {
        struct Vector: Decodable {
            var templates: [String]
            var z: UInt8
            var x: UInt32
            var y: UInt32
            var index: [String: Int]
        }
        var vectors: [Vector]
    }

    /// OpenLayers' index is its own hash and not claimed; the others are (x + y) mod n or the
    /// first.
    @Test func arrayIndexIsTheClients() throws {
        let clients: [(String, ClientRules)] = [
            ("maplibre-native", .maplibreNative), ("maplibre-gl-js", .maplibreGL),
            ("mapbox-gl-js", .standard), ("id-editor(switch)", .standard),
            ("leaflet(subdomains)", .leaflet),
        ]
        for vector in try vectors("url-array-vectors", as: ArrayVectors.self).vectors {
            let tile = TileID(z: vector.z, x: vector.x, y: vector.y)
            for (client, rules) in clients {
                for scheme in [TemplateOptions.Scheme.xyz, .tms] {
                    let set = try TileTemplateSet(
                        vector.templates, options: TemplateOptions(scheme: scheme, client: rules))
                    #expect(set.index(of: tile) == vector.index[client], "\(client) \(tile)")
                }
            }
        }
    }

    struct WMTSVector: Decodable {
        var id: String
        var encoding: String
        var template: String
        var context: [String: Value]
        var expected: String

        struct Value: Decodable {
            var text: String
            init(from decoder: any Decoder) throws {
                let container = try decoder.singleValueContainer()
                if let number = try? container.decode(Int.self) {
                    text = String(number)
                } else {
                    text = try container.decode(String.self)
                }
            }
        }
    }

    /// The RESTful ones; a KVP request is no template.
    @Test func restfulWMTS() throws {
        let restful = try vectors("wmts-vectors", as: [WMTSVector].self)
            .filter { $0.encoding == "RESTful" }
        #expect(restful.count >= 4)
        for vector in restful {
            let values = vector.context.mapValues(\.text)
            let matrix = try #require(values["TileMatrix"])
            let column = try #require(values["TileCol"].flatMap { UInt32($0) })
            let row = try #require(values["TileRow"].flatMap { UInt32($0) })
            let perTile = ["TileMatrix", "TileCol", "TileRow"]
            let variables = values.filter { !perTile.contains($0.key) }
            // The identifier's place in the list of matrices does not matter to the template.
            let template = try TileTemplate(
                vector.template,
                options: TemplateOptions(
                    variables: variables, matrixNames: [String](repeating: matrix, count: 8)))
            #expect(
                template.url(TileID(z: 7, x: column, y: row)) == vector.expected, "\(vector.id)")
        }
    }
}
