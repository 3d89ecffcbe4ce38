extension TileTemplate {
    /// Writes the URL of a tile; returns its length, or -1 when the buffer is too small for it.
    ///
    /// The hot path of URLs: it allocates nothing and touches no reference count. There must be a
    /// token part for every name, and a matrix name for the zoom.
    package func write(
        _ tile: TileID, values: TemplateValues, into buffer: UnsafeMutableBufferPointer<UInt8>
    ) -> Int {
        program.write(
            ProgramRange(start: 0, count: program.segments.count), tile, values,
            flipsFirst: program.flipsFirst, into: buffer)
    }
}

extension TemplateProgram {
    /// Takes the steps of a range of segments; the length written, or -1.
    func write(
        _ range: ProgramRange, _ tile: TileID, _ values: TemplateValues, flipsFirst: Bool,
        into buffer: UnsafeMutableBufferPointer<UInt8>
    ) -> Int {
        guard var sink = ByteSink(buffer) else { return range.count == 0 ? 0 : -1 }
        let spread = UInt64(tile.x) + UInt64(tile.y)
        let tile = flipsFirst ? tile.flipped : tile
        segments.withUnsafeBufferPointer { segments in
            bytes.withUnsafeBufferPointer { bytes in
                table.withUnsafeBufferPointer { table in
                    for index in range.start..<range.start + range.count {
                        let segment = segments[index]
                        switch segment.kind {
                        case .literal:
                            sink.append(bytes, segment.start, segment.count)
                        case .choice:
                            let entry =
                                table[segment.start + Int(spread % UInt64(segment.count))]
                            sink.append(bytes, entry.start, entry.count)
                        case .matrix:
                            precondition(Int(tile.z) < segment.count, "zoom without matrix name")
                            let entry = table[segment.start + Int(tile.z)]
                            sink.append(bytes, entry.start, entry.count)
                        default:
                            sink.append(segment, tile, values)
                        }
                    }
                }
            }
        }
        return sink.isFull ? -1 : sink.count
    }
}

extension ByteSink {
    fileprivate mutating func append(
        _ bytes: UnsafeBufferPointer<UInt8>, _ start: Int, _ count: Int
    ) {
        append(UnsafeBufferPointer(rebasing: bytes[start..<start + count]))
    }

    /// A segment whose text is not in the template's tables.
    fileprivate mutating func append(
        _ segment: TemplateSegment, _ tile: TileID, _ values: TemplateValues
    ) {
        switch segment.kind {
        case .zoom: append(decimal: UInt32(tile.z))
        case .column: append(decimal: tile.x)
        case .row: append(decimal: tile.y)
        case .rowFlipped: append(decimal: tile.flippedY)
        case .box:
            let box = tile.metreBounds
            append(box: box.west, box.south, box.east, box.north)
        case .boxLongitudeFirst:
            let box = tile.geoBounds
            append(box: box.west, box.south, box.east, box.north)
        case .boxLatitudeFirst:
            let box = tile.geoBounds
            append(box: box.south, box.west, box.north, box.east)
        case .quadkey: append(quadkeyOf: tile)
        case .prefix:
            append(hexDigit: tile.x)
            append(hexDigit: tile.y)
        case .token: append(values.token)
        case .tokenPart:
            precondition(segment.start < values.tokenParts.count, "token part without value")
            append(values.tokenParts[segment.start])
        case .run: append(values.run)
        case .random: append(hex: values.random)
        case .literal, .choice, .matrix: break
        }
    }
}
