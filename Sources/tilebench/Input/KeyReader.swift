import Glibc

/// Single keys of the terminal at stdin, without Return and not shown. Control-C goes on to be a
/// signal.
final class KeyReader {
    let descriptor = STDIN_FILENO
    /// As the terminal was; nil: it is restored.
    private var before: termios?

    /// nil: stdin is no terminal, or this process is not in its foreground.
    init?() {
        var settings = termios()
        guard isatty(descriptor) == 1, tcgetpgrp(descriptor) == getpgrp(),
            tcgetattr(descriptor, &settings) == 0
        else { return nil }
        before = settings
        settings.c_lflag &= ~tcflag_t(ICANON | ECHO)
        guard tcsetattr(descriptor, TCSANOW, &settings) == 0 else { return nil }
    }

    /// The key that was pressed, if any; call it when the descriptor can be read.
    func next() -> UInt8? {
        var key: UInt8 = 0
        return read(descriptor, &key, 1) == 1 ? key : nil
    }

    func restore() {
        guard var settings = before else { return }
        before = nil
        tcsetattr(descriptor, TCSANOW, &settings)
    }
}
