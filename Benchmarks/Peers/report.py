"""Tables of what was measured, and the folder of a run that is kept."""

import json


def table(rows):
    """Markdown; the first row is the head, the first two columns are text."""
    width = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]

    def line(row):
        cells = [
            cell.ljust(size) if i < 2 else cell.rjust(size)
            for i, (cell, size) in enumerate(zip(row, width))]
        return "| " + " | ".join(cells) + " |"

    dashes = [("-" * size) if i < 2 else "-" * (size - 1) + ":" for i, size in enumerate(width)]
    return "\n".join([line(rows[0]), line(dashes), *(line(row) for row in rows[1:])])


def shown(value, decimals):
    return "not told" if value is None else f"{value:,.{decimals}f}"


def best_table(measurements, server):
    """Of each generator the round with the highest rate, and how far all its rounds spread."""
    head = ["generator", "asks for", "requests/s", "of all rounds"]
    head += ["CPU us/request", "of all rounds", "server CPU us/request"]
    head += ["p50 ms", "p99 ms", "failed", "others' cores"]
    rows = [head]
    for name in dict.fromkeys(m["generator"] for m in measurements):
        rounds = [m for m in measurements if (m["generator"], m["server"]) == (name, server)]
        if not rounds:
            continue
        best = max(rounds, key=lambda m: m["per_s"])
        rates = sorted(m["per_s"] for m in rounds)
        costs = sorted(m["cpu_us_per_request"] for m in rounds)
        rows.append([
            name,
            best["asks"],
            shown(best["per_s"], 0),
            f"{rates[0]:,.0f}..{rates[-1]:,.0f}",
            shown(best["cpu_us_per_request"], 1),
            f"{costs[0]:.1f}..{costs[-1]:.1f}",
            shown(best["server_cpu_us_per_request"], 1),
            shown(best["p50_ms"], 3),
            shown(best["p99_ms"], 3),
            str(best["failed"]),
            shown(best["cores_used_by_others"], 2),
        ])
    return table(rows)


def page(run):
    """The README.md of a run that is kept, up to the remarks, which a person writes."""
    facts, options = run["machine"], run["options"]
    lines = [
        f"# tilebench beside other load generators, {run['started_at'][:10]}",
        "",
        f"`{run['command']}`",
        "",
        f"{facts['cpu']}, {facts['cores']} cores, {facts['memory_bytes'] / 2**30:.0f} GiB, "
        f"Linux {facts['kernel']}.",
        "",
        *(f"- {name}: {version}" for name, version in run["versions"].items()),
        *(f"- {name}: not installed, left out" for name in run["missing"]),
        "",
        f"Server on core {options['server_core']} with one thread, generator on core "
        f"{options['generator_core']} with one thread, {options['connections']} kept-alive "
        f"connections over loopback, HTTP/1.1, {options['tiles']:,} tiles of at least "
        f"{options['tile_bytes']} each, {options['seconds']} s each, one generator after the "
        f"other, {options['rounds']} rounds. The tables show each generator's best round. Others' "
        "cores: what the rest of the machine used meanwhile. All rounds are in `raw.json`.",
    ]
    for server in run["servers"]:
        lines += ["", f"## {server}", "", best_table(run["measurements"], server)]
    return "\n".join(lines) + "\n"


def save(run, folder):
    folder.mkdir(parents=True)
    (folder / "README.md").write_text(page(run))
    head = {key: value for key, value in run.items() if key != "measurements"}
    rows = ",\n".join("    " + json.dumps(m) for m in run["measurements"])
    text = json.dumps(head, indent=2).removesuffix("\n}")
    (folder / "raw.json").write_text(f'{text},\n  "measurements": [\n{rows}\n  ]\n}}\n')
