import TileModel
package import Workload

extension RunParts {
    /// The first tiles that would be asked for, with the numbers of their asks: of viewers as they
    /// would ask if every answer came at once.
    ///
    /// - Parameter body: false ends it.
    package func visitFirst(
        _ count: UInt64, of plan: Plan, _ body: (TileChoice, UInt64) -> Bool
    ) throws(RunPartsError) {
        if let stream {
            // Nobody should see tiles that are not asked for.
            for index in 0..<min(count, indexLimit ?? .max) {
                guard body(stream.choice(at: index), index) else { return }
            }
        } else if let viewers {
            visit(viewers.rules, count, body)
        } else if case .replay(let replay) = plan.workload.kind {
            do throws(LogError) {
                let reader = try ReplayReader(
                    plan: replay, path: replay.file, templates: templates.templates,
                    sources: plan.target.sources)
                var left = min(count, indexLimit ?? .max)
                while left > 0, let entry = try reader.next() {
                    guard body(TileChoice(tile: entry.tile, source: entry.source), entry.index)
                    else { return }
                    left -= 1
                }
            } catch {
                throw RunPartsError(description: error.description)
            }
        }
    }

    private func visit(
        _ rules: ViewerRules, _ count: UInt64, _ body: (TileChoice, UInt64) -> Bool
    ) {
        var session = ViewerSession(rules: rules)
        var (left, nowNS, number): (UInt64, UInt64, UInt64) = (count, 0, 0)
        session.begin(session: number, atNS: nowNS)
        while left > 0 {
            switch session.next(nowNS: nowNS) {
            case .ask(let tile, let source, _):
                let choice = TileChoice(tile: tile, source: source)
                guard body(choice, session.askNumber) else { return }
                session.tileEnded(tile, source: source, isGood: true, nowNS: nowNS)
                left -= 1
            case .wait(let untilNS): nowNS = untilNS
            case .over:
                number += 1
                session.begin(session: number, atNS: nowNS)
            case .cancel, .viewEnded: break
            }
        }
    }
}
