import Metrics
import Synchronization
import Workload

/// What became of the faults on purpose. Times are monotonic ns; the report shifts them to T0.
struct InjectionBook: Sendable {
    var count: UInt64 = 0
    /// Those that found no fresh token, or no server that did it.
    var missed: UInt64 = 0
    fileprivate(set) var rows: [AuthResult.Injection] = []
    fileprivate(set) var errors: [(text: String, firstNS: UInt64, count: UInt64)] = []

    fileprivate static let errorsMax = 32
}

/// The book with its lock: the control thread begins, a request that revokes ends elsewhere.
final class InjectionLog: Sendable {
    private let book = Mutex(InjectionBook())

    var current: InjectionBook { book.withLock { $0 } }

    /// Injections are numbered from 0, and begin in that order.
    func begin(_ kind: InjectionPlan.Kind, atNS: UInt64) {
        let at = Int64(atNS)
        book.withLock { book in
            book.count += 1
            guard book.rows.count < AuthResult.injectionRowsMax else { return }
            book.rows.append(
                AuthResult.Injection(
                    kind: kind.text, with: kind.poison?.rawValue, atNS: at, doneNS: at))
        }
    }

    /// `failed`: requests to the server's hook that revoked nothing.
    func done(_ number: Int, cells: Int, failed: Int = 0, atNS: UInt64) {
        book.withLock { book in
            guard number < book.rows.count else { return }
            book.rows[number].doneNS = Int64(atNS)
            book.rows[number].cells = UInt64(cells)
            book.rows[number].failed = UInt64(failed)
        }
    }

    func miss() { book.withLock { $0.missed += 1 } }

    /// The text holds no secret.
    func fail(_ text: String, atNS: UInt64) {
        book.withLock { book in
            if let index = book.errors.firstIndex(where: { $0.text == text }) {
                book.errors[index].count += 1
            } else if book.errors.count < InjectionBook.errorsMax {
                book.errors.append((text, atNS, 1))
            }
        }
    }
}
