import Glibc

Terminal.ignoreBrokenPipes()
exit(Tool.run(Array(CommandLine.arguments.dropFirst()), console: Console()).rawValue)
