import CMicrohttpd

// What libmicrohttpd calls, on the thread of the connection. The context is the service, which
// outlives the daemon: TileOrigin owns both and stops the daemon first.

let originHandler: MHD_AccessHandlerCallback = {
    context, connection, path, method, _, upload, uploadBytes, state in
    guard let context, let connection, let path, let method, let uploadBytes, let state else {
        return .NO
    }
    let service = Unmanaged<OriginService>.fromOpaque(context).takeUnretainedValue()
    return service.handle(
        connection, path: path, method: method,
        upload: upload.map { UnsafeRawBufferPointer(start: $0, count: uploadBytes.pointee) },
        uploadBytes: uploadBytes, state: state)
}

/// Gives a connection its memo, and takes it back.
let originConnectionChanged: MHD_NotifyConnectionCallback = {
    service, connection, context, change in
    guard let service, let connection, let context else { return }
    let desk = Unmanaged<OriginService>.fromOpaque(service).takeUnretainedValue().desk
    if change == .CONNECTION_NOTIFY_STARTED {
        let memo = UnsafeMutablePointer<ConnectionMemo>.allocate(capacity: 1)
        memo.initialize(to: ConnectionMemo())
        if let desk, desk.tellsClientsApart {
            memo.pointee.client = desk.connect(
                RequestFields.address(connection), tb_mhd_connection_descriptor(connection))
        }
        context.pointee = UnsafeMutableRawPointer(memo)
    } else if let memo = context.pointee?.assumingMemoryBound(to: ConnectionMemo.self) {
        // Its client went away, or the server closes it without an answer.
        if let renewal = memo.pointee.renewal { desk?.end(renewal, .abandoned) }
        if let desk, desk.tellsClientsApart {
            desk.disconnect(memo.pointee.client, tb_mhd_connection_descriptor(connection))
        }
        memo.deinitialize(count: 1)
        memo.deallocate()
        context.pointee = nil
    }
}
