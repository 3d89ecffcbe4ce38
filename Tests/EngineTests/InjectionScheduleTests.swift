import Testing
import Workload

@testable import Engine

@Suite struct InjectionScheduleTests {
    private static let secondNS: UInt64 = 1_000_000_000
    private static let t0NS = 10 * secondNS

    private func plan(
        _ at: UInt64, _ kind: InjectionPlan.Kind, every: UInt64? = nil, lasts: UInt64? = nil
    ) -> InjectionPlan {
        var plan = InjectionPlan(atNS: at * Self.secondNS, kind: kind)
        plan.everyNS = every.map { $0 * Self.secondNS }
        plan.durationNS = lasts.map { $0 * Self.secondNS }
        return plan
    }

    /// Steps as text, asked for at each second of 0...limit after T0.
    private func steps(_ plans: [InjectionPlan], endS: UInt64, limit: UInt64) -> [String] {
        var schedule = InjectionSchedule(plans)
        let endNS = Self.t0NS + endS * Self.secondNS
        var said: [String] = []
        for second in 0...limit {
            let now = Self.t0NS + second * Self.secondNS
            for step in schedule.due(now, t0NS: Self.t0NS, endNS: endNS) {
                switch step {
                case .begin(let plan, let number):
                    said.append("\(second): begin \(plan.kind.text) \(number)")
                case .end(let plan, let number):
                    said.append("\(second): end \(plan.kind.text) \(number)")
                }
            }
        }
        return said
    }

    @Test func eachInItsTime() {
        let said = steps(
            [
                plan(3, .origin, every: 4), plan(1, .poison(.empty)),
                plan(2, .renewal(.hang), every: 5, lasts: 2), plan(6, .tiles(.lateRefusals)),
            ], endS: 9, limit: 20)
        #expect(
            said == [
                "1: begin poison 0", "2: begin renewal:hang 1", "3: begin origin 2",
                "4: end renewal:hang 1", "6: begin tiles:late-refusals 3", "7: begin origin 4",
                "7: begin renewal:hang 5", "9: end renewal:hang 5",
            ])
    }

    @Test func nothingBeginsAfterTheEndAndWhatHasBegunEnds() {
        let said = steps(
            [plan(5, .origin), plan(4, .renewal(.slow), lasts: 3)], endS: 5, limit: 9)
        #expect(said == ["4: begin renewal:slow 0", "7: end renewal:slow 0"])
    }

    @Test func aFaultMayFollowAnother() {
        let said = steps(
            [plan(1, .renewal(.hang), lasts: 1), plan(2, .renewal(.slow), lasts: 1)], endS: 9,
            limit: 9)
        #expect(
            said == [
                "1: begin renewal:hang 0", "2: end renewal:hang 0", "2: begin renewal:slow 1",
                "3: end renewal:slow 1",
            ])
    }

    @Test func howLongToWait() {
        var schedule = InjectionSchedule([
            plan(2, .renewal(.hang), lasts: 2), plan(8, .origin),
        ])
        func wait(_ second: UInt64) -> UInt64? {
            let now = Self.t0NS + second * Self.secondNS
            let end = Self.t0NS + 7 * Self.secondNS
            let wait = schedule.waitNS(now, t0NS: Self.t0NS, endNS: end)
            return wait == .max ? nil : wait / Self.secondNS
        }
        #expect(wait(0) == 2 && wait(2) == 0)
        _ = schedule.due(
            Self.t0NS + 2 * Self.secondNS, t0NS: Self.t0NS, endNS: Self.t0NS + 7 * Self.secondNS)
        // The origin's comes after the end of the run.
        #expect(wait(2) == 2 && wait(9) == 0)
        _ = schedule.due(
            Self.t0NS + 9 * Self.secondNS, t0NS: Self.t0NS, endNS: Self.t0NS + 7 * Self.secondNS)
        #expect(wait(9) == nil)
    }
}
