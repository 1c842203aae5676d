"""Compare the rivals of a workload: interleaved, verified, with spread and ratios.

A rival is an executable built from bench/<workload>/<rival>.cpp or a script bench/<workload>/<rival>.py. It is called
as `<rival> --workers W` and prints one JSON object per line on stdout:

    {"workload": "fib", "rival": "treadle", "workers": 2, "seconds": 0.13, "verified": true, "operations": 1000}

"operations" is optional and adds a column of nanoseconds per operation. All rivals run once per round, after one
round of warming up, so that a disturbance of the machine meets everybody.
"""

import argparse
import csv
import ctypes
import datetime
import json
import os
import platform
import re
import selectors
import signal
import statistics
import subprocess
import sys
import time
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

BENCH = Path(__file__).resolve().parent
ROOT = BENCH.parent
BUILD = Path(os.environ.get("TREADLE_BENCH_BUILD", ROOT / "build" / "release" / "bench"))
console = Console(stderr=True)  # progress and complaints; the table goes to stdout


SKIPPED = 77  # exit code of a rival that cannot run on this machine; it says why on stderr


class CannotRunError(Exception):
    pass


@dataclass(frozen=True)
class Rival:
    name: str
    command: tuple[str, ...]


@dataclass
class Series:
    """All measurements of one rival on one workload with one number of workers."""

    seconds: list[float] = field(default_factory=list)
    rss_kb: int = 0
    verified: bool = True
    operations: int = 0


Key = tuple[str, str, int]  # workload, rival, workers


def workloads() -> list[str]:
    return sorted(d.name for d in BENCH.iterdir() if any(d.glob("*.cpp")) or any(d.glob("*.py")))


def rivals_of(name: str) -> list[Rival]:
    found = []
    for source in sorted((BENCH / name).iterdir()):
        if source.suffix == ".cpp":
            program = BUILD / f"bench_{name}_{source.stem}"
            if program.is_file():
                found.append(Rival(source.stem, (str(program),)))
            else:
                console.print(
                    f"[yellow]skipping {source.stem}: {program.name} is not built (its library is missing)"
                )
        elif source.suffix == ".py" and not source.name.startswith("_"):
            found.append(Rival(source.stem, (sys.executable, str(source))))
    return found


# The peak memory of a process counts what it was before exec, which would be this interpreter. So a small shell starts the
# rival, tells its number through its standard input and ends; the rival becomes our child, because we adopt orphans.
LAUNCH = '"$@" </dev/null & echo $! >&0'
PR_SET_CHILD_SUBREAPER = 36


def start(command: tuple[str, ...]) -> tuple[int, int, int]:
    """Process number, and the reading ends of stdout and stderr."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    (out, out_end), (err, err_end), (number, number_end) = os.pipe(), os.pipe(), os.pipe()
    shell = ["/bin/sh", "-c", LAUNCH, "sh", *command]
    subprocess.run(shell, stdin=number_end, stdout=out_end, stderr=err_end, check=True)
    for end in (out_end, err_end, number_end):
        os.close(end)
    with os.fdopen(number) as told:
        return int(told.readline()), out, err


def read_to_end(streams: tuple[int, ...], timeout_s: float) -> list[str]:
    parts: dict[int, bytes] = dict.fromkeys(streams, b"")
    deadline = time.monotonic() + timeout_s
    with selectors.DefaultSelector() as selector:
        for stream in streams:
            selector.register(stream, selectors.EVENT_READ)
        while selector.get_map():
            if (
                not (events := selector.select(max(0.0, deadline - time.monotonic())))
                and time.monotonic() >= deadline
            ):
                raise TimeoutError
            for key, _ in events:
                if data := os.read(key.fd, 1 << 16):
                    parts[key.fd] += data
                else:
                    selector.unregister(key.fd)
    return [text.decode(errors="replace") for text in parts.values()]


def measure(rival: Rival, workers: int, timeout_s: float) -> tuple[list[dict], int, str]:
    """Run one rival once: its records, its peak memory in kB, and what went wrong ('' when nothing did)."""
    try:
        process, *streams = start((*rival.command, "--workers", str(workers)))
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        return [], 0, f"did not start: {error}"
    text: list[str] = []
    try:
        text = read_to_end(tuple(streams), timeout_s)
    finally:  # also on Ctrl-C, which a background process of a shell does not see
        if not text:
            os.kill(process, signal.SIGKILL)
        _, status, usage = os.wait4(process, 0)
        for stream in streams:
            os.close(stream)
    out, err = text
    if (code := os.waitstatus_to_exitcode(status)) == SKIPPED:
        raise CannotRunError(err.strip())
    if code:
        return [], usage.ru_maxrss, f"exit code {code}: {err.strip()[-500:]}"
    try:
        records = [json.loads(line) for line in out.splitlines() if line.strip()]
        for record in records:
            record["workload"], record["verified"]
            record["seconds"] = float(record["seconds"])
    except (ValueError, KeyError, TypeError) as error:
        return [], usage.ru_maxrss, f"printed something that is not a record ({error!r}): {out[:300]}"
    return records, usage.ru_maxrss, "" if records else "printed no record"


def run_rounds(
    rivals: list[Rival], workers: list[int], repeat: int, timeout_s: float
) -> tuple[dict[Key, Series], list[str]]:
    series: dict[Key, Series] = defaultdict(Series)
    failures: list[str] = []
    columns = (TextColumn("{task.description:32}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        bar = progress.add_task("", total=(repeat + 1) * len(rivals) * len(workers))
        broken: set[tuple[str, int]] = set()
        for round_ in range(repeat + 1):
            for rival in rivals:
                for count in workers:
                    title = "warming up" if round_ == 0 else f"round {round_}"
                    progress.update(
                        bar, description=f"{title}: {rival.name}, {count} worker{'s' * (count > 1)}"
                    )
                    if (rival.name, count) not in broken:
                        try:
                            records, rss_kb, problem = measure(rival, count, timeout_s)
                        except CannotRunError as reason:
                            broken.add((rival.name, count))
                            console.print(f"[yellow]skipping {rival.name}: {reason}")
                            records, rss_kb, problem = [], 0, ""
                        except TimeoutError:
                            records, rss_kb, problem = [], 0, f"still running after {timeout_s:.0f} s"
                        if problem:
                            broken.add((rival.name, count))
                            failures.append(f"{rival.name} with {count} workers: {problem}")
                        for record in records:
                            key = (
                                record["workload"],
                                record.get("rival", rival.name),
                                int(record.get("workers", count)),
                            )
                            entry = series[key]
                            entry.verified &= record["verified"] is True
                            entry.operations = int(record.get("operations", 0))
                            entry.rss_kb = max(entry.rss_kb, rss_kb)
                            if round_ > 0:
                                entry.seconds.append(record["seconds"])
                    progress.advance(bar)
    failures += [
        f"{key[1]} on {key[0]} with {key[2]} workers: wrong result"
        for key, s in series.items()
        if not s.verified
    ]
    return {key: s for key, s in series.items() if s.seconds}, failures


def summarize(series: dict[Key, Series]) -> list[dict]:
    median = {key: statistics.median(s.seconds) for key, s in series.items()}
    # Rivals that do fewer operations, because theirs take so long, are compared by the cost of one.
    cost = {key: median[key] / max(s.operations, 1) for key, s in series.items()}
    rows = []
    for key in sorted(series, key=lambda k: (k[0], k[2], cost[k])):
        workload, rival, workers = key
        best = min(c for k, c in cost.items() if k[0] == workload and k[2] == workers)
        s = series[key]
        rows.append(
            {
                "workload": workload,
                "rival": rival,
                "workers": workers,
                "median_s": median[key],
                "min_s": min(s.seconds),
                "max_s": max(s.seconds),
                "ratio_to_best": cost[key] / best if best else 1.0,
                "peak_rss_kb": s.rss_kb,
                "verified": s.verified,
            }  # fmt: skip
        )
    return rows


def show(rows: list[dict], series: dict[Key, Series]) -> None:
    with_operations = any(s.operations for s in series.values())
    table = Table(title_justify="left", header_style="bold")
    for name in ("workload", "rival"):
        table.add_column(name)
    for name in (
        "workers",
        "median",
        "min",
        "max",
        *(["ns/op"] if with_operations else []),
        "to best",
        "peak MB",
    ):
        table.add_column(name, justify="right")
    previous = None
    for row in rows:
        key = (row["workload"], row["rival"], row["workers"])
        group = (row["workload"], row["workers"])
        if previous not in (None, group):
            table.add_section()
        operations = series[key].operations
        cells = [row["workload"] if group != previous else "", row["rival"], str(row["workers"])]
        cells += [f"{row[name] * 1e3:.3f} ms" for name in ("median_s", "min_s", "max_s")]
        if with_operations:
            cells.append(f"{row['median_s'] / operations * 1e9:.1f}" if operations else "")
        style = "bold" if row["ratio_to_best"] == 1.0 else None
        cells += [f"{row['ratio_to_best']:.2f}", f"{row['peak_rss_kb'] / 1024:.1f}"]
        table.add_row(*cells, style=style if row["verified"] else "red")
        previous = group
    wide = None if sys.stdout.isatty() else 140
    Console(width=wide).print(table)


def machine() -> dict[str, str]:
    def command(*words: str) -> str:
        try:
            return subprocess.run(words, cwd=ROOT, capture_output=True, text=True).stdout.split("\n")[0]
        except OSError:
            return "absent"

    cpu = re.search(r"model name\s*:\s*(.+)", Path("/proc/cpuinfo").read_text())
    return {
        "cpu": cpu.group(1) if cpu else platform.machine(),
        "usable cores": str(len(os.sched_getaffinity(0))),
        "kernel": platform.release(),
        "compiler": command("g++", "--version"),
        "commit": command("git", "rev-parse", "--short", "HEAD"),
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
    }


def save(name: str, series: dict[Key, Series]) -> Path:
    note = machine()
    label = re.sub(r"[^a-z0-9]+", "-", note["cpu"].lower()).strip("-")
    folder = BENCH / "results" / f"{label}-{note['usable cores']}-cores"
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / f"{name}.csv").open("w", newline="") as file:
        file.writelines(f"# {key}: {text}\n" for key, text in note.items())
        writer = csv.writer(file)
        writer.writerow(["workload", "rival", "workers", "round", "seconds", "operations", "verified"])
        for (workload, rival, workers), s in sorted(series.items()):
            for i, t in enumerate(s.seconds, 1):
                writer.writerow([workload, rival, workers, i, t, s.operations, s.verified])
    return folder / f"{name}.csv"


def parse(argv: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="./dev bench", description=__doc__.split("\n")[0])
    parser.add_argument("name", nargs="?", help=f"one of: {', '.join(workloads())}")
    parser.add_argument("--list", action="store_true", help="list workloads and their rivals")
    parser.add_argument(
        "--repeat", type=int, default=5, metavar="N", help="rounds after the warm-up (default 5)"
    )
    parser.add_argument(
        "--workers", type=int, action="append", metavar="W", help="may be repeated (default 1 and all cores)"
    )
    parser.add_argument(
        "--only", action="append", metavar="RIVAL", help="run only this rival (may be repeated)"
    )
    parser.add_argument("--timeout", type=float, default=300.0, metavar="S", help="per process (default 300)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write one object per line")
    parser.add_argument(
        "--save", action="store_true", help="raw CSV with a machine note under bench/results/"
    )
    options = parser.parse_args(argv)
    if not options.list and options.name not in workloads():
        parser.error(f"no workload '{options.name or ''}'; there are: {', '.join(workloads()) or 'none'}")
    if options.repeat < 1 or any(w < 1 for w in options.workers or []):
        parser.error("--repeat and --workers take numbers of at least 1")
    return options


def main(argv: list[str]) -> int:
    options = parse(argv)
    if options.list:
        for name in workloads():
            print(f"{name}: {', '.join(r.name for r in rivals_of(name))}")
        return 0
    rivals = [r for r in rivals_of(options.name) if not options.only or r.name in options.only]
    if not rivals:
        console.print(f"[red]no rival of {options.name} to run")
        return 1
    workers = options.workers or sorted({1, len(os.sched_getaffinity(0))})
    series, failures = run_rounds(rivals, workers, options.repeat, options.timeout)
    rows = summarize(series)
    if rows:
        show(rows, series)
    if options.json:
        options.json.write_text("".join(json.dumps(row) + "\n" for row in rows))
    if options.save:
        console.print(f"saved {save(options.name, series).relative_to(ROOT)}")
    for failure in failures:
        console.print(f"failed: {failure}", style="red", markup=False)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
