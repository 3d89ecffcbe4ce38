"""The load generators: how each is called, and what it says. All ask as fast as the answers come
on the same number of kept-alive connections, HTTP/1.1, one thread. What a tool does not tell is
None.
"""

import json
import pathlib
import re
import shutil
import subprocess

import servers


def number(pattern, text, scale=1.0):
    match = re.search(pattern, text, re.MULTILINE)
    return float(match[1]) * scale if match else None


class Generator:
    """A base for all. `asks` says what is asked for: one tile only, or every tile in turn."""

    name = program = asks = ""

    def is_installed(self):
        return shutil.which(self.program) is not None

    def version(self):
        return None

    def command(self, server, connections, seconds, folder):
        raise NotImplementedError

    def read(self, text, folder):
        """Requests, failed ones of them, rate and percentiles, out of what it printed."""
        raise NotImplementedError


def printed(command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return (done.stdout + done.stderr).strip()


def first_line(command):
    lines = printed(command).splitlines()
    return lines[0].strip() if lines else None


class Tilebench(Generator):
    name, asks = "tilebench", "every tile"

    def __init__(self, binary):
        self.program = str(binary)

    def version(self):
        return printed([self.program, "version"]).replace("\n", ", ")

    def command(self, server, connections, seconds, folder):
        scenario = {
            "name": "peers",
            "target": {"tiles": server.url + "{z}/{x}/{y}.png"},
            "workload": {
                "kind": "pyramid",
                "order": "random",
                "zooms": [servers.ZOOMS[0], servers.ZOOMS[-1]],
            },
            "load": {"users": connections, "for": f"{seconds}s", "threads": 1},
        }
        path = folder / "peers.json"
        path.write_text(json.dumps(scenario))
        return [self.program, "run", path, "--out", folder / "out", "--progress", "none"]

    def read(self, text, folder):
        report = json.loads((folder / "out" / "report.json").read_text())
        latency = report["latency"]["response"]["all"]
        return {
            "requests": report["requests"]["sent"],
            "failed": report["ledger"]["failed"],
            "per_s": report["rate"]["ok_per_s"],
            "p50_ms": latency["p50_ms"],
            "p99_ms": latency["p99_ms"],
            "validity": report["run"]["validity"],
            "transport": report["generator"]["transport"],
        }


class Wrk(Generator):
    name, program, asks = "wrk", "wrk", "one tile"

    def version(self):
        return first_line(["wrk", "-v"])

    def script(self, folder):
        return []

    def command(self, server, connections, seconds, folder):
        options = ["-t1", f"-c{connections}", f"-d{seconds}s", "--latency"]
        return ["wrk", *options, *self.script(folder), server.url + "3/4/2.png"]

    def read(self, text, folder):
        units = {"us": 0.001, "ms": 1.0, "s": 1000.0}

        def percentile(share):
            match = re.search(rf"^\s*{share}%\s+([\d.]+)(us|ms|s)$", text, re.MULTILINE)
            return float(match[1]) * units[match[2]] if match else None

        socket_errors = re.search(r"Socket errors: (.*)", text)
        failed = sum(int(count) for count in re.findall(r"\d+", socket_errors[1])) \
            if socket_errors else 0
        return {
            "requests": int(number(r"(\d+) requests in", text)),
            "failed": failed + int(number(r"Non-2xx or 3xx responses: (\d+)", text) or 0),
            "per_s": number(r"Requests/sec:\s+([\d.]+)", text),
            "p50_ms": percentile(50),
            "p99_ms": percentile(99),
        }


class WrkOverTiles(Wrk):
    name, asks = "wrk, Lua", "every tile"

    def script(self, folder):
        paths = ", ".join(f'"/{path}"' for path in servers.tile_paths())
        path = folder / "tiles.lua"
        path.write_text(
            f"local paths = {{ {paths} }}\n"
            "local requests, number = {}, 0\n"
            "init = function() for i, p in ipairs(paths) do\n"
            '    requests[i] = wrk.format("GET", p) end end\n'
            "request = function() number = number % #requests + 1; return requests[number] end\n")
        return ["-s", path]


class H2load(Generator):
    name, program, asks = "h2load", "h2load", "every tile"

    def version(self):
        return first_line(["h2load", "--version"])

    def command(self, server, connections, seconds, folder):
        path = folder / "urls.txt"
        path.write_text("".join(f"{server.url}{tile}\n" for tile in servers.tile_paths()))
        return ["h2load", "--h1", "-t1", f"-c{connections}", f"-D{seconds}", "-i", path]

    def read(self, text, folder):
        return {
            "requests": int(number(r"^requests: .*?(\d+) done", text)),
            "failed": int(number(r"^requests: .*?(\d+) failed", text)),
            "per_s": number(r"^finished in .*?, ([\d.]+) req/s", text),
            "p50_ms": None,
            "p99_ms": None,
        }


class ApacheBench(Generator):
    name, program, asks = "ab", "ab", "one tile"
    # It reserves memory for each; -t alone would end after 50,000.
    REQUESTS_MAX = 2_000_000

    def version(self):
        return first_line(["ab", "-V"])

    def command(self, server, connections, seconds, folder):
        options = ["-k", "-q", "-c", connections, "-t", seconds, "-n", self.REQUESTS_MAX]
        return ["ab", *options, server.url + "3/4/2.png"]

    def read(self, text, folder):
        return {
            "requests": int(number(r"^Complete requests:\s+(\d+)", text)),
            "failed": int(number(r"^Failed requests:\s+(\d+)", text)),
            "per_s": number(r"^Requests per second:\s+([\d.]+)", text),
            "p50_ms": number(r"^\s*50%\s+(\d+)", text),
            "p99_ms": number(r"^\s*99%\s+(\d+)", text),
        }


class Hey(Generator):
    name, program, asks = "hey", "hey", "one tile"

    def command(self, server, connections, seconds, folder):
        options = ["-cpus", 1, "-c", connections, "-z", f"{seconds}s"]
        return ["hey", *options, server.url + "3/4/2.png"]

    def read(self, text, folder):
        answers = re.findall(r"^\s*\[(\d+)\]\s+(\d+) responses", text, re.MULTILINE)
        total = sum(int(count) for _, count in answers)
        return {
            "requests": total,
            "failed": total - sum(int(count) for status, count in answers if status == "200"),
            "per_s": number(r"Requests/sec:\s+([\d.]+)", text),
            "p50_ms": number(r"^\s*50%+ in ([\d.]+) secs", text, 1000),
            "p99_ms": number(r"^\s*99%+ in ([\d.]+) secs", text, 1000),
        }


class K6(Generator):
    name, program, asks = "k6", "k6", "every tile"

    def version(self):
        return first_line(["k6", "version"])

    def command(self, server, connections, seconds, folder):
        script = folder / "k6.js"
        script.write_text(
            "import http from 'k6/http';\n"
            f"const paths = {json.dumps(servers.tile_paths())};\n"
            "export default function () {\n"
            f"    http.get({json.dumps(server.url)} + paths[__ITER % paths.length]);\n"
            "}\n")
        options = ["--vus", connections, "--duration", f"{seconds}s", "--quiet"]
        options += ["--summary-trend-stats", "med,p(99)", "--summary-export", folder / "k6.json"]
        return ["k6", "run", *options, script]

    def read(self, text, folder):
        metrics = json.loads(pathlib.Path(folder / "k6.json").read_text())["metrics"]
        # The share of failed requests stands under this name; its "passes" are the failed ones.
        return {
            "requests": int(metrics["http_reqs"]["count"]),
            "failed": int(metrics["http_req_failed"]["passes"]),
            "per_s": metrics["http_reqs"]["rate"],
            "p50_ms": metrics["http_req_duration"]["med"],
            "p99_ms": metrics["http_req_duration"]["p(99)"],
        }


def all_generators(binary):
    return [Tilebench(binary), Wrk(), WrkOverTiles(), H2load(), ApacheBench(), Hey(), K6()]
