/// What a cell gives to requests: the token, and the parts of a credential that has several.
package struct Credential: Sendable, Hashable {
    /// What `{token}` stands for.
    package var text: String
    /// What each `{token.NAME}` stands for, in the order of `AuthPlan.partNames`.
    package var parts: [String]

    package init(_ text: String, parts: [String] = []) {
        self.text = text
        self.parts = parts
    }
}
