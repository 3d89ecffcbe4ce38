import Metrics
import Synchronization
package import TileModel
package import Workload

/// What all reactors of a run share and nobody changes, and the few shared objects they talk to.
final class RunContext: Sendable {
    let plan: Plan
    private let stream: RequestStream?
    let viewers: RunParts.Viewers?
    /// Asks of a viewer under way to one host at most.
    let viewerAsksPerHostMax: Int
    let replay: ReplayQueue?
    /// Nil in a closed load.
    let pacer: Pacer?
    let warmupPacer: Pacer?
    /// Nil in an open load.
    let users: UserSchedule?
    let templates: TileTemplateSet
    let control = RunControl()
    let tokens: TokenCells?
    let refusalRule: RefusalRule?
    let tileCheck: TileCheck
    let goodStatuses: StatusSet
    /// `scheme://host` of the templates.
    let hostCount: Int
    /// Nil where client caches go by no rules, or there are none.
    let cachePolicy: CachePolicy?
    let spread: AddressSpread
    let transport: TransportChoice
    let believedHeader: BelievedHeader?
    /// Value of `{run}`.
    let runText: [UInt8]
    /// Asks of one pass or of `count`: indices from here on do not exist; nil: endless.
    let indexLimit: UInt64?
    let reactors: Int
    /// Monotonic ns of the start of the warm-up, and of T0.
    let startNS: UInt64
    let t0NS: UInt64
    /// Of each reactor: asks with the transport, and asks with it or waiting for a token.
    let inFlightPerReactor: Int
    let slotsPerReactor: Int
    private let warmupTaken = Atomic<UInt64>(0)
    private let measuredTaken = Atomic<UInt64>(0)

    init(
        plan: Plan, parts: RunParts, tokens: TokenCells?, replay: ReplayQueue?, reactors: Int,
        inFlightMax: Int, spread: AddressSpread, speaksHTTP2: Bool, runText: [UInt8],
        startNS: UInt64
    ) {
        self.plan = plan
        stream = parts.stream
        viewers = parts.viewers
        self.replay = replay
        pacer = parts.pacer
        warmupPacer = parts.warmupPacer
        users = parts.users
        templates = parts.templates
        indexLimit = parts.indexLimit
        self.tokens = tokens
        refusalRule = plan.auth.map { RefusalRule($0.rejection) }
        tileCheck = TileCheck(plan.checks)
        goodStatuses = StatusSet(
            plan.checks.statuses + (plan.checks.acceptsNotFound ? [404] : []))
        let origins = parts.templates.hosts()
        hostCount = max(1, origins.count)
        cachePolicy = plan.cache.client.flatMap { client in
            guard client.rules != .none else { return nil }
            let headers = CredentialHeaders(plan: plan, asksPacked: true)
            return CachePolicy(
                client.rules, changingHeaders: headers.bearing(Credential("")).map(\.name))
        }
        transport = TransportChoice(
            plan, origins: origins, viewers: parts.viewers, cachesByRules: cachePolicy != nil,
            speaksHTTP2: speaksHTTP2)
        viewerAsksPerHostMax = parts.viewers?.perHostMax(plan, transport) ?? .max
        believedHeader = plan.cache.serverHeader.map { BelievedHeader($0) }
        self.reactors = reactors
        self.spread = spread
        inFlightPerReactor = max(1, inFlightMax / reactors)
        // The one cell bounds the asks that wait for it, a closed load those of all its cells.
        let waitingMax =
            tokens?.isPerUser == true
            ? parts.users.map { $0.usersMax * (parts.viewers == nil ? 1 : RunContext.asksOfViewer) }
            : plan.auth?.parkedMax
        slotsPerReactor = inFlightPerReactor + (tokens == nil ? 0 : waitingMax ?? 0)
        self.startNS = startNS
        t0NS = startNS + plan.load.warmupNS
        self.runText = runText
    }

    /// Asks of a viewer that may wait for its token; more have to wait for one of them to end.
    private static let asksOfViewer = 16

    /// The tile of an ask that no viewer and no log makes.
    @inline(__always)
    func choice(at index: UInt64) -> TileChoice {
        guard let stream else { preconditionFailure("viewers and logs choose their own tiles") }
        return stream.choice(at: index)
    }

    /// The number of the next ask of a closed load; nil: all have been taken. One counter for all
    /// reactors, so that a list is gone through in its order however fast each of them is.
    func takeIndex(isWarmup: Bool) -> UInt64? {
        if isWarmup {
            return RequestStream.warmupFirst
                | warmupTaken.wrappingAdd(1, ordering: .relaxed).oldValue
        }
        let index = measuredTaken.wrappingAdd(1, ordering: .relaxed).oldValue
        return index < indexLimit ?? .max ? index : nil
    }

    /// What `{random}` stands for in the URL of that ask.
    func random(index: UInt64) -> UInt64 { SeededRandom.mix(plan.seed ^ index) }

    /// Some check or rule reads the bodies of good answers.
    var looksAtBodies: Bool { tileCheck.needsBody || refusalRule?.needsBody ?? false }

    /// They lose what `Content-Encoding` names.
    var unpacksBodies: Bool { looksAtBodies && plan.connection.compression }

    /// Monotonic time as time from T0.
    @inline(__always)
    func fromT0(_ nowNS: UInt64) -> Int64 { Int64(bitPattern: nowNS &- t0NS) }
}

/// The parts of a run made from its plan, before anything is sent.
package struct RunParts: Sendable {
    /// Nil: viewers or a log choose.
    package var stream: RequestStream?
    package var viewers: Viewers?
    package var pacer: Pacer?
    package var warmupPacer: Pacer?
    package var users: UserSchedule?
    package var templates: TileTemplateSet
    package var indexLimit: UInt64?
    /// What a token may take in a URL.
    package var tokenBytesMax: Int

    /// Throws what the plan's own checks cannot see: bounds without tiles, for one.
    package init(plan: Plan) throws(RunPartsError) {
        do throws(TemplateSetError) {
            templates = try plan.target.templateSet()
        } catch {
            throw RunPartsError(description: error.description)
        }
        users = UserSchedule(load: plan.load)
        do throws(SelectionError) {
            switch plan.workload.kind {
            case .list, .pyramid, .popular:
                stream = try RequestStream(
                    workload: plan.workload, sources: plan.target.sources, seed: plan.seed)
            case .viewers(let viewers):
                self.viewers = try Viewers(viewers, plan, templates: templates)
            case .replay: break
            }
        } catch {
            throw RunPartsError(description: error.description)
        }
        let room = Transport.urlMax - 1 - RunMemory.runTextMax
        tokenBytesMax = room - templates.lengthMax(tokenBytes: 0)
        guard tokenBytesMax >= (plan.auth?.staticToken?.utf8.count ?? 0) * 3 else {
            throw RunPartsError(
                description: "the URLs of these templates are longer than \(room) bytes")
        }
        pacer = Pacer(load: plan.load, seed: plan.seed)
        warmupPacer = plan.load.warmupNS > 0 ? plan.load.warmupPacer(seed: plan.seed) : nil
        indexLimit = plan.load.count
        if indexLimit == nil, plan.load.durationNS == nil { indexLimit = stream?.passCount }
    }
}

/// Why a plan cannot be run.
package struct RunPartsError: Error, CustomStringConvertible {
    package let description: String
}
