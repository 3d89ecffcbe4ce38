import Metrics
import Testing

@testable import Engine

/// Times of expiries, with the asks that were refused in them ending in any order.
@Suite struct ExpiryBookTests {
    private func expire(_ book: inout ExpiryBook, _ generation: UInt64, atNS: UInt64) {
        book.begin(generation: generation, cause: .refused)
        book.firstRefusal(atNS: atNS)
    }

    private func refused(_ book: inout ExpiryBook, _ generation: UInt64, times: Int = 1) -> Int32 {
        for _ in 0..<times { book.refusal(generation: generation) }
        return book.number
    }

    @Test func oneExpiry() {
        var book = ExpiryBook()
        #expect(book.fullRecoveryTimes.isEmpty && book.stormMax == 0)
        expire(&book, 1, atNS: 100)
        let number = refused(&book, 1, times: 3)
        book.renewed(atNS: 200)
        book.confirmed(generation: 2, atNS: 250)
        book.confirmed(generation: 2, atNS: 260)
        book.recovered(number, atNS: 270)
        book.recovered(number, atNS: 280)
        #expect(book.isWindowOpen && book.fullRecoveryTimes.isEmpty)
        book.recovered(number, atNS: 290)
        #expect(!book.isWindowOpen)
        #expect(book.stormMax == 3)
        #expect(book.firstOKTimes.count == 1 && book.firstOKTimes.maxNS == 150)
        #expect(book.fullRecoveryTimes.count == 1 && book.fullRecoveryTimes.maxNS == 190)
    }

    /// A refusal that is read late opens the window again; the event recovers with its ask.
    @Test func aLateRefusalMovesTheRecovery() {
        var book = ExpiryBook()
        expire(&book, 1, atNS: 100)
        let number = refused(&book, 1)
        book.renewed(atNS: 200)
        book.recovered(number, atNS: 210)
        #expect(book.rows[0].fullRecoveryNS == 210)
        book.lateRefusal()
        #expect(book.isWindowOpen && book.rows[0].fullRecoveryNS == nil)
        book.recovered(number, atNS: 400)
        #expect(book.rows[0].fullRecoveryNS == 400)
        #expect(book.fullRecoveryTimes.count == 1 && book.fullRecoveryTimes.maxNS == 300)
    }

    /// The new token dies before it worked: both expiries end with the next one.
    @Test func anExpiryBeforeTheFirstGoodAnswer() {
        var book = ExpiryBook()
        expire(&book, 1, atNS: 100)
        let first = refused(&book, 1, times: 2)
        book.renewed(atNS: 200)
        book.recovered(first, atNS: 210)
        expire(&book, 2, atNS: 300)
        let second = refused(&book, 2)
        book.renewed(atNS: 400)
        book.confirmed(generation: 3, atNS: 450)
        book.recovered(first, atNS: 460)
        book.recovered(second, atNS: 470)
        #expect(book.rows.map(\.firstOKNS) == [450, 450])
        #expect(book.rows.map(\.fullRecoveryNS) == [460, 470])
        #expect(book.firstOKTimes.count == 2)
        #expect(book.firstOKTimes.minNS == 150 && book.firstOKTimes.maxNS == 350)
        #expect(book.fullRecoveryTimes.count == 2)
        #expect(book.fullRecoveryTimes.minNS == 170 && book.fullRecoveryTimes.maxNS == 360)
    }

    /// Two reactors told of their tiles in another order than they looked at the clock.
    @Test func nothingRecoversBeforeTheFirstGoodAnswer() {
        var book = ExpiryBook()
        expire(&book, 1, atNS: 100)
        let number = refused(&book, 1)
        book.renewed(atNS: 200)
        book.confirmed(generation: 2, atNS: 212)
        book.recovered(number, atNS: 210)
        #expect(book.rows[0].firstOKNS == 212 && book.rows[0].fullRecoveryNS == 212)
    }

    /// The token was replaced before its end: nobody waited, until its end came first after all.
    @Test func proactiveOnes() {
        var book = ExpiryBook()
        for isConverted in [false, true] {
            let generation = book.count + 1
            book.begin(generation: generation, cause: .proactive)
            book.renewalStarted(generation: generation, atNS: 100)
            if isConverted {
                book.begin(generation: generation, cause: .expired)
                book.expired(atNS: 150)
            }
            book.renewed(atNS: 200)
            book.confirmed(generation: generation + 1, atNS: 250)
        }
        #expect(book.rows.map(\.cause) == [.proactive, .expired])
        #expect(book.rows.map(\.firstOKAfterNS) == [nil, 100])
        #expect(book.firstOKTimes.count == 1 && book.firstOKTimes.maxNS == 100)
    }

    /// Without refusals the asks that wait are those that an expiry is over with.
    @Test func aToldEndRecoversWithThoseWhoWaited() {
        var book = ExpiryBook()
        #expect(book.awaited() == -1)
        book.begin(generation: 1, cause: .expired)
        book.expired(atNS: 100)
        let numbers = [book.awaited(), book.awaited()]
        #expect(numbers == [0, 0] && book.isWindowOpen)
        book.renewed(atNS: 200)
        // Who waits now waits for something else, as for a canary.
        #expect(book.awaited() == -1)
        book.recovered(0, atNS: 210)
        #expect(book.isWindowOpen)
        book.recovered(0, atNS: 230)
        #expect(!book.isWindowOpen && book.refusals == 0)
        #expect(book.rows[0].fullRecoveryAfterNS == 130)
        #expect(book.fullRecoveryTimes.maxNS == 130)
        // A refusal in place of a told end: who waits beside it is not of its set.
        expire(&book, 2, atNS: 300)
        #expect(book.awaited() == -1)
    }

    /// Asks that failed, since no token came, are no recovery; the first good answer is, when
    /// nobody of them is left.
    @Test func withoutARenewalNothingRecovers() {
        var book = ExpiryBook()
        expire(&book, 1, atNS: 100)
        let number = refused(&book, 1)
        book.recovered(number, atNS: 900)
        #expect(!book.isWindowOpen)
        #expect(book.rows[0].fullRecoveryNS == nil && book.fullRecoveryTimes.isEmpty)
        book.renewed(atNS: 1000)
        #expect(book.rows[0].fullRecoveryNS == nil && book.fullRecoveryTimes.isEmpty)
        book.confirmed(generation: 2, atNS: 1100)
        #expect(book.rows[0].firstOKNS == 1100 && book.rows[0].fullRecoveryNS == 1100)
        #expect(book.fullRecoveryTimes.count == 1 && book.fullRecoveryTimes.maxNS == 1000)
    }

    /// The token that came when nobody was left was not good either.
    @Test func aDesertedExpiryRecoversWithALaterToken() {
        var book = ExpiryBook(rowsMax: 1)
        for generation in 1...2 as ClosedRange<UInt64> {
            expire(&book, generation, atNS: 100 * generation)
            let number = refused(&book, generation)
            book.recovered(number, atNS: 100 * generation + 10)
            book.renewed(atNS: 100 * generation + 20)
        }
        #expect(book.fullRecoveryTimes.isEmpty)
        book.confirmed(generation: 3, atNS: 300)
        #expect(book.rows[0].firstOKNS == 300 && book.rows[0].fullRecoveryNS == 300)
        #expect(book.fullRecoveryTimes.count == 2)
        #expect(book.fullRecoveryTimes.minNS == 100 && book.fullRecoveryTimes.maxNS == 200)
        // A refusal of then that is read now: it has not recovered after all.
        book.lateRefusal()
        #expect(book.fullRecoveryTimes.count == 1)
        book.recovered(1, atNS: 350)
        #expect(book.fullRecoveryTimes.count == 2 && book.fullRecoveryTimes.minNS == 150)
    }

    /// The times of those without a row are counted all the same.
    @Test func beyondTheRowsTheTimesGoOn() {
        var book = ExpiryBook()
        let events = UInt64(ExpiryBook.rowsMax) + 50
        for event in 0..<events {
            let at = 1000 * event
            expire(&book, event + 1, atNS: at)
            let number = refused(&book, event + 1)
            book.renewed(atNS: at + 10)
            book.confirmed(generation: event + 2, atNS: at + 20)
            book.recovered(number, atNS: at + 30)
        }
        #expect(book.rows.count == ExpiryBook.rowsMax)
        #expect(book.count == events)
        #expect(book.firstOKTimes.count == events && book.firstOKTimes.maxNS == 20)
        #expect(book.fullRecoveryTimes.count == events && book.fullRecoveryTimes.minNS == 30)
    }
}
