import Glibc
package import TileModel

/// The tile that the URL of a log line was for: by the target's templates, else by the forms that
/// tile services have in common.
///
/// - `…/{z}/{x}/{y}`, with or without `@2x` and a suffix such as `.png` or `.vector.pbf`. Rows are
///   taken to count from the north; a log of TMS rows needs a template that says so.
/// - `…/MapServer/tile/{z}/{y}/{x}` and `…/ImageServer/tile/{z}/{y}/{x}` of ArcGIS.
/// - A quadkey as the path's last part, of 6 digits or more (shorter ones are more often other
///   numbers), with or without Bing's letter before it and a suffix; or as the parameter `quadkey`.
/// - WMTS: the parameters `TileMatrix`, `TileRow`, `TileCol`, the matrix being a number or ending
///   in one behind a colon.
/// - The parameters `z`, `x`, `y`.
package struct TileRecogniser: ~Copyable {
    /// What a tile was known by.
    package enum Form: Sendable { case template, path, query, columns }

    package struct Found: Sendable {
        package var tile: TileID
        package var form: Form
        /// That of the template; the first one where no template knows the tile.
        package var source: UInt16 = 0
    }

    private let matchers: [(matcher: TemplateMatcher, source: UInt16)]
    /// Room for a path, and for a parameter's value, decoded.
    private let pathRoom: UnsafeMutableBufferPointer<UInt8>
    private let valueRoom: UnsafeMutableBufferPointer<UInt8>

    /// - Parameter sources: the source that each template is of; the first one's when left out.
    package init(templates: [TileTemplate], sources: [UInt16] = []) {
        matchers = templates.enumerated().compactMap { number, template in
            TemplateMatcher(template).map { ($0, number < sources.count ? sources[number] : 0) }
        }
        pathRoom = .allocate(capacity: LineReader.lineBytesMax)
        valueRoom = .allocate(capacity: LineReader.lineBytesMax)
    }

    deinit {
        pathRoom.deallocate()
        valueRoom.deallocate()
    }

    /// - Parameter url: absolute, or from the slash behind the host on; `LineReader.lineBytesMax`
    ///   bytes at most.
    package func tile(url: UnsafeBufferPointer<UInt8>) -> Found? {
        let target = url.part(0..<(url.place(of: UInt8(ascii: "#")) ?? url.count))
        let mark = target.place(of: UInt8(ascii: "?"))
        let path = afterHost(target.part(0..<(mark ?? target.count)))
        return tile(path: path, query: mark.map { target.from($0 + 1) } ?? target.part(0..<0))
    }

    package func tile(
        path: UnsafeBufferPointer<UInt8>, query: UnsafeBufferPointer<UInt8>
    ) -> Found? {
        let path = decoded(path, pathRoom)
        for (matcher, source) in matchers {
            let tile = matcher.tile(path: path) { parameter(query, $0) }
            if let tile { return Found(tile: tile, form: .template, source: source) }
        }
        if let tile = PathForms.tile(path) { return Found(tile: tile, form: .path) }
        return queryTile(query).map { Found(tile: $0, form: .query) }
    }

    /// A URL without scheme and host.
    private func afterHost(_ url: Bytes) -> Bytes {
        guard let colon = url.place(of: UInt8(ascii: ":")), url.from(colon).begins(with: "://"),
            url.place(of: UInt8(ascii: "/")) == colon + 1
        else { return url }
        guard let slash = url.place(of: UInt8(ascii: "/"), from: colon + 3) else {
            return url.part(0..<0)
        }
        return url.from(slash)
    }

    // MARK: - Parameters

    private func queryTile(_ query: Bytes) -> TileID? {
        guard !query.isEmpty else { return nil }
        if let matrix = value(query, "tilematrix"), let zoom = PathForms.matrixZoom(matrix) {
            return number(query, "tilecol").flatMap { column in
                number(query, "tilerow").flatMap { TileID(checking: zoom, column, $0) }
            }
        }
        if let quadkey = value(query, "quadkey") { return PathForms.quadkeyTile(quadkey) }
        guard let zoom = number(query, "z"), let column = number(query, "x"),
            let row = number(query, "y")
        else { return nil }
        return TileID(checking: zoom, column, row)
    }

    private func number(_ query: Bytes, _ name: StaticString) -> UInt64? {
        value(query, name)?.decimal
    }

    private func value(_ query: Bytes, _ name: StaticString) -> Bytes? {
        parameter(query, Bytes(start: name.utf8Start, count: name.utf8CodeUnitCount))
    }

    /// The first parameter of a name in lower case; names of parameters differ in case between
    /// clients of OGC services.
    private func parameter(_ query: Bytes, _ name: Bytes) -> Bytes? {
        var start = 0
        while start < query.count {
            let end = query.place(of: UInt8(ascii: "&"), from: start) ?? query.count
            let equals = query.place(of: UInt8(ascii: "="), from: start) ?? end
            if equals < end, query.part(start..<equals).equalsFolded(name) {
                return decoded(query.part(equals + 1..<end), valueRoom)
            }
            start = end + 1
        }
        return nil
    }

    /// `%41` read as `A`, but `%2F` left, as `TemplateMatcher` wants it.
    private func decoded(_ text: Bytes, _ room: UnsafeMutableBufferPointer<UInt8>) -> Bytes {
        guard text.place(of: UInt8(ascii: "%")) != nil, text.count <= room.count else {
            return text
        }
        var (place, count) = (0, 0)
        while place < text.count {
            var byte = text[place]
            if byte == UInt8(ascii: "%"), place + 2 < text.count,
                let high = hexValue(text[place + 1]), let low = hexValue(text[place + 2]),
                high << 4 | low != UInt8(ascii: "/")
            {
                byte = high << 4 | low
                place += 2
            }
            room[count] = byte
            place += 1
            count += 1
        }
        return Bytes(start: room.baseAddress, count: count)
    }
}
