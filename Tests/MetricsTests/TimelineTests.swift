import Testing

@testable import Metrics

@Suite struct TimelineTests {
    private func ask(_ recorder: Recorder, at seconds: Int64, responseNS: UInt64 = 1_000_000) {
        recorder.askStarted(zoom: 1, intendedNS: seconds * second, startedNS: seconds * second)
        recorder.askEnded(.sample(at: seconds * second, responseNS: responseNS))
    }

    @Test func everySecondOfTheMeasuredTimeHasARow() {
        let recorder = Recorder()
        ask(recorder, at: 2)
        let rows = merged([recorder], measuredNS: UInt64(5 * second) / 2 + UInt64(2 * second))
            .timeline
        #expect(rows.map(\.startNS) == [0, 1, 2, 3, 4].map { $0 * UInt64(second) })
        #expect(rows.map(\.started) == [0, 0, 1, 0, 0])
        #expect(Set(rows.map(\.intervalNS)) == [UInt64(second)])
        #expect(merged([], measuredNS: 0).timeline.isEmpty)
    }

    @Test func whatHappensAfterTheMeasuredTimeMakesNoRow() {
        let recorder = Recorder()
        ask(recorder, at: 0)
        recorder.refusal(atNS: 3 * second, serviceNS: 40)
        recorder.gauge(inFlight: 1, parked: 0, atNS: 4 * second)
        #expect(merged([recorder], measuredNS: UInt64(second)).timeline.count == 1)
        // An ask is never lost, whatever the measured time is said to be.
        ask(recorder, at: 2)
        #expect(
            merged([recorder], measuredNS: UInt64(second)).timeline.map(\.started) == [1, 0, 1])
    }

    @Test func lateAnswersGoToTheRowOfTheirIntendedStart() {
        let recorder = Recorder()
        for at in Int64(0)..<60 {
            recorder.askStarted(zoom: 1, intendedNS: at * second, startedNS: at * second)
        }
        for at in (Int64(0)..<60).shuffled() {
            recorder.askEnded(.sample(at: at * second, responseNS: UInt64(at + 1) * 1000))
        }
        let rows = merged([recorder], measuredNS: UInt64(60 * second)).timeline
        for (index, row) in rows.enumerated() {
            #expect(row.started == 1)
            #expect(row.ok == 1)
            #expect(row.response.maxNS == UInt64(index + 1) * 1000)
        }
    }

    @Test func denialsAreFailuresByTheirStatus() {
        let recorder = Recorder()
        let statuses: [UInt16] = [400, 401, 403, 410, 451, 404, 408, 420, 429, 500, 302]
        for status in statuses {
            recorder.askEnded(.sample(at: 0, .failed, detail: status, status: status))
        }
        // Good by the checks, or failed for another reason.
        recorder.askEnded(.sample(at: 0, .ok, status: 403))
        recorder.askEnded(.sample(at: 0, .failed, cause: .timeout, status: 403))
        recorder.askEnded(.sample(at: second, .failed, detail: 403, status: 403))
        let rows = merged([recorder], measuredNS: UInt64(2 * second)).timeline
        #expect(rows.map(\.denied) == [5, 1])
        #expect(rows.map(\.failed) == [12, 1])
    }

    @Test func gaugesStandUntilTheNext() {
        let recorders = [Recorder(), Recorder()]
        recorders[0].gauge(inFlight: 5, parked: 1, atNS: 0)
        recorders[0].gauge(inFlight: 7, parked: 2, atNS: second - 1)
        recorders[0].gauge(inFlight: 0, parked: 0, atNS: 3 * second)
        recorders[1].gauge(inFlight: 10, parked: 0, atNS: 2 * second)
        let rows = merged(recorders, measuredNS: UInt64(5 * second)).timeline
        #expect(rows.map(\.inFlight) == [7, 7, 17, 10, 10])
        #expect(rows.map(\.parked) == [2, 2, 2, 0, 0])
    }

    @Test func anHourHasRowsOfASecondAndTwoHoursOfTwo() {
        let recorder = Recorder()
        for at in Int64(0)..<3600 { ask(recorder, at: at) }
        recorder.gauge(inFlight: 0, parked: 0, atNS: 3604 * second)
        let hour = merged([recorder], measuredNS: UInt64(3600 * second)).timeline
        #expect(hour.count == 3600)
        #expect(hour.allSatisfy { $0.intervalNS == UInt64(second) && $0.ok == 1 })
        for at in Int64(3600)..<7200 { ask(recorder, at: at, responseNS: 5000) }
        let hours = merged([recorder], measuredNS: UInt64(7200 * second)).timeline
        #expect(hours.count == 3600)
        #expect(hours.allSatisfy { $0.intervalNS == UInt64(2 * second) && $0.ok == 2 })
        #expect(hours.map(\.startNS) == (0..<3600).map { UInt64($0) * UInt64(2 * second) })
    }

    @Test func reactorsMeetOnTheCoarsestGrid() {
        let early = Recorder()
        for at in Int64(0)..<10 { ask(early, at: at) }
        let late = Recorder()
        for at in Int64(9990)..<10_000 { ask(late, at: at) }
        let rows = merged([early, late], measuredNS: UInt64(10_000 * second)).timeline
        #expect(rows.count == 2500)
        #expect(rows.allSatisfy { $0.intervalNS == UInt64(4 * second) })
        #expect(rows.prefix(3).map(\.ok) == [4, 4, 2])
        #expect(rows.suffix(3).map(\.ok) == [2, 4, 4])
        #expect(rows.map(\.ok).reduce(0, +) == 20)
    }

    @Test func aDayTakesNoMoreMemoryThanAnHour() {
        let recorder = Recorder()
        var random = SeededGenerator(seed: 5)
        var most = 0
        for at in Int64(0)..<86_400 {
            ask(recorder, at: at, responseNS: random.duration())
            // An answer that is minutes late.
            if at % 100 == 0, at > 300 { ask(recorder, at: at - 300) }
            recorder.gauge(inFlight: 1, parked: 0, atNS: at * second)
            if at % 3600 == 3599 { most = max(most, recorder.result.timeline.rows.count) }
        }
        #expect(most <= TimelinePart.recordedRowsMax)
        let rows = merged([recorder], measuredNS: UInt64(86_400 * second)).timeline
        #expect(rows.count == 2700)
        #expect(rows.map(\.ok).reduce(0, +) == recorder.snapshot.ok)
        #expect(rows.allSatisfy { $0.intervalNS == UInt64(32 * second) })
        #expect(rows.map(\.response.cellCount).max() ?? 0 <= 40)
    }

    @Test func recentResponsesAreThoseOfTheLastFullRow() {
        let recorder = Recorder()
        #expect(recorder.recentResponse(atNS: 0).isEmpty)
        ask(recorder, at: 0, responseNS: 111)
        #expect(recorder.recentResponse(atNS: second / 2).isEmpty)
        #expect(recorder.recentResponse(atNS: second).maxNS == 111)
        ask(recorder, at: 1, responseNS: 222)
        #expect(recorder.recentResponse(atNS: 2 * second - 1).maxNS == 111)
        #expect(recorder.recentResponse(atNS: 2 * second).maxNS == 222)
        #expect(recorder.recentResponse(atNS: 4 * second).maxNS == 222)
    }
}
