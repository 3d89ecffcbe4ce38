import CMicrohttpd
import Synchronization

/// What was handed to the transport.
struct SentAnswer {
    let status: Int
    let bodyBytes: Int
}

/// How the simulated edge cache takes part in an answer.
enum EdgeClass: UInt {
    case none
    case miss
    case hit
}

/// Ready answers of tiles, kept up to a limit. Shards, one lock each, keep server threads apart.
final class TileCache: Sendable {
    /// Memory for bodies, over all shards and not counting that an edge keeps a tile twice.
    private static let memoryBytes = 64 << 20
    private static let tilesMax = 1 << 15

    private let shards: [TileShard]

    init(_ options: OriginOptions) {
        let bodyBytes = max(options.bytes ?? 0, 1024)
        let shardCount = options.threads > 1 ? 16 : 1
        let tiles = min(TileCache.memoryBytes / bodyBytes, TileCache.tilesMax)
        shards = (0..<shardCount).map { _ in
            TileShard(options, capacity: max(tiles / shardCount, TileSlots.ways))
        }
    }

    /// Answers a request with the tile: 200, or 304 if `ifNoneMatch` names it.
    func answer(
        _ tile: OriginTile, to connection: OpaquePointer, edge: EdgeClass,
        ifNoneMatch: UnsafeBufferPointer<CChar>?
    ) -> SentAnswer? {
        let hash = OriginDraw.mix(tile.packed)
        let shard = shards[Int(hash >> 32) & (shards.count - 1)]
        return shard.answer(
            tile, hash: hash, to: connection, edge: edge, ifNoneMatch: ifNoneMatch)
    }

    /// A copy of the tile's body, for answers that are cut short.
    func body(_ tile: OriginTile) -> [UInt8] {
        let hash = OriginDraw.mix(tile.packed)
        let shard = shards[Int(hash >> 32) & (shards.count - 1)]
        return shard.body(tile)
    }
}

/// One shard and its lock. The lock does not hold the slots itself, since what goes in and out
/// (libmicrohttpd's connections) belongs to the calling thread.
private final class TileShard: @unchecked Sendable {
    private let lock = Mutex(())
    /// Under `lock`.
    private var slots: TileSlots

    init(_ options: OriginOptions, capacity: Int) {
        slots = TileSlots(options, capacity: capacity)
    }

    func answer(
        _ tile: OriginTile, hash: UInt64, to connection: OpaquePointer, edge: EdgeClass,
        ifNoneMatch: UnsafeBufferPointer<CChar>?
    ) -> SentAnswer? {
        lock.withLock { _ in
            slots.answer(
                tile, hash: hash, to: connection, edge: edge, ifNoneMatch: ifNoneMatch)
        }
    }

    func body(_ tile: OriginTile) -> [UInt8] {
        lock.withLock { _ in slots.renderer.render(tile) { Array($0) } }
    }
}
