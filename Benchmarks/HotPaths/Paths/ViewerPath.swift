import TileModel
import Workload

/// What a viewer's session wants next, on a server that answers at once.
struct ViewerPath: HotPath {
    /// Holds the session, which cannot be copied.
    final class Viewer {
        var session: ViewerSession
        var number: UInt64 = 0
        var nowNS: UInt64 = 0

        init(_ session: consuming ViewerSession) { self.session = session }
    }

    let operations = 100_000

    func setUp() throws -> Viewer {
        let viewers = ViewerPlan()
        return Viewer(
            ViewerSession(
                rules: try ViewerRules(
                    viewers: viewers, workload: WorkloadPlan(kind: .viewers(viewers)),
                    target: ViewerRules.Target(), seed: 1)))
    }

    func run(_ viewer: inout Viewer) -> UInt64 {
        var sum: UInt64 = 0
        for _ in 0..<operations {
            switch viewer.session.next(nowNS: viewer.nowNS) {
            case .ask(let tile, _, _):
                sum &+= tile.packed
                viewer.session.tileEnded(tile, isGood: true, nowNS: viewer.nowNS)
            case .wait(let untilNS): viewer.nowNS = untilNS
            case .over:
                viewer.number += 1
                viewer.session.begin(session: viewer.number, atNS: viewer.nowNS)
            case .cancel, .viewEnded: sum &+= 1
            }
        }
        return sum
    }
}
