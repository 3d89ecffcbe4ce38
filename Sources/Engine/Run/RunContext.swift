import Metrics
import Synchronization
package import TileModel
package import Workload

/// What all reactors of a run share and nobody changes, and the few shared objects they talk to.
final class RunContext: Sendable {
    let plan: Plan
    let stream: RequestStream
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
        plan: Plan, parts: RunParts, tokens: TokenCells?, reactors: Int, inFlightMax: Int,
        spread: AddressSpread, speaksHTTP2: Bool, runText: [UInt8], startNS: UInt64
    ) {
        self.plan = plan
        stream = parts.stream
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
            plan, origins: origins, cachesByRules: cachePolicy != nil, speaksHTTP2: speaksHTTP2)
        believedHeader = plan.cache.serverHeader.map { BelievedHeader($0) }
        self.reactors = reactors
        self.spread = spread
        inFlightPerReactor = max(1, inFlightMax / reactors)
        // The one cell bounds the asks that wait for it, a closed load those of all its cells.
        let waitingMax =
            tokens?.isPerUser == true ? parts.users?.usersMax : plan.auth?.parkedMax
        slotsPerReactor = inFlightPerReactor + (tokens == nil ? 0 : waitingMax ?? 0)
        self.startNS = startNS
        t0NS = startNS + plan.load.warmupNS
        self.runText = runText
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
    package var stream: RequestStream
    package var pacer: Pacer?
    package var warmupPacer: Pacer?
    package var users: UserSchedule?
    package var templates: TileTemplateSet
    package var indexLimit: UInt64?
    /// What a token may take in a URL.
    package var tokenBytesMax: Int

    /// Throws what the plan's own checks cannot see: bounds without tiles, for one.
    package init(plan: Plan) throws(RunPartsError) {
        do throws(SelectionError) {
            stream = try RequestStream(
                workload: plan.workload, sources: plan.target.sources, seed: plan.seed)
        } catch {
            throw RunPartsError(description: error.description)
        }
        do throws(TemplateSetError) {
            templates = try plan.target.templateSet()
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
        users = UserSchedule(load: plan.load)
        indexLimit = plan.load.count
        if indexLimit == nil, plan.load.durationNS == nil { indexLimit = stream.passCount }
    }
}

/// Why a plan cannot be run.
package struct RunPartsError: Error, CustomStringConvertible {
    package let description: String
}
