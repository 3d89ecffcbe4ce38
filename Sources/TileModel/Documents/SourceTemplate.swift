/// A URL template out of a document.
enum SourceTemplate {
    enum Trouble: Error {
        /// It is no `http` URL but one of another kind, which others understand.
        case scheme(String)
        case broken(String)

        var message: String {
            switch self {
            case .scheme("mapbox"):
                "mapbox: is no URL but short for Mapbox's own service; write the https URL"
            case .scheme("pmtiles"):
                "pmtiles: is a file that is read by ranges; it has no tile URLs"
            case .scheme(let name):
                "\"\(quoted(name)):\" is not http or https"
            case .broken(let reason): reason
            }
        }
    }

    /// The URL or template as one that can be asked for from anywhere: resolved against the
    /// document's URL, blanks and letters beyond ASCII percent-encoded as browsers do.
    static func absolute(_ text: String, url: String) throws(Trouble) -> String {
        guard text.utf8.count <= DocumentLimits.templateBytesMax else {
            throw .broken("the URL is longer than \(DocumentLimits.templateBytesMax) bytes")
        }
        guard !text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
            throw .broken("the URL holds a control character")
        }
        guard !text.isEmpty else { throw .broken("the URL is empty") }
        // Encoded first: a mark that combines with a slash would hide it.
        guard let resolved = URLReference.resolve(encoded(text), against: encoded(url)) else {
            throw .broken("the URL is relative, and the document does not come from a web address")
        }
        if let scheme = URLReference.scheme(resolved), !["http", "https"].contains(scheme) {
            throw .scheme(scheme)
        }
        guard URLReference.isWeb(resolved) else { throw .broken("the URL has no host") }
        return resolved
    }

    private static func encoded(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            result +=
                scalar == " " || !scalar.isASCII
                ? percentEncoded(String(scalar)) : String(scalar)
        }
        return result
    }

    /// Whether the template compiles. What only MapLibre's rule for unknown placeholders can read
    /// is no error of the document: it comes back as a note.
    static func check(
        _ template: String, options: TemplateOptions = TemplateOptions()
    ) throws(Trouble) -> String? {
        do throws(TemplateError) {
            _ = try TileTemplate(template, options: options)
            return nil
        } catch {
            var lenient = options
            lenient.unknown = .keep
            do throws(TemplateError) {
                _ = try TileTemplate(template, options: lenient)
            } catch {
                throw .broken(quoted(error.description))
            }
            return "needs \"unknown\": \"keep\": \(quoted(error.description))"
        }
    }

    /// Whether a template compiles with the names of the source's matrices and tells tiles apart.
    static func checkNamed(_ template: String, _ source: TileSource) throws(Trouble) {
        let compiled: TileTemplate
        do throws(TemplateError) {
            compiled = try TileTemplate(template, options: source.templateOptions())
        } catch {
            throw .broken(quoted(error.description))
        }
        guard compiled.hasTilePlaceholders else {
            throw .broken("the template is the same for all tiles")
        }
    }

    /// What the end of a template's path says of its tiles.
    static func kind(_ template: String) -> TileSource.Kind? {
        let path = template.prefix { $0 != "?" && $0 != "#" }.lowercased()
        if [".pbf", ".mvt", ".mlt"].contains(where: path.hasSuffix) { return .vector }
        return [".png", ".jpg", ".jpeg", ".webp", ".avif", ".gif"].contains(where: path.hasSuffix)
            ? .raster : nil
    }

    /// What a media type, or the word of an ArcGIS or TileJSON document, says of tiles.
    static func kind(format: String) -> TileSource.Kind? {
        let format = format.lowercased()
        if ["pbf", "mvt", "mlt", "vector-tile", "protobuf"].contains(where: format.contains) {
            return .vector
        }
        let images = ["image/", "png", "jpg", "jpeg", "webp", "avif", "gif", "mixed", "lerc"]
        return images.contains(where: format.hasPrefix) ? .raster : nil
    }
}
