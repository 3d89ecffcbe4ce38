import Synchronization

/// What server threads read and count of a cell without a lock.
///
/// A cell has tokens that follow one another: those of one user of one app. They are numbered in
/// the order of issue (generations); 0 is none.
struct TokenCellGauge: ~Copyable {
    /// All generations up to this one are dead. Written under the book's lock.
    let revokedThrough = Atomic<UInt64>(0)
    /// The newest generation that a request has borne.
    let newestReceived = Atomic<UInt64>(0)
    /// The newest generation of which a refusal is proved to have been read.
    let newestRefusalRead = Atomic<UInt64>(0)
    /// Tiles that were handed out, and answers that nothing had changed.
    let delivered = Atomic<UInt64>(0)
    let outdatedSends = Atomic<UInt64>(0)
    let knownDeadSends = Atomic<UInt64>(0)
    /// A generation was refused, and nothing with a newer one was handed out since. Written under
    /// the book's lock.
    let awaitsDelivery = Atomic<Bool>(false)
}

/// A cell's gauge and number. The gauge lives as long as the ``TokenDesk``.
struct TokenCellHandle: @unchecked Sendable, Equatable {
    let gauge: UnsafeMutablePointer<TokenCellGauge>
    let number: Int

    static func make(_ number: Int) -> TokenCellHandle {
        let gauge = UnsafeMutablePointer<TokenCellGauge>.allocate(capacity: 1)
        gauge.initialize(to: TokenCellGauge())
        return TokenCellHandle(gauge: gauge, number: number)
    }

    func free() {
        gauge.deinitialize(count: 1)
        gauge.deallocate()
    }
}
