import JSONText
import TileModel

extension PlanBuilder {
    static let group = ["tiles", "tilejson", "style", "wmts", "wms", "arcgis", "origin"]

    mutating func buildTarget(_ target: Section) {
        if scenario.written["target"]?.members != nil { checkGroup() }
        readOptions(target)
        if target.has("origin") { plan.target.origin = origin(target.section("origin")) }
        if let size = target.int("tile_size") {
            plan.target.sources[0].tileSize = size
            let isAsked = scenario.isWritten("target", "wms")
            // Viewers see as many tiles as fit into the viewport.
            if size != 256, !isAsked, scenario.values["workload"]?["kind"]?.string != "viewers" {
                note("target.tile_size changes no request: workload.zooms are those of tiles")
            }
        }
        if scenario.isWritten("target", "max_zoom"), let zoom = target.int("max_zoom") {
            plan.target.sources[0].maxZoom = UInt8(clamping: zoom)
        }
        if let permission = target.bool("permission") { plan.target.hasPermission = permission }
        plan.target.headers = headers(
            target.section("headers"),
            defaults: [
                HeaderPlan(name: "User-Agent", value: "tilebench/\(version)"),
                HeaderPlan(name: "Accept", value: "image/webp,image/png,*/*;q=0.8"),
            ])
        if let origin = plan.target.origin {
            plan.target.sources[0].templates = [
                "\(Plan.originVariable)/{z}/{x}/{y}.\(origin.format.rawValue)"
            ]
        } else if let template = target.text("tiles") {
            plan.target.sources[0].templates = [template]
        } else {
            plan.target.sources[0].templates =
                (target.node["tiles"]?.array ?? []).compactMap(\.string)
        }
    }

    private mutating func checkGroup() {
        let written = PlanBuilder.group.filter { scenario.isWritten("target", $0) }
        if written.isEmpty {
            report(
                ["target"], "needs one of " + PlanBuilder.group.joined(separator: ", "),
                hint: "as \"tiles\": \"https://tiles.example.org/{z}/{x}/{y}.png\"")
        }
        for extra in written.dropFirst() {
            report(
                ["target", extra], "`\(extra)` and `\(written[0])` exclude each other",
                hint: "a target has exactly one of " + PlanBuilder.group.joined(separator: ", "))
        }
    }

    private mutating func readOptions(_ target: Section) {
        if let scheme = target.word("scheme", TemplateOptions.Scheme.self) {
            plan.target.options.scheme = scheme
            plan.target.sources[0].scheme = scheme
        }
        if let ratio = target.double("ratio") { plan.target.options.ratio = ratio }
        if let unknown = target.word("unknown", TemplateOptions.Unknown.self) {
            plan.target.options.unknown = unknown
        }
        if let client = target.word("compat", ClientRules.self) {
            plan.target.options.client = client
        }
        if let letters = target.text("subdomains") {
            plan.target.options.subdomains = letters.map(String.init)
        }
    }

    // MARK: - The embedded origin

    private mutating func origin(_ section: Section) -> OriginPlan {
        var origin = OriginPlan()
        if let format = section.word("tile", OriginPlan.Format.self) { origin.format = format }
        origin.bytes = section.int("bytes")
        origin.cacheControl = section.text("cache_control")
        let latency = section.section("latency")
        if let median = latency.uint("median"), let p99 = latency.uint("p99") {
            if p99 < median { report(latency.path + ["p99"], "is shorter than the median") }
            origin.latency = OriginPlan.Latency(medianNS: median, p99NS: max(median, p99))
        }
        if section.has("token") {
            let token = section.section("token")
            origin.token = OriginPlan.Token()
            origin.token?.ttlNS = token.uint("ttl")
            if let advertises = token.bool("advertise") { origin.token?.advertises = advertises }
            origin.token?.advertisedNS = token.uint("advertise")
            origin.token?.refuseWith = refusal(token)
            origin.token?.lateNS = token.uint("late")
            origin.token?.issueRevokesOlder = token.bool("issue_revokes") ?? false
            origin.token?.rotatesRefreshTokens = token.bool("rotate_refresh") ?? false
        }
        origin.edgeHitRate = section.section("edge_cache").double("hit_rate")
        origin.faults = section.elements("faults").compactMap { fault($0) }
        if origin.faults.reduce(0, { $0 + $1.share }) > 1 + 1e-9 {
            report(section.path + ["faults"], "the shares add up to more than 1")
        }
        if let threads = section.int("threads") { origin.threads = threads }
        return origin
    }

    private func refusal(_ token: Section) -> OriginPlan.Refusal {
        switch token.text("refuse_with") {
        case "bare": .bare
        case "json": .json
        case "html": .html
        case "redirect": .redirect
        default: .status(token.int("refuse_with") ?? 401)
        }
    }

    private mutating func fault(_ section: Section) -> OriginPlan.Fault? {
        var kinds: [OriginPlan.FaultKind] = []
        if let status = section.int("status") { kinds.append(.status(status)) }
        if section.bool("reset") == true { kinds.append(.reset) }
        if section.bool("truncate") == true { kinds.append(.truncate) }
        if section.bool("stall") == true { kinds.append(.stall) }
        guard kinds.count == 1 else {
            // A status with a problem of its own has been told of already.
            if kinds.count > 1 || !scenario.isWritten(at: section.path + ["status"]) {
                report(
                    section.path, "needs exactly one of status, reset, truncate, stall",
                    hint:
                        #"as {"share": "1%", "status": 503} or {"share": "1%", "reset": true}"#
                )
            }
            return nil
        }
        return section.double("share").map { OriginPlan.Fault(share: $0, kind: kinds[0]) }
    }

    // MARK: - Templates

    /// Puts the token into the templates, reads them, and checks what they may hold.
    mutating func finishTemplates() {
        if case .query? = plan.auth?.placement { plan.target.options.knowsToken = true }
        if case .template? = plan.auth?.placement,
            plan.target.templates.contains(where: { placingToken(in: $0).contains("{token.") })
        {
            plan.target.options.knowsToken = true
        }
        for number in plan.target.sources.indices {
            for index in plan.target.sources[number].templates.indices {
                let written = plan.target.sources[number].templates[index]
                hideQueryValues(of: written)
                let text = placingToken(in: written)
                plan.target.sources[number].templates[index] = text
                checkTemplate(text, plan.target.sources[number], pathOfTemplate(index))
            }
        }
        if case .template? = plan.auth?.placement, !templates.contains(where: \.usesToken),
            !plan.target.headers.contains(where: {
                $0.value.contains("{token}") || $0.value.contains("{token.")
            }),
            !plan.target.templates.isEmpty
        {
            report(
                ["auth", "token", "in"], "`{token}` stands in no URL and no header",
                hint: "write it where the token goes, or use {\"in\": \"query\"}")
        }
    }

    /// A URL with the token, or the parts of a credential, in its query when they go there.
    func placingToken(in url: String) -> String {
        var text = url
        if case .query(let name)? = plan.auth?.placement {
            text = QueryToken.placing(name: name, in: text)
        }
        for part in partsInQuery {
            text = QueryToken.placing(name: part, value: "{token.\(part)}", in: text)
        }
        return text
    }

    /// Where a template of the scenario stands.
    func pathOfTemplate(_ index: Int) -> [String] {
        if plan.target.document != nil { return documentPath }
        let isArray = scenario.written["target"]?["tiles"]?.array != nil
        return ["target", "tiles"] + (isArray ? [String(index)] : [])
    }

    /// The templates that can be read.
    var templates: [TileTemplate] {
        plan.target.sources.flatMap { source in
            source.templates.compactMap { try? read($0, source) }
        }
    }

    /// Reads a template, any address standing for that of the embedded origin.
    func read(_ text: String, _ source: TileSource) throws(TemplateError) -> TileTemplate {
        try TileTemplate(
            PlanBuilder.standingFor(text), options: source.templateOptions(plan.target.options))
    }

    /// The target as `read` reads it.
    var readableTarget: TargetPlan {
        var target = plan.target
        for index in target.sources.indices {
            target.sources[index].templates = target.sources[index].templates
                .map(PlanBuilder.standingFor)
        }
        return target
    }

    private static func standingFor(_ text: String) -> String {
        guard text.hasPrefix(Plan.originVariable) else { return text }
        return "http://127.0.0.1" + text.dropFirst(Plan.originVariable.count)
    }

    private mutating func checkTemplate(
        _ text: String, _ source: TileSource, _ path: [String]
    ) {
        let template: TileTemplate
        do throws(TemplateError) {
            template = try read(text, source)
        } catch {
            report(path, error.message, hint: error.hint.map { "did you mean \($0)?" })
            return
        }
        if !text.hasPrefix(Plan.originVariable) { checkURL(text, template.hosts(), path) }
        if !template.hasTilePlaceholders, plan.target.document == nil {
            note("the template has no placeholders: the run measures one cache entry")
        }
        checkTokenPlace(template, path)
    }

    private mutating func checkTokenPlace(_ template: TileTemplate, _ path: [String]) {
        switch plan.auth?.placement {
        case .template: return
        case .query: return
        case .header, .cookie:
            guard template.usesToken else { return }
            report(
                path, "`{token}` stands in the URL, but auth.token.in is not \"template\"",
                hint: "\"token\": {\"in\": \"template\"}")
        case nil:
            guard template.usesToken, !scenario.isWritten("auth") else { return }
            report(
                path, "`{token}` stands in the URL, but there is no `auth`",
                hint: "add auth.renewal.url or auth.static")
        }
    }

    /// Checks an absolute URL; `hosts` are its `scheme://host[:port]`.
    /// `${ORIGIN}` becomes `http://host:port`: anything but a path behind it, as in
    /// `${ORIGIN}@elsewhere`, would make another host of it.
    mutating func checkAfterOrigin(_ text: String, _ path: [String]) {
        let next = text.utf8.dropFirst(Plan.originVariable.utf8.count).first
        if let next, !"/?#".utf8.contains(next) {
            report(path, "only a path may follow ${ORIGIN}", hint: "as ${ORIGIN}/token")
        }
    }

    mutating func checkURL(_ text: String, _ hosts: [String], _ path: [String]) {
        guard !hosts.isEmpty else {
            do throws(URLOrigin.Problem) {
                _ = try URLOrigin.read(text)
            } catch {
                report(
                    path, error.description, hint: "as https://tiles.example.org/{z}/{x}/{y}.png")
                return
            }
            report(
                path, "is no absolute URL",
                hint: "as https://tiles.example.org/{z}/{x}/{y}.png")
            return
        }
        if text.contains(" ") { report(path, "holds a blank", hint: "write it as %20") }
        for host in hosts {
            let address = HostAddress(origin: host)
            guard ["http", "https"].contains(address.scheme) else {
                report(
                    path, "`\(address.scheme)` is no scheme tilebench speaks", hint: "http or https"
                )
                return
            }
        }
    }
}
