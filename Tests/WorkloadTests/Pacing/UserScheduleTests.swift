import Testing

@testable import Workload

struct UserScheduleTests {
    private func schedule(_ shape: LoadPlan.Shape) throws -> UserSchedule {
        try #require(UserSchedule(load: LoadPlan(shape: shape)))
    }

    @Test func openLoadsHaveNone() {
        #expect(
            UserSchedule(load: LoadPlan(shape: .rate(perSecond: 1, arrivals: .constant))) == nil)
        #expect(UserSchedule(load: LoadPlan(shape: .rateStages([], arrivals: .poisson))) == nil)
    }

    @Test func aNumberStays() throws {
        let users = try schedule(.users(7))
        #expect(users.usersMax == 7)
        for time in [-5, 0, 1, Int64.max] { #expect(users.activeUsers(atNS: time) == 7) }
        #expect(users.nextChange(afterNS: -1) == nil)
        #expect(users.nextChange(afterNS: 0) == nil)
    }

    @Test func rampsAreRoundedToTheNearest() throws {
        let users = try schedule(.userStages([stage(10, 0, 10), stage(5, 10, 10), stage(5, 4, 2)]))
        #expect(users.usersMax == 10)
        for (timeS, count) in [
            (-1.0, 10), (0, 0), (0.4, 0), (0.5, 1), (1.49, 1), (1.5, 2), (9.5, 10), (12, 10),
            (14.999, 10), (15, 4), (16.2, 4), (16.3, 3), (18.7, 3), (18.8, 2), (25, 2),
        ] {
            #expect(users.activeUsers(atNS: Int64(timeS * 1e9)) == count, "\(timeS) s")
        }
    }

    @Test(arguments: [
        [stage(10, 0, 10), stage(5, 10, 10), stage(5, 4, 2)], [stage(1, 5, 1), stage(1, 1, 5)],
        [stage(2, 3, 3), stage(0, 3, 9), stage(1, 9, 9)], [stage(3, 0, 1000)], [stage(3, 4, 0)],
        [],
    ])
    func changesAreWhereTheNumberChanges(stages: [LoadPlan.Stage]) throws {
        let users = try schedule(.userStages(stages))
        let endNS = Int64(stages.reduce(0) { $0 + $1.durationNS })
        var time: Int64 = -1_000_000_000
        var changes = 0
        while let next = users.nextChange(afterNS: time) {
            let before = users.activeUsers(atNS: time)
            try #require(next > time && next <= endNS)
            #expect(users.activeUsers(atNS: next - 1) == before)
            #expect(users.activeUsers(atNS: next) != before)
            #expect(users.activeUsers(atNS: next) <= users.usersMax)
            // Nothing between is different.
            for part in 1...8 {
                let between = time + (next - 1 - time) / 8 * Int64(part)
                #expect(users.activeUsers(atNS: between) == before)
            }
            time = next
            changes += 1
        }
        #expect(users.activeUsers(atNS: time) == users.activeUsers(atNS: endNS + 1))
        #expect(changes == users.changesByLooking(endNS: endNS))
    }
}

extension UserSchedule {
    /// Counts changes in steps of 0.1 ms, which is less than any ramp of the test takes per user.
    fileprivate func changesByLooking(endNS: Int64) -> Int {
        var users = activeUsers(atNS: -1)
        var changes = 0
        var time: Int64 = 0
        while time <= endNS {
            if activeUsers(atNS: time) != users { changes += 1 }
            users = activeUsers(atNS: time)
            time += 100_000
        }
        return changes
    }
}
