import Workload

/// What is kept of each cell from one renewal to the next. A cell whose back end sets no cookies
/// and gives no refresh tokens takes no memory. The desk's thread only.
struct RenewalMemory {
    private struct Cell {
        var refreshToken: String?
        var cookies: [String] = []

        var isEmpty: Bool { refreshToken == nil && cookies.isEmpty }
    }

    private var cells: [Int: Cell] = [:]
    /// Of every cell that was given none since.
    private let firstRefreshToken: String?

    init(firstRefreshToken: String?) {
        self.firstRefreshToken = firstRefreshToken
    }

    func state(of cell: Int) -> RenewalState {
        RenewalState(user: cell, refreshToken: cells[cell]?.refreshToken ?? firstRefreshToken)
    }

    /// Lines of libcurl's cookie list: the cookies of the back end, which only renewals bear.
    func cookies(of cell: Int) -> [String] { cells[cell]?.cookies ?? [] }

    /// False: it is the one that was known.
    @discardableResult
    mutating func keep(refreshToken: String, of cell: Int) -> Bool {
        guard state(of: cell).refreshToken != refreshToken else { return false }
        cells[cell, default: Cell()].refreshToken = refreshToken
        return true
    }

    mutating func keep(cookies: [String], of cell: Int) {
        if cookies.isEmpty, cells[cell] == nil { return }
        cells[cell, default: Cell()].cookies = cookies
        if cells[cell]?.isEmpty == true { cells[cell] = nil }
    }

    /// The texts with nothing in them that was learnt of the cell.
    func masking(_ text: String, of cell: Int, by secrets: Secrets) -> String {
        var secrets = secrets
        if let refreshToken = cells[cell]?.refreshToken { secrets.add(refreshToken) }
        return secrets.masking(text)
    }
}
