import Synchronization

/// What one reactor keeps of a token cell: the token as requests carry it, and the asks that wait
/// for the cell's news. Small, since there may be one for each of thousands of users; what has a
/// size of its own is made when the cell is first used. Lives in raw memory at an address that
/// never changes. Reactor thread only.
struct CellView: ~Copyable {
    // Outlives the view: the run's context holds the cells.
    unowned(unsafe) let store: TokenStore
    /// As this reactor numbers its cells.
    let number: Int32

    var view = TokenStore.View()
    var text = CredentialText()
    /// Nil: the lines have no token in them.
    var lines: HeaderSet.Lines?

    /// Of the newest answer that was no refusal: the token it was sent with, and when. With many
    /// reactors the others' are learnt while asks are held.
    var acceptedGeneration: UInt64 = 0
    var acceptedSerial: UInt64 = 0
    var acceptedSentNS: UInt64 = 0

    /// Asks that wait for the end of a flight or a canary, in the order of those.
    var parked = SlotList()
    /// Told to go on; their turn in the release is to come.
    var releasing = SlotList()
    /// None of those two lists has waited for too long before.
    var patienceEndNS = UInt64.max
    /// Refused although the token may work.
    var held = SlotList()
    var release: ReleaseState
    /// It is in the reactor's list of cells that wait, or that release.
    var isWaiting = false
    var isReleasing = false

    init(store: TokenStore, number: Int32, release: ReleaseState) {
        self.store = store
        self.number = number
        self.release = release
    }

    /// A request that was sent at that time was accepted with the text of that serial.
    mutating func noteProof(serial: UInt64, sentNS: UInt64) {
        if serial > acceptedSerial {
            acceptedSerial = serial
            acceptedSentNS = sentNS
        } else if serial == acceptedSerial {
            acceptedSentNS = max(acceptedSentNS, sentNS)
        }
    }

    /// The token that this ask was refused with works: a request that was sent after its refusal
    /// had been read was accepted with it. By its serial, since a generation may be spoilt.
    func hasProof(against slot: SlotPointer) -> Bool {
        acceptedSerial == slot.pointee.tokenSerial
            && acceptedSentNS > slot.pointee.refusedNS
    }
}

typealias CellPointer = UnsafeMutablePointer<CellView>

/// The views of one reactor: of the run's one cell, or of the cells of the users that live on it.
struct CellViews: ~Copyable {
    private let views: CellPointer
    let count: Int
    /// 0 when all asks use the first.
    private let stride: Int

    /// Of the cells with the numbers first, first + step, ... Nil: no tokens.
    init(_ cells: TokenCells?, reactor: Int, reactors: Int, release: ReleaseState) {
        let isPerUser = cells?.isPerUser ?? false
        let step = isPerUser ? reactors : 1
        let first = isPerUser ? reactor : 0
        let stores = cells?.stores ?? []
        count = stores.count > first ? (stores.count - first - 1) / step + 1 : 0
        stride = isPerUser ? 1 : 0
        views = .allocate(capacity: max(1, count))
        for number in 0..<count {
            (views + number).initialize(
                to: CellView(
                    store: stores[first + number * step], number: Int32(number),
                    release: release))
        }
    }

    deinit {
        views.deinitialize(count: count)
        views.deallocate()
    }

    subscript(number: Int32) -> CellPointer { views + Int(number) }

    /// The cell that gives the ask its token.
    @inline(__always)
    func of(_ slot: SlotPointer) -> CellPointer { of(user: slot.pointee.user) }

    /// The cell that gives that user's asks their token; -1: an open load, which has one cell.
    @inline(__always)
    func of(user: Int32) -> CellPointer { views + Int(user) * stride }
}
