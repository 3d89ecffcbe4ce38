/// One pass of a run of several: the figures that are read side by side. Field meanings are those
/// of the report of the same name.
package struct PassRow: Sendable {
    package var name: String
    package var validity = RunFacts.Validity.valid
    package var measuredNS: UInt64 = 0
    package var started: UInt64 = 0
    package var ok: UInt64 = 0
    package var failed: UInt64 = 0
    package var bytes: UInt64 = 0
    package var okPerS: Double?
    /// Response time of all asks.
    package var response = Histogram()
    package var serverHitRate: Double?
    package var clientHitRate: Double?
    package var foreignHits: UInt64?

    package init(name: String) {
        self.name = name
    }

    package init(name: String, _ result: RunResult) {
        self.name = name
        validity = result.run.validity
        measuredNS = result.run.measuredNS
        started = result.ledger.started
        ok = result.ledger.ok
        failed = result.ledger.failed
        bytes = result.bytes.measuredBody
        okPerS =
            measuredNS == 0 ? nil : Double(result.ledger.ok) / (Double(measuredNS) / 1e9)
        response = result.response.all
        serverHitRate = result.cache.serverHitRate
        clientHitRate = result.cache.client?.hitRate
        foreignHits = result.cache.foreignHits
    }
}
