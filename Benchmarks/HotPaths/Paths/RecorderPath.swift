import Metrics

/// All that is counted for one ask that takes one request.
struct RecorderPath: HotPath {
    let operations = 100_000

    func setUp() -> Recorder { Recorder() }

    func run(_ recorder: inout Recorder) -> UInt64 {
        for index in 0..<Int64(operations) {
            // Seven seconds, the rows that stay open: an answer comes at most that late.
            count(recorder, index, atNS: index * 70_000)
        }
        return recorder.snapshot.ok
    }

    private func count(_ recorder: Recorder, _ index: Int64, atNS: Int64) {
        let zoom = UInt8(truncatingIfNeeded: index & 15)
        let responseNS = UInt64(truncatingIfNeeded: 1_000_000 + (index & 1023) * 9000)
        recorder.askStarted(zoom: zoom, intendedNS: atNS, startedNS: atNS + 900)
        recorder.requestSent(.first)
        recorder.requestConnected(isReused: true, speaking: .http11)
        recorder.requestAnswered(status: 200)
        recorder.bytes(received: 9000, sent: 300, body: 8600)
        recorder.phases(
            isMeasured: true, nameLookupNS: nil, connectNS: nil, tlsNS: nil, sendNS: 9000,
            firstByteNS: responseNS - 50_000, downloadNS: 40_000)
        recorder.serverCache(
            .hit, isShield: false, evidence: 9, isGood: true, bytes: 8600, serviceNS: responseNS,
            zoom: zoom, intendedNS: atNS)
        recorder.askEnded(
            AskEnd(
                zoom: zoom, intendedNS: atNS, endedNS: atNS + Int64(responseNS), cls: .ok,
                status: 200, outcome: .tile, responseNS: responseNS, serviceNS: responseNS - 900,
                bodyBytes: 8600))
    }
}
