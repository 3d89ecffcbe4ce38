import CCurl
import Metrics

/// libcurl's callbacks for tiles. They touch the slot they were given and nothing else but its
/// reactor's counters: no allocation, no String. Reactor thread only.
enum SlotCallbacks {
    static func attach(to slot: SlotPointer) {
        let handle = slot.pointee.handle
        let context = UnsafeMutableRawPointer(slot)
        handle.set(CURLOPT_PRIVATE, pointer: context)
        handle.set(CURLOPT_WRITEDATA, pointer: context)
        handle.set(CURLOPT_WRITEFUNCTION, callback: body)
        handle.set(CURLOPT_HEADERDATA, pointer: context)
        handle.set(CURLOPT_HEADERFUNCTION, callback: header)
        handle.set(CURLOPT_PREREQDATA, pointer: context)
        tb_curl_set_prerequest(handle.raw, prerequest)
        slot.pointee.isAttached = true
    }

    private static let body: tb_curl_data_callback = { data, size, count, context in
        guard let data, let context else { return 0 }
        let slot = context.assumingMemoryBound(to: Slot.self)
        let length = size &* count
        slot.pointee.bodyBytes &+= UInt64(length)
        let kept = min(length, Slot.prefixMax - Int(slot.pointee.prefixCount))
        if kept > 0 {
            let end = slot.pointee.prefix + Int(slot.pointee.prefixCount)
            UnsafeMutableRawPointer(end).copyMemory(from: data, byteCount: kept)
            slot.pointee.prefixCount &+= Int32(kept)
        }
        return length
    }

    private static let header: tb_curl_data_callback = { data, size, count, context in
        guard let data, let context else { return 0 }
        let slot = context.assumingMemoryBound(to: Slot.self)
        if slot.pointee.firstByteNS == 0 { slot.pointee.firstByteNS = MonotonicClock.nowNS() }
        slot.pointee.facts.note(line: UnsafeRawBufferPointer(start: data, count: size &* count))
        return size &* count
    }

    /// libcurl has a connection and will now send. It comes here again when the kept-alive
    /// connection turned out to be closed and it sends once more on a new one. This is the last
    /// moment to see that the token was replaced meanwhile (R7): the abort costs the connection,
    /// which is a new one in all but a handful of cases.
    private static let prerequest: curl_prereq_callback = { context, _, _, _, _ in
        guard let context else { return CURL_PREREQFUNC_ABORT }
        let slot = context.assumingMemoryBound(to: Slot.self)
        return slot.pointee.reactor.willSend(slot) ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
    }
}
