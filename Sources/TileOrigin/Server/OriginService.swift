import CMicrohttpd
import JSONText
import Synchronization

/// Answers requests. One object for all server threads: what changes is atomic, behind a lock, or
/// in the memo of a connection, which one thread owns.
///
/// libmicrohttpd gives every request a pointer, nil at first. Here it holds a word: 1 after
/// the first call, then the ``AnswerPlan`` of a request that was delayed.
final class OriginService: Sendable {
    private static let readingBody: UInt = 1
    static let stallNS: UInt64 = 60_000_000_000

    let options: OriginOptions
    let ledger = OriginLedger()
    let faults = OriginFaults()
    let desk: TokenDesk?
    let timer = LatencyTimer()
    let cache: TileCache
    let fixed: FixedAnswers
    let latency: LogNormal?
    let startedAtNS = MonotonicClock.nowNS()
    /// Number of the next tile request: what its draws are made of.
    let sequence = Atomic<UInt64>(0)

    init(_ options: OriginOptions) {
        self.options = options
        let faults = faults
        desk = options.token.map { TokenDesk($0, origin: options, faults: faults) }
        cache = TileCache(options)
        fixed = FixedAnswers(options)
        latency = options.latency.map(LogNormal.init)
    }

    /// libmicrohttpd calls this when a request's head is complete, for each part of its body, after
    /// that, and when a delayed request is resumed.
    func handle(
        _ connection: OpaquePointer, path: UnsafePointer<CChar>, method: UnsafePointer<CChar>,
        upload: UnsafeRawBufferPointer?, uploadBytes: UnsafeMutablePointer<Int>,
        state: UnsafeMutablePointer<UnsafeMutableRawPointer?>
    ) -> MHD_Result {
        let method = OriginMethod(method)
        let word = UInt(bitPattern: state.pointee)
        if word > OriginService.readingBody {
            guard let plan = AnswerPlan(word: word) else { return .NO }
            return resume(plan, OriginRoute(path), connection, method)
        }
        if word == 0 {
            // An answer to the first call, before the body if any, would close the connection.
            state.pointee = UnsafeMutableRawPointer(bitPattern: OriginService.readingBody)
            return .YES
        }
        if uploadBytes.pointee > 0 {
            if let upload, OriginRoute(path) == .token { keepBody(upload, connection) }
            uploadBytes.pointee = 0
            return .YES
        }
        let route = OriginRoute(path)
        if case .tile(let tile) = route, method == .get || method == .head {
            return answer(tile, connection, method, state)
        }
        return answer(route, connection, method, state)
    }

    private func resume(
        _ plan: AnswerPlan, _ route: OriginRoute, _ connection: OpaquePointer,
        _ method: OriginMethod
    ) -> MHD_Result {
        switch route {
        case .tile(let tile): carryOut(plan, tile, connection, method)
        case .token: finishRenewal(plan, connection, method)
        default: .NO
        }
    }

    /// Everything but a tile.
    private func answer(
        _ route: OriginRoute, _ connection: OpaquePointer, _ method: OriginMethod,
        _ state: UnsafeMutablePointer<UnsafeMutableRawPointer?>
    ) -> MHD_Result {
        let reads = method == .get || method == .head
        if method == .options, options.isReferee {
            return send(fixed.preflight, connection, method, control: true)
        }
        switch route {
        case .statistics:
            guard reads else { return send(fixed.tileMethods, connection, method, control: true) }
            return send(statistics().json, connection, method, control: true)
        case .revoke where desk != nil:
            return revoke(connection, method)
        case .fault where desk != nil:
            return switchFaults(connection, method)
        case .token where desk != nil:
            return renew(connection, method, state)
        case .tile:
            ledger.add(.requests)
            return send(fixed.tileMethods, connection, method)
        case .noSuchTile:
            ledger.add(.requests)
            guard reads else { return send(fixed.tileMethods, connection, method) }
            ledger.add(.tilesNotFound)
            return send(fixed.noSuchTile, connection, method)
        case .document(let document):
            ledger.add(.requests)
            guard reads else { return send(fixed.tileMethods, connection, method) }
            return send(document, connection, method)
        case .wmts:
            ledger.add(.requests)
            guard reads else { return send(fixed.tileMethods, connection, method) }
            guard OriginDocuments.asksForCapabilities(connection) else {
                return send(fixed.noSuchOperation, connection, method)
            }
            return send(.wmtsCapabilities, connection, method)
        case .login:
            ledger.add(.requests)
            return send(fixed.login, connection, method)
        case .unknown, .token, .revoke, .fault:
            ledger.add(.requests)
            return send(fixed.unknown, connection, method)
        }
    }

    /// Lets the request wait; it is resumed with the plan.
    func delay(
        _ plan: AnswerPlan, byNS delayNS: UInt64, _ connection: OpaquePointer,
        _ state: UnsafeMutablePointer<UnsafeMutableRawPointer?>
    ) -> MHD_Result {
        state.pointee = UnsafeMutableRawPointer(bitPattern: plan.word)
        MHD_suspend_connection(connection)
        timer.resume(connection, atNS: MonotonicClock.nowNS() &+ delayNS)
        return .YES
    }

    func send(
        _ json: JSONNode, _ connection: OpaquePointer, _ method: OriginMethod,
        status: Int = 200, control: Bool = false
    ) -> MHD_Result {
        send(
            JSONWriter.encodeText(json) + "\n", type: "application/json", connection, method,
            status: status, control: control)
    }

    private func send(
        _ document: OriginDocument, _ connection: OpaquePointer, _ method: OriginMethod
    ) -> MHD_Result {
        guard let host = RequestFields.host(connection) else {
            return send(fixed.badHost, connection, method)
        }
        let documents = OriginDocuments(options, base: "http://" + host)
        return send(
            documents.text(document), type: document.contentType, connection, method)
    }

    /// An answer made for one request, which nothing may keep.
    private func send(
        _ body: String, type: String, _ connection: OpaquePointer, _ method: OriginMethod,
        status: Int = 200, control: Bool = false
    ) -> MHD_Result {
        let answer = ReadyAnswer.make(
            body, type: type, headers: [("Cache-Control", "no-store")])
        if options.isReferee { ReadyAnswer.allowAnyOrigin(answer) }
        defer { if let answer { MHD_destroy_response(answer) } }
        let fixed = FixedAnswers.Fixed(status: status, bodyBytes: body.utf8.count, answer: answer)
        return send(fixed, connection, method, control: control)
    }

    func send(
        _ fixed: FixedAnswers.Fixed, _ connection: OpaquePointer, _ method: OriginMethod,
        control: Bool = false
    ) -> MHD_Result {
        guard let answer = fixed.answer else { return .NO }
        let taken = MHD_queue_response(connection, UInt32(fixed.status), answer)
        guard taken == .YES else { return .NO }
        if control {
            ledger.add(.control)
        } else {
            count(SentAnswer(status: fixed.status, bodyBytes: fixed.bodyBytes), method)
        }
        return .YES
    }

    func count(_ sent: SentAnswer, _ method: OriginMethod) {
        ledger.answered(sent.status)
        if method != .head { ledger.add(.bodyBytes, UInt64(sent.bodyBytes)) }
    }

    /// nil: there are no tokens, and so no memos.
    func memo(_ connection: OpaquePointer) -> UnsafeMutablePointer<ConnectionMemo>? {
        tb_mhd_connection_context(connection)?.assumingMemoryBound(to: ConnectionMemo.self)
    }
}
