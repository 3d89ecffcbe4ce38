import CMicrohttpd
import Glibc
import JSONText
import Synchronization

/// A tile server to aim at: real tiles, tokens that expire, and faults on purpose.
///
/// It listens from its creation until ``stop()``. Its ledger is its own: what a client reports can
/// be held against it.
package final class TileOrigin: Sendable {
    /// The port that it listens on.
    package let port: UInt16
    /// `http://host:port`, for a client on this machine.
    package let address: String

    private static let connectionsMax = 20_000
    private static let connectionMemoryBytes = 16 << 10

    private let service: OriginService
    private let daemon: Mutex<DaemonHandle?>

    private struct DaemonHandle: @unchecked Sendable {
        let pointer: OpaquePointer
    }

    /// Throws ``OriginError``: the address cannot be listened on, or no thread can be started.
    package init(_ options: OriginOptions) throws(OriginError) {
        let socket = try ListenSocket(address: options.listenAddress, port: options.port)
        port = socket.port
        address = TileOrigin.address(options.listenAddress, socket)
        service = OriginService(options)
        do {
            try service.timer.start()
        } catch {
            close(socket.descriptor)
            throw OriginError(
                address: options.listenAddress, port: options.port,
                cause: "no thread: \(String(cString: strerror(error.code)))")
        }
        guard let started = TileOrigin.start(service, socket) else {
            service.timer.stop()
            close(socket.descriptor)
            throw OriginError(
                address: options.listenAddress, port: options.port,
                cause: "libmicrohttpd did not start: \(String(cString: strerror(errno)))")
        }
        daemon = Mutex(DaemonHandle(pointer: started))
    }

    deinit {
        stop()
    }

    /// Where its tiles are, with the placeholders {z}, {x} and {y}.
    package var tileTemplate: String {
        "\(address)/{z}/{x}/{y}.\(service.options.tile.rawValue)"
    }

    /// Kills every token issued so far to that share of the cells. Which cells depends on their
    /// names, the seed, and how often it was done before.
    ///
    /// - Returns: How many tokens were alive, and the names of the cells.
    @discardableResult
    package func revoke(share: Double = 1) -> (tokens: Int, cells: [String]) {
        service.desk?.revoke(share: share, nowNS: MonotonicClock.nowNS()) ?? (0, [])
    }

    /// What the token endpoint does wrong from now on; nil: nothing.
    package func set(renewalFault: OriginOptions.RenewalFault?) {
        service.faults.set(renewal: renewalFault, untilNS: .max)
    }

    /// What the tiles do wrong from now on; nil: nothing.
    package func set(tileFault: OriginOptions.TileFault?) {
        service.faults.set(tile: tileFault, untilNS: .max)
    }

    /// What a referee judges; nil: there are no tokens.
    package func refereeBook() -> RefereeBook? {
        service.desk?.refereeBook(
            startedAtNS: service.startedAtNS, nowNS: MonotonicClock.nowNS())
    }

    /// What happened since the last call, and how much there was no room for.
    ///
    /// - Parameter isLast: nothing more will be asked: also what may not be over yet is told.
    package func takeNotices(
        isLast: Bool = false
    ) -> (notices: [OriginNotice], omitted: UInt64) {
        service.desk?.takeNotices(nowNS: MonotonicClock.nowNS(), isLast: isLast) ?? ([], 0)
    }

    /// The moment that times are told from, of the monotonic clock.
    package var startedAtNS: UInt64 { service.startedAtNS }

    /// The ledger as it stands.
    package func statistics() -> OriginStatistics { service.statistics() }

    /// The ledger as JSON, as `/stats` sends it.
    package func statisticsJSON() -> String { JSONWriter.encodeText(statistics().json) }

    /// Closes the port and all connections; delayed answers go out first, if they can. A second
    /// call does nothing.
    package func stop() {
        daemon.withLock { daemon in
            guard let running = daemon else { return }
            daemon = nil
            // No connection may be suspended when the daemon stops.
            service.timer.stop()
            MHD_stop_daemon(running.pointer)
        }
    }

    private static func address(_ given: String, _ socket: ListenSocket) -> String {
        let host =
            switch given {
            case "0.0.0.0": "127.0.0.1"
            case "::": "[::1]"
            default: socket.isVersion6 ? "[\(given)]" : given
            }
        return "http://\(host):\(socket.port)"
    }

    private static func start(_ service: OriginService, _ socket: ListenSocket) -> OpaquePointer? {
        let context = Unmanaged.passUnretained(service).toOpaque()
        var options = [
            MHD_OptionItem(
                option: .LISTEN_SOCKET, value: Int(socket.descriptor), ptr_value: nil),
            MHD_OptionItem(
                option: .CONNECTION_LIMIT, value: connectionsMax, ptr_value: nil),
            MHD_OptionItem(
                option: .CONNECTION_MEMORY_LIMIT, value: connectionMemoryBytes,
                ptr_value: nil),
            MHD_OptionItem(option: .CONNECTION_TIMEOUT, value: 0, ptr_value: nil),
        ]
        if service.options.threads > 1 {
            options.append(
                MHD_OptionItem(
                    option: .THREAD_POOL_SIZE, value: service.options.threads,
                    ptr_value: nil))
        }
        if service.desk != nil {
            options.append(
                MHD_OptionItem(
                    option: .NOTIFY_CONNECTION,
                    value: unsafeBitCast(originConnectionChanged, to: Int.self),
                    ptr_value: context))
        }
        options.append(MHD_OptionItem(option: .END, value: 0, ptr_value: nil))
        let flags =
            MHD_USE_EPOLL_INTERNAL_THREAD.rawValue | MHD_USE_TURBO.rawValue
            | MHD_ALLOW_SUSPEND_RESUME.rawValue
            | (socket.isVersion6 ? MHD_USE_IPv6.rawValue : 0)
        return tb_mhd_start(flags, socket.port, originHandler, context, options)
    }
}
