/// How many users of a closed load are at work, and when that changes.
///
/// Along a ramp the number is that of the line, rounded to the nearest, so that the users' time
/// together is the area under the line. After the last stage its last number holds; before T0 it
/// is that of the start, or the first that is not 0.
package struct UserSchedule: Sendable {
    /// The most users there are at any time.
    package let usersMax: Int

    private let stages: [LoadPlan.Stage]
    private let usersBefore: Int
    private let usersAfter: Int

    /// Nil for an open load.
    package init?(load: LoadPlan) {
        switch load.shape {
        case .rate, .rateStages, .logged:
            return nil
        case .users(let users):
            stages = []
            (usersBefore, usersAfter, usersMax) = (users, users, users)
        case .userStages(let stages):
            self.stages = stages.filter { $0.durationNS > 0 }
            usersBefore = UserSchedule.rounded(stages.startingValue)
            usersAfter = UserSchedule.rounded(stages.last?.to ?? 0)
            usersMax = max(
                usersBefore, stages.map { UserSchedule.rounded(max($0.from, $0.to)) }.max() ?? 0)
        }
    }

    /// The users at work at a time, in ns from T0.
    package func activeUsers(atNS timeNS: Int64) -> Int {
        guard timeNS >= 0 else { return usersBefore }
        var offset = UInt64(timeNS)
        for stage in stages {
            if offset < stage.durationNS { return UserSchedule.users(in: stage, at: offset) }
            offset -= stage.durationNS
        }
        return usersAfter
    }

    /// The first time after another at which the number is a different one; nil if there is none.
    package func nextChange(afterNS timeNS: Int64) -> Int64? {
        let users = activeUsers(atNS: timeNS)
        if timeNS < 0, activeUsers(atNS: 0) != users { return 0 }
        var startNS: Int64 = 0
        for stage in stages {
            let endNS = startNS + min(Int64(clamping: stage.durationNS), .max - startNS)
            // Within a stage the number only rises or only falls.
            if timeNS < endNS - 1, activeUsers(atNS: endNS - 1) != users {
                return firstChange(from: users, in: max(timeNS, startNS - 1), endNS - 1)
            }
            if timeNS < endNS, activeUsers(atNS: endNS) != users { return endNS }
            startNS = endNS
        }
        return nil
    }

    /// Halves the time between one at which the number still is the old one and one at which it
    /// is not.
    private func firstChange(from users: Int, in before: Int64, _ after: Int64) -> Int64 {
        var (before, after) = (before, after)
        while after - before > 1 {
            let middle = before + (after - before) / 2
            if activeUsers(atNS: middle) == users { before = middle } else { after = middle }
        }
        return after
    }

    private static func users(in stage: LoadPlan.Stage, at offsetNS: UInt64) -> Int {
        let share = Double(offsetNS) / Double(stage.durationNS)
        return rounded(stage.from + (stage.to - stage.from) * share)
    }

    private static func rounded(_ users: Double) -> Int {
        Int(max((users + 0.5).rounded(.down), 0))
    }
}
