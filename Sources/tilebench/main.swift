import Glibc

Terminal.ignoreFatalSignals()
exit(Tool.run(Array(CommandLine.arguments.dropFirst()), console: Console()).rawValue)
