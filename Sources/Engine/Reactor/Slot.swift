import Metrics
import TileModel
import Workload

/// A place for one ask: its history from its start to its end. Small, since thousands may wait for
/// a token; what is on the wire is its transport's. Lives in raw memory at an address that never
/// changes. Touched by its reactor's thread only.
struct Slot {
    enum State: UInt8 {
        case free
        /// Wants to be sent; in a queue.
        case queued
        /// With the transport: connecting, or on the wire.
        case carried
        /// Waits for a token.
        case parked
        /// Waits to learn whether its refusal speaks of the token.
        case held
        /// Told to go on, its turn in the paced release is to come.
        case releasing
    }

    /// What an ask does for its client's cache.
    enum CacheUse: UInt8 {
        /// There is none.
        case none
        /// The answer is to be kept.
        case miss
        /// The kept answer is to be validated before it is shown.
        case revalidate
        /// It has been shown and is validated now.
        case refresh
    }

    /// Refusals that an ask may meet (`auth.max_refusals` is at most 10), and the one that ends it.
    /// Only a flawed client meets more.
    static let eventsMax = 11

    var state = State.free
    /// Place in the reactor's pool, and the intrusive links of the list the slot is in; -1: end.
    var index: Int32
    var next: Int32 = -1
    var previous: Int32 = -1
    /// The closed load's user, or the viewer; -1 without.
    var user: Int32 = -1
    /// The other asks of the viewer; -1: end.
    var nextOfViewer: Int32 = -1
    var previousOfViewer: Int32 = -1
    /// `queued`: behind those that wait for their turn to connect.
    var isToConnect = false
    /// What carries it, which its transport alone knows; nil unless `carried`.
    var carrier: UnsafeMutableRawPointer?

    var tile = TileID(z: 0, x: 0, y: 0)
    /// Of the tile: which of the target's.
    var source: UInt16 = 0
    /// Number of the place the tile was drawn for; 0 without places.
    var place: UInt16 = 0
    var streamIndex: UInt64 = 0
    /// From T0; negative in the warm-up.
    var intendedNS: Int64 = 0
    /// Monotonic: when the ask found its slot.
    var startedNS: UInt64 = 0
    var tokenWaitNS: UInt64 = 0
    var connectionWaitNS: UInt64 = 0
    var serviceSumNS: UInt64 = 0
    var serviceLastNS: UInt64 = 0
    /// Requests so far, those on closed connections not counted.
    var attempts: UInt32 = 0
    /// What the next request will be.
    var nextKind = RequestKind.first
    /// It was sent once more after a kept-alive connection had been closed.
    var hasRetried = false
    var redirects: UInt8 = 0
    /// Where a redirect leads; nil: the tile's own URL.
    var redirectURL: String?
    var queuedNS: UInt64 = 0
    /// When it began to wait for a token, and when it did so for the first time; 0: never.
    var parkedNS: UInt64 = 0
    var firstParkedNS: UInt64 = 0

    var refusals: UInt32 = 0
    /// Expiry events the ask was refused in, the newest ones when there were more; -1: none.
    var events = InlineArray<11, Int32>(repeating: -1)
    /// The newest expiry it waited in without having been refused; -1: none.
    var waitEvent: Int32 = -1
    /// The generation it was last refused with; 0: never.
    var refusedGeneration: UInt64 = 0
    /// When its last refusal was read, and until when it is held if that is not decided on; the
    /// latter without the time that its reactor was kept from its work.
    var refusedNS: UInt64 = 0
    var holdEndNS: UInt64 = 0
    var flight: UInt64 = 0
    /// It tries a new token; others wait for its answer.
    var isCanary = false
    /// Its refusal was counted as coalesced, so that waiting is not counted again.
    var hasJoined = false
    /// Of the token it carries.
    var generation: UInt64 = 0
    var tokenSerial: UInt64 = 0

    /// What its client's cache had of the tile, under which key, and of how many bytes.
    var cacheUse = CacheUse.none
    var cacheKey: UInt64 = 0
    var keptBytes: UInt64 = 0
    /// Its last request asked whether the kept answer is still good.
    var isConditional = false

    /// Of the last answer; 0: none came.
    var lastStatus: UInt16 = 0
    var lastOutcome: Outcome?
    /// Of the last answer, as received.
    var bodyBytes: UInt64 = 0

    init(index: Int32) { self.index = index }

    /// A new ask in this place.
    mutating func begin(
        choice: TileChoice, streamIndex: UInt64, intendedNS: Int64, user: Int32, nowNS: UInt64
    ) {
        let index = index
        self = Slot(index: index)
        tile = choice.tile
        source = choice.source
        place = choice.place
        self.streamIndex = streamIndex
        self.intendedNS = intendedNS
        self.user = user
        startedNS = nowNS
    }

    /// A refusal was met in that event, -1: in none. Gives the event that finds no place any more.
    mutating func note(event: Int32) -> Int32 {
        let place = Int(refusals) % Self.eventsMax
        let forgotten = events[place]
        events[place] = event
        refusals &+= 1
        return forgotten
    }
}

typealias SlotPointer = UnsafeMutablePointer<Slot>
