#!/usr/bin/env python3
"""Runs tilebench and other load generators against the same servers, one after another, and prints
what each achieved and what it cost. Only loopback is asked, only the standard library is used.

The server has one core and the generator another; before each measurement it waits for a quiet
second of the machine. Generators that are not installed are named and left out; wrk alone is
installed by apt when it is missing and we are root.
"""

import argparse
import datetime
import os
import pathlib
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile

import generators
import machine
import report
import servers

ROOT = pathlib.Path(__file__).resolve().parents[2]


def options():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", type=pathlib.Path, default=ROOT / ".build/release/tilebench")
    parser.add_argument("--connections", type=int, default=32)
    parser.add_argument("--seconds", type=int, default=5, help="of each measurement (5)")
    parser.add_argument("--rounds", type=int, default=3, help="of all generators (3)")
    parser.add_argument("--tile-bytes", default="8KiB", help="of a tile at least (8KiB)")
    parser.add_argument("--server-core", type=int, default=0)
    parser.add_argument("--generator-core", type=int, default=1)
    parser.add_argument("--only", action="append", metavar="NAME", help="of a generator")
    parser.add_argument("--patience", type=int, default=30, metavar="S",
                        help="to wait for a quiet machine before each measurement (30)")
    parser.add_argument("--save", metavar="MACHINE",
                        help="write README.md and raw.json to Reports/<date>-MACHINE")
    given = parser.parse_args()
    if not given.binary.is_file():
        parser.error(f"{given.binary} is missing: make build")
    wanted = {given.server_core, given.generator_core}
    if len(wanted) < 2 or not wanted <= os.sched_getaffinity(0):
        parser.error(f"needs two of the cores {sorted(os.sched_getaffinity(0))}")
    return given


def install_wrk():
    if shutil.which("wrk") or os.geteuid() != 0 or not shutil.which("apt-get"):
        return
    print("wrk is missing: apt-get install wrk", file=sys.stderr)
    subprocess.run(["apt-get", "install", "-qy", "wrk"], stdout=sys.stderr, check=False)


def measure(generator, server, given, folder):
    is_quiet = machine.wait_until_quiet(cores_max=0.15, patience_s=given.patience)
    command = generator.command(server, given.connections, given.seconds, folder)
    output = folder / "output.txt"
    busy, server_cpu_s = machine.Busy(), server.cpu_s()
    with open(output, "wb") as file:
        process = machine.start(command, given.generator_core, file, cwd=folder)
        code, cpu_s = machine.wait_with_usage(process, given.seconds + 60)
    busy_after, server_cpu_s = machine.Busy(), server.cpu_s() - server_cpu_s
    text = output.read_text(errors="replace")
    if code != 0:
        raise RuntimeError(f"{shlex.join(map(str, command))}: exit code {code}\n{text}")
    found = generator.read(text, folder)
    return {
        "server": server.name,
        "generator": generator.name,
        "asks": generator.asks,
        **found,
        "cpu_s": round(cpu_s, 6),
        "cpu_us_per_request": round(cpu_s * 1e6 / found["requests"], 3),
        "server_cpu_us_per_request": round(server_cpu_s * 1e6 / found["requests"], 3),
        "cores_used_by_others": round(
            busy_after.cores_used_by_others(busy, cpu_s + server_cpu_s), 3),
        "was_quiet_before": is_quiet,
    }


def measure_all(given, chosen, running, folder):
    for number in range(1, given.rounds + 1):
        for server in running:
            for generator in chosen:
                found = {"round": number, **measure(generator, server, given, folder)}
                print(
                    f"round {number}  {server.name:10}  {generator.name:10} "
                    f"{found['per_s']:10,.0f}/s  {found['cpu_us_per_request']:7.1f} us CPU "
                    f"per request  others {found['cores_used_by_others']:.2f} cores",
                    file=sys.stderr)
                yield found


def main():
    given = options()
    # So that the servers are stopped then too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    now = datetime.datetime.now(datetime.timezone.utc)
    saved = ROOT / "Reports" / f"{now:%Y-%m-%d}-{given.save}" if given.save else None
    if saved and saved.exists():
        sys.exit(f"{saved} is there already")
    install_wrk()
    known = [
        g for g in generators.all_generators(given.binary.resolve())
        if not given.only or g.name in given.only]
    chosen = [g for g in known if g.is_installed()]
    missing = [g.name for g in known if not g.is_installed()]
    if missing:
        print(f"not installed, left out: {', '.join(missing)}", file=sys.stderr)
    if not chosen:
        sys.exit("no generator to run")
    versions = {g.name: g.version() or "does not tell its version" for g in chosen}
    versions["nginx"] = generators.first_line(["nginx", "-v"])

    running = []
    with tempfile.TemporaryDirectory(prefix="tilebench-peers-") as name:
        folder = pathlib.Path(name)
        try:
            origin = servers.start_origin(
                given.binary.resolve(), given.server_core, given.tile_bytes, folder)
            running.append(origin)
            running.append(servers.start_nginx(given.server_core, origin, folder))
            measurements = list(measure_all(given, chosen, running, folder))
        finally:
            for server in running:
                server.stop()

    run = {
        "started_at": now.isoformat(timespec="seconds"),
        "command": shlex.join(["Benchmarks/Peers/compare.py", *sys.argv[1:]]),
        "machine": machine.facts(),
        "versions": versions,
        "missing": missing,
        "options": {
            "connections": given.connections,
            "seconds": given.seconds,
            "rounds": given.rounds,
            "tile_bytes": given.tile_bytes,
            "tiles": len(servers.tile_paths()),
            "server_core": given.server_core,
            "generator_core": given.generator_core,
        },
        "servers": [server.name for server in running],
        "measurements": measurements,
    }
    print(report.page(run), end="")
    if saved:
        report.save(run, saved)
        print(f"files in {saved.relative_to(ROOT)}", file=sys.stderr)


if __name__ == "__main__":
    main()
