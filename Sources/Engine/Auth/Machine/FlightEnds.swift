/// Which flights and canaries of a cell had ended when it was looked at.
package struct FlightEnds: Sendable {
    let ends: [(flight: UInt64, end: TokenCell.FlightEnd)]
    let current: UInt64?
    let others: [UInt64]
    let canary: UInt64?
    /// The newest of each kind that have ended, whether `ends` still knows them or not.
    let newestFlight: UInt64
    let newestCanary: UInt64
    /// False: a flight that is gone may have failed without a word (`noFanOut`).
    let tellsAll: Bool

    /// How that flight or canary ended; nil while it runs. One that ended too long ago to be known
    /// ended well as far as anybody who waits for it cares: the machine is asked again.
    package func end(of flight: UInt64) -> TokenCell.FlightEnd? {
        if let known = ends.last(where: { $0.flight == flight }) { return known.end }
        let runs = flight == current || flight == canary || others.contains(flight)
        return runs || !tellsAll ? nil : .ok
    }

    /// False: neither it nor any that was begun later has ended, since they are numbered in order.
    package func mayHaveEnded(_ flight: UInt64) -> Bool {
        flight <= (flight & TokenCell.canaryMark == 0 ? newestFlight : newestCanary)
    }
}
