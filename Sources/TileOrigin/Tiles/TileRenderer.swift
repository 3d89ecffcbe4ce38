/// Makes a tile's body. One thread at a time.
final class TileRenderer {
    private let picture = TilePicture()
    private let vector = VectorTileWriter()
    private let bytesWanted: Int?
    private var body: [UInt8] = []

    init(bytesWanted: Int?) {
        self.bytesWanted = bytesWanted
    }

    /// The body is valid until the next tile is made.
    func render<R>(_ tile: OriginTile, _ use: (UnsafeMutableBufferPointer<UInt8>) -> R) -> R {
        body.removeAll(keepingCapacity: true)
        switch tile.format {
        case .png: picture.paint(tile, paddedTo: bytesWanted, into: &body)
        case .mvt: vector.write(tile, paddedTo: bytesWanted, into: &body)
        }
        return body.withUnsafeMutableBufferPointer { use($0) }
    }
}
