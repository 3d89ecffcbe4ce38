import JSONText
import Metrics

/// What both sides' caches did.
extension ReportJSON {
    static func cache(_ cache: CacheResult) -> JSONNode {
        var server = ObjectBuilder()
        for (cacheClass, answers) in zip(CacheClass.allCases, cache.server) {
            server.add(cacheClass.key, serverClass(answers))
        }
        server.add("hit_rate", exact: cache.serverHitRate)
        server.add("evidence", ObjectBuilder.counts(byName: cache.evidence))
        server.add("foreign_hits", count: cache.foreignHits)
        server.add("edges", .array(cache.edges.map(place)))
        server.add("addresses", .array(cache.addresses.map(place)))
        server.add("edges_beyond", count: cache.edgesBeyond)
        server.add("addresses_beyond", count: cache.addressesBeyond)

        var node = ObjectBuilder()
        node.add("client", cache.client.map(client))
        node.add("server", server.node)
        return node.node
    }

    private static func client(_ client: CacheResult.Client) -> JSONNode {
        var node = ObjectBuilder()
        node.add("lookups", count: client.lookups)
        node.add("hits", count: client.hits)
        node.add("revalidated", count: client.revalidated)
        node.add("misses", count: client.misses)
        node.add("stored", count: client.stored)
        node.add("evicted", count: client.evicted)
        node.add("bytes", count: client.bytes)
        node.add("hit_rate", exact: client.hitRate)
        node.add("stale_hits", count: client.staleHits)
        node.add("refreshes", count: client.refreshes)
        node.add("hit_bytes", count: client.hitBytes)
        node.add("revalidated_bytes", count: client.revalidatedBytes)
        return node.node
    }

    private static func place(_ place: ServerPlace) -> JSONNode {
        var node = ObjectBuilder()
        node.add("name", text: place.name)
        node.add("count", count: place.count)
        node.add("bytes", count: place.bytes)
        node.add("hit_rate", exact: place.hitRate)
        node.add("p50_ms", ms: place.service.percentileNS(0.5))
        node.add("p99_ms", ms: place.service.percentileNS(0.99))
        return node.node
    }

    private static func serverClass(_ answers: CacheResult.ServerClass) -> JSONNode {
        var node = ObjectBuilder()
        node.add("count", count: answers.count)
        node.add("bytes", count: answers.bytes)
        node.add("edge", count: answers.edge)
        node.add("shield", count: answers.shield)
        node.add("p50_ms", ms: answers.service.percentileNS(0.5))
        node.add("p99_ms", ms: answers.service.percentileNS(0.99))
        return node.node
    }
}
