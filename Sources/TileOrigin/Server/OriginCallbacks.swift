import CMicrohttpd

// What libmicrohttpd calls, on the thread of the connection. The context is the service, which
// outlives the daemon: TileOrigin owns both and stops the daemon first.

let originHandler: MHD_AccessHandlerCallback = {
    context, connection, path, method, _, _, uploadBytes, state in
    guard let context, let connection, let path, let method, let uploadBytes, let state else {
        return .NO
    }
    let service = Unmanaged<OriginService>.fromOpaque(context).takeUnretainedValue()
    return service.handle(
        connection, path: path, method: method, uploadBytes: uploadBytes, state: state)
}

/// Gives a connection its memo, and takes it back.
let originConnectionChanged: MHD_NotifyConnectionCallback = { _, _, context, change in
    guard let context else { return }
    if change == .CONNECTION_NOTIFY_STARTED {
        let memo = UnsafeMutablePointer<ConnectionMemo>.allocate(capacity: 1)
        memo.initialize(to: ConnectionMemo())
        context.pointee = UnsafeMutableRawPointer(memo)
    } else {
        context.pointee?.assumingMemoryBound(to: ConnectionMemo.self).deallocate()
        context.pointee = nil
    }
}
