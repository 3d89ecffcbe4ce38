import Glibc

/// A pthread that runs one closure: reactors and the renewal thread block in it, which Swift's own
/// pool must not.
final class ReactorThread {
    private var handle = pthread_t()

    private final class Body {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    init(_ run: @escaping @Sendable () -> Void) {
        let body = Unmanaged.passRetained(Body(run))
        let code = pthread_create(
            &handle, nil,
            { context in
                guard let context else { return nil }
                Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run()
                return nil
            }, body.toOpaque())
        precondition(code == 0, "no thread: \(code)")
    }

    /// Waits for its end; once.
    func join() { pthread_join(handle, nil) }
}
