import CMicrohttpd

/// Makes libmicrohttpd's answer objects. They can be sent any number of times, at the same time
/// from several threads.
enum ReadyAnswer {
    /// An answer with a copy of `body`. nil: out of memory, which queueing then reports.
    static func make(_ body: UnsafeMutableBufferPointer<UInt8>) -> OpaquePointer? {
        MHD_create_response_from_buffer(body.count, body.baseAddress, .RESPMEM_MUST_COPY)
    }

    static func make(
        _ text: String, type: String = "text/plain; charset=utf-8",
        headers: [(String, String)] = []
    ) -> OpaquePointer? {
        var body = Array(text.utf8)
        let answer = body.withUnsafeMutableBufferPointer { make($0) }
        add("Content-Type", type, to: answer)
        for (name, value) in headers { add(name, value, to: answer) }
        return answer
    }

    static func add(_ name: String, _ value: String, to answer: OpaquePointer?) {
        guard let answer else { return }
        let added = MHD_add_response_header(answer, name, value)
        precondition(added == .YES, "not a header: \(name): \(value)")
    }

    /// Lets pages of any origin read the answer and its headers (Fetch standard, CORS protocol).
    static func allowAnyOrigin(_ answer: OpaquePointer?) {
        add("Access-Control-Allow-Origin", "*", to: answer)
        add("Access-Control-Expose-Headers", "*", to: answer)
    }

    /// An answer that promises the whole `body` and ends the connection after its first half.
    static func truncated(_ body: [UInt8]) -> OpaquePointer? {
        let kept = UnsafeMutablePointer<CutBody>.allocate(capacity: 1)
        kept.initialize(to: CutBody(bytes: Array(body.prefix(body.count / 2))))
        let answer = MHD_create_response_from_callback(
            UInt64(body.count), 1 << 14, readCutBody, kept, freeCutBody)
        if answer == nil { freeCutBody(kept) }
        return answer
    }
}

private struct CutBody {
    let bytes: [UInt8]
}

private let readCutBody: MHD_ContentReaderCallback = { context, position, room, count in
    guard let context, let room else { return -2 }
    let kept = context.assumingMemoryBound(to: CutBody.self)
    let start = Int(position)
    let length = min(Int(count), kept.pointee.bytes.count - start)
    // MHD_CONTENT_READER_END_WITH_ERROR: the connection is closed.
    guard length > 0 else { return -2 }
    kept.pointee.bytes.withUnsafeBytes { bytes in
        UnsafeMutableRawBufferPointer(start: room, count: length)
            .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[start..<start + length]))
    }
    return length
}

private func freeCutBody(_ context: UnsafeMutableRawPointer?) {
    guard let kept = context?.assumingMemoryBound(to: CutBody.self) else { return }
    kept.deinitialize(count: 1)
    kept.deallocate()
}
