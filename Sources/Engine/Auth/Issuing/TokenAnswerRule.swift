package import Workload

/// How the answer of a token endpoint is read.
package struct TokenAnswerRule: Sendable {
    package var kind = RenewalPlan.Kind.url
    /// Names, and indices of arrays; nil: the first text under one of the usual names.
    package var tokenPath: [String]?
    /// As `tokenPath`; nil: the first of the usual names that can be read. The path `jwt` reads the
    /// token itself.
    package var expiresPath: [String]?
    /// Where the parts of a credential of several are; a name that is not among them is a name at
    /// the top of the answer.
    package var parts: [RenewalPlan.Part] = []
    /// The parts wanted, in the order of `Credential.parts`.
    package var partNames: [String] = []
    /// What the endpoint may take for an answer (`auth.renewal.timeout`).
    package var timeoutNS: UInt64 = 0
    /// What the tile URL of a document is laid beside.
    package var template = ""

    package init() {}

    package init(_ renewal: RenewalPlan, of plan: Plan) {
        kind = renewal.kind
        tokenPath = renewal.tokenPath
        expiresPath = renewal.expiresPath
        parts = renewal.parts
        partNames = plan.auth?.partNames ?? []
        timeoutNS = renewal.timeoutNS
        template = plan.target.templates.first ?? ""
    }

    /// Each part wanted with its path.
    var wanted: [RenewalPlan.Part] {
        partNames.map { name in
            parts.first { $0.name == name } ?? RenewalPlan.Part(name: name, path: [name])
        }
    }

    /// Each renewal spends the token that it is asked for with, and brings the next.
    package var rotates: Bool { kind == .refreshToken }
}
