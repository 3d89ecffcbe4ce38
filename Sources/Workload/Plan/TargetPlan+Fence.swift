import TileModel

extension TargetPlan {
    /// Whether a URL that was not in the scenario, such as a redirect's, may get a request.
    package func allows(url: String) -> Bool {
        guard let origin = TileModel.origin(of: url) else { return false }
        return HostAddress(origin: origin).isIn(hosts)
    }
}
