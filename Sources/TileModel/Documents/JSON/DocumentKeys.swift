import JSONText

/// Reads the keys of an object by the rule of TileJSON: an optional key with an invalid value is as
/// if absent, which is noted; a required one is why the document is refused.
struct DocumentKeys {
    let node: JSONNode
    /// Where the object stands.
    let pointer: String
    var notes = DocumentNotes()

    init(_ node: JSONNode, pointer: String = "") {
        self.node = node
        self.pointer = pointer
    }

    /// The value of a key; nil for null too.
    subscript(key: String) -> JSONNode? {
        guard let value = node[key], !value.isNull else { return nil }
        return value
    }

    func remark(_ key: String?, _ message: String, hint: String? = nil) -> DocumentRemark {
        let value = key.flatMap { node[$0] } ?? node
        let path = key.map { pointer + "/" + JSONPointer.escape(quoted($0)) } ?? pointer
        return DocumentRemark(path: path, place: value.place, message, hint: hint)
    }

    mutating func ignore(_ key: String, _ reason: String) {
        notes.add(remark(key, reason + ", so it is as if absent"))
    }

    /// A whole number; as if absent when it is none or outside.
    mutating func whole(_ key: String, in range: ClosedRange<Int>) -> Int? {
        guard let value = self[key] else { return nil }
        guard let number = value.int, range.contains(number) else {
            let found = value.number.map { quoted($0.text) } ?? value.kindName
            ignore(
                key, "\(found) is no whole number within \(range.lowerBound)...\(range.upperBound)")
            return nil
        }
        return number
    }

    mutating func text(_ key: String) -> String? {
        guard let value = self[key] else { return nil }
        if value.string == nil { ignore(key, "\(value.kindName) where text is expected") }
        return value.string
    }

    /// West, south, east, north.
    mutating func bounds(_ key: String) -> GeoBounds? {
        guard let value = self[key] else { return nil }
        let numbers = (value.array ?? []).compactMap(\.double)
        guard numbers.count == 4, value.array?.count == 4 else {
            ignore(key, "this is not four numbers west, south, east, north")
            return nil
        }
        do throws(GeoBoundsError) {
            let bounds = try GeoBounds(tolerant: numbers)
            guard !bounds.crossesAntimeridian else {
                ignore(key, "west \(numbers[0]) is east of \(numbers[2]), across the antimeridian")
                return nil
            }
            return bounds
        } catch {
            ignore(key, error.description)
            return nil
        }
    }

    /// `minzoom` and `maxzoom`, which rule each other out when they are in the wrong order.
    mutating func zooms() -> (min: UInt8?, max: UInt8?) {
        let range = 0...Int(TileID.zoomMax)
        let (low, high) = (whole("minzoom", in: range), whole("maxzoom", in: range))
        if let low, let high, low > high {
            ignore("minzoom", "\(low) is above maxzoom \(high)")
            ignore("maxzoom", "\(high) is below minzoom \(low)")
            return (nil, nil)
        }
        return (low.map { UInt8($0) }, high.map { UInt8($0) })
    }

    /// `tiles`: at least one URL template, all of which can be used.
    mutating func templates(url: String) throws(TemplateRefusal) -> [String] {
        guard let value = self["tiles"] else { throw .broken(remark(nil, "`tiles` is missing")) }
        guard let elements = value.array, !elements.isEmpty else {
            throw .broken(remark("tiles", "at least one URL in an array is expected"))
        }
        guard elements.count <= DocumentLimits.templatesMax else {
            throw .broken(
                remark("tiles", "more than \(DocumentLimits.templatesMax) URLs for one tile"))
        }
        var templates: [String] = []
        for (index, element) in elements.enumerated() {
            let path = "\(pointer)/tiles/\(index)"
            guard let text = element.string else {
                throw .broken(
                    DocumentRemark(
                        path: path, place: element.place,
                        "\(element.kindName) where a URL is expected"))
            }
            do throws(SourceTemplate.Trouble) {
                let template = try SourceTemplate.absolute(text, url: url)
                if let note = try SourceTemplate.check(template) {
                    notes.add(DocumentRemark(path: path, place: element.place, note))
                }
                templates.append(template)
            } catch {
                let remark = DocumentRemark(path: path, place: element.place, error.message)
                if case .scheme = error { throw .scheme(remark) }
                throw .broken(remark)
            }
        }
        return templates
    }
}

/// Why `tiles` cannot be used.
enum TemplateRefusal: Error {
    /// Its URLs are well-formed but no web addresses.
    case scheme(DocumentRemark)
    case broken(DocumentRemark)

    var remark: DocumentRemark {
        switch self {
        case .scheme(let remark), .broken(let remark): remark
        }
    }
}

extension GeoBounds {
    /// Four numbers west, south, east, north, which may be beyond the globe by a rounding error.
    init(tolerant numbers: [Double]) throws(GeoBoundsError) {
        let rounding = 1e-6
        func cut(_ number: Double, _ limit: Double) -> Double {
            number.magnitude <= limit + rounding ? min(max(number, -limit), limit) : number
        }
        try self.init(
            west: cut(numbers[0], 180), south: cut(numbers[1], 90),
            east: cut(numbers[2], 180), north: cut(numbers[3], 90))
    }
}
