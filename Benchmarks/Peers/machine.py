"""Processes on one core, what they cost, and how busy the rest of the machine is."""

import os
import pathlib
import platform
import subprocess
import time

TICKS_PER_S = os.sysconf("SC_CLK_TCK")


def start(command, core, output, errors=subprocess.STDOUT, **options):
    """A process that stays on one core, with all it starts; output goes to a file, not a pipe."""
    return subprocess.Popen(
        [str(word) for word in command],
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=errors,
        preexec_fn=lambda: os.sched_setaffinity(0, {core}),
        **options,
    )


def wait_with_usage(process, timeout_s):
    """Waits for a process to end: its exit code and CPU seconds, user and system together."""
    deadline = time.monotonic() + timeout_s
    while True:
        pid, status, usage = os.wait4(process.pid, os.WNOHANG)
        if pid:
            process.returncode = os.waitstatus_to_exitcode(status)
            return process.returncode, usage.ru_utime + usage.ru_stime
        if time.monotonic() > deadline:
            process.kill()
            process.wait()
            raise TimeoutError(f"{process.args[0]} was not done after {timeout_s} s")
        time.sleep(0.02)


def cpu_s_of(pid):
    """CPU seconds of a running process and its children, to a hundredth."""
    children = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    ticks = 0
    for each in [pid, *children]:
        # The name of a process may hold blanks and brackets; the numbers begin behind it.
        fields = pathlib.Path(f"/proc/{each}/stat").read_text().rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / TICKS_PER_S


class Busy:
    """CPU seconds of the whole machine since it began. Interrupts and stolen time are in it: the
    kernel charges an interrupt to the process that it met."""

    def __init__(self):
        fields = pathlib.Path("/proc/stat").read_text().splitlines()[0].split()
        user, nice, system, _, _, interrupt, soft_interrupt, steal = map(int, fields[1:9])
        ticks = user + nice + system + interrupt + soft_interrupt + steal
        self.cpu_s = ticks / TICKS_PER_S
        self.at_s = time.monotonic()

    def cores_used_by_others(self, since, own_cpu_s):
        spent = self.cpu_s - since.cpu_s - own_cpu_s
        return max(0.0, spent / (self.at_s - since.at_s))


def wait_until_quiet(cores_max, patience_s):
    """Waits for a second in which the machine has next to nothing to do; false: it never came."""
    deadline = time.monotonic() + patience_s
    while True:
        before = Busy()
        time.sleep(1)
        if Busy().cores_used_by_others(before, 0) <= cores_max:
            return True
        if time.monotonic() > deadline:
            return False


def facts():
    models = [
        line.partition(":")[2].strip()
        for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines()
        if line.startswith("model name")
    ]
    return {
        "cpu": models[0] if models else platform.machine(),
        "cores": os.cpu_count(),
        "kernel": platform.release(),
        "memory_bytes": os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"),
        "python": platform.python_version(),
    }
