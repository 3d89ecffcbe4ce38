#!/usr/bin/env python3
"""Runs a command at a terminal and types keys when a text is shown.

    at_a_terminal.py TEXT=KEY ... -- COMMAND ...

Each TEXT is waited for in what was shown since the key before. Prints what the terminal shows and
ends as the command does.
"""

import os
import pty
import sys

split = sys.argv.index("--")
keys = [word.rsplit("=", 1) for word in sys.argv[1:split]]
command = sys.argv[split + 1 :]

child, terminal = pty.fork()
if child == 0:
    os.execvp(command[0], command)
shown = ""
while True:
    try:
        part = os.read(terminal, 4096)
    except OSError:  # The last one at the terminal has gone.
        break
    sys.stdout.buffer.write(part)
    sys.stdout.flush()
    shown += part.decode()
    if keys and keys[0][0] in shown:
        os.write(terminal, keys.pop(0)[1].encode().decode("unicode_escape").encode())
        shown = ""
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
