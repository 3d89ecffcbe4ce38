import CCurl

/// libcurl's callbacks for tiles. They touch the carrier they were given and nothing else but
/// counters: no allocation, no String. Reactor thread only.
enum CarrierCallbacks {
    static func attach(to carrier: CarrierPointer) {
        let handle = carrier.pointee.handle
        let context = UnsafeMutableRawPointer(carrier)
        handle.set(CURLOPT_PRIVATE, pointer: context)
        handle.set(CURLOPT_WRITEDATA, pointer: context)
        handle.set(CURLOPT_WRITEFUNCTION, callback: body)
        handle.set(CURLOPT_HEADERDATA, pointer: context)
        handle.set(CURLOPT_HEADERFUNCTION, callback: header)
        handle.set(CURLOPT_PREREQDATA, pointer: context)
        tb_curl_set_prerequest(handle.raw, prerequest)
    }

    private static let body: tb_curl_data_callback = { data, size, count, context in
        guard let data, let context else { return 0 }
        let carrier = context.assumingMemoryBound(to: Carrier.self)
        let length = size &* count
        carrier.pointee.bodyBytes &+= UInt64(length)
        let kept = min(length, Carrier.prefixMax - Int(carrier.pointee.prefixCount))
        if kept > 0 {
            let end = carrier.pointee.prefix + Int(carrier.pointee.prefixCount)
            UnsafeMutableRawPointer(end).copyMemory(from: data, byteCount: kept)
            carrier.pointee.prefixCount &+= Int32(kept)
        }
        return length
    }

    private static let header: tb_curl_data_callback = { data, size, count, context in
        guard let data, let context else { return 0 }
        let carrier = context.assumingMemoryBound(to: Carrier.self)
        if carrier.pointee.firstByteNS == 0 {
            carrier.pointee.firstByteNS = MonotonicClock.nowNS()
        }
        let line = UnsafeRawBufferPointer(start: data, count: size &* count)
        carrier.pointee.facts.note(line: line)
        carrier.pointee.notes?.pointee.note(line: line)
        return size &* count
    }

    /// libcurl has a connection and will now send. It comes here again when the kept-alive
    /// connection turned out to be closed and it sends once more on a new one. This is the last
    /// moment to see that the token was replaced meanwhile (R7): the abort costs the connection,
    /// which is a new one in all but a handful of cases.
    private static let prerequest: curl_prereq_callback = { context, _, _, _, _ in
        guard let context else { return CURL_PREREQFUNC_ABORT }
        let carrier = context.assumingMemoryBound(to: Carrier.self)
        return carrier.pointee.transport.willSend(carrier)
            ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
    }
}
