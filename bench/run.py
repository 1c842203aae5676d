"""Compare the rivals of a workload: interleaved, verified, with spread and ratios.

A rival (see rivals.py) is called as `<command> --workers W` and prints one JSON object per line on stdout:

    {"workload": "fib", "value": 0.13, "unit": "s", "operations": 1000, "verified": true}

"operations" is optional: with it rivals are compared by the cost of one. All rivals run once per round, after one round
of warming up, so that a disturbance of the machine meets everybody.
"""

import argparse
import json
import os
import random
import sys
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

import against
from machine import save
from process import CannotRunError, measure
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rivals import ROOT, WITHOUT_WORKERS, Rival, console, rivals_of, workloads
from series import Key, Series, show, summarize

Advance = Callable[[str], None]  # told before each run what is going to run


def run_rounds(
    rivals: list[Rival],
    workers: list[int],
    rounds: int,
    timeout_s: float,
    warm_up: bool = True,
    advance: Advance = lambda _: None,
) -> tuple[dict[Key, Series], list[str]]:
    series: dict[Key, Series] = defaultdict(Series)
    failures: list[str] = []
    skipped: set[str] = set()
    broken: set[tuple[str, int]] = set()

    def run_once(rival: Rival, count: int, is_measured: bool) -> None:
        try:
            records, rss_kb, problem = measure(rival, count, timeout_s)
        except CannotRunError as reason:
            skipped.add(rival.name)
            console.print(f"[yellow]skipping {rival.name}: {reason}")
            return
        except TimeoutError:
            records, rss_kb, problem = [], 0, f"still running after {timeout_s:.0f} s"
        if problem:
            broken.add((rival.name, count))
            failures.append(f"{rival.name} with {count} workers: {problem}")
        for record in records:
            entry = series[record["workload"], rival.name, count]
            entry.unit = record.get("unit", "s")
            entry.verified &= record["verified"] is True
            entry.rss_kb = max(entry.rss_kb, rss_kb)
            if is_measured:
                entry.values.append(record["value"])
                entry.operations.append(record["operations"])

    chance = random.Random(1)
    for round_ in range(0 if warm_up else 1, rounds + 1):
        for rival in chance.sample(
            rivals, len(rivals)
        ):  # whoever always came first would meet the machine cold
            for count in workers:
                title = "warming up" if round_ == 0 else f"round {round_}"
                advance(f"{title}: {rival.name}, {count} worker{'s' * (count > 1)}")
                if (
                    rival.name not in skipped
                    and (rival.name, count) not in broken
                    and count >= rival.workers_min
                ):
                    run_once(rival, count, round_ > 0)
    failures += [
        f"{key[1]} on {key[0]} with {key[2]} workers: wrong result"
        for key, s in series.items()
        if not s.verified
    ]
    return {key: s for key, s in series.items() if s.values}, failures


def parse(argv: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="./dev bench", description=__doc__.split("\n")[0])
    parser.add_argument("name", nargs="?", help=f"'all' or one of: {', '.join(workloads())}")
    parser.add_argument("--list", action="store_true", help="list workloads and their rivals")
    parser.add_argument(
        "--repeat", type=int, metavar="N", help="rounds after the warm-up (default 5; 3 for all)"
    )
    parser.add_argument("--quick", action="store_true", help="one round and no warm-up: does everything run?")
    parser.add_argument(
        "--workers", type=int, action="append", metavar="W", help="may be repeated (default 1 and all cores)"
    )
    parser.add_argument(
        "--only", action="append", metavar="RIVAL", help="run only this rival (may be repeated)"
    )
    parser.add_argument(
        "--against",
        metavar="COMMIT",
        help="instead of rivals: ours as it is and as it was, in turn (default 10 rounds); fails where it is slower",
    )
    parser.add_argument("--timeout", type=float, default=300.0, metavar="S", help="per process (default 300)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write one object per line")
    parser.add_argument(
        "--save", action="store_true", help="raw CSV with a machine note under bench/results/"
    )
    options = parser.parse_args(argv)
    if not options.list and options.name not in [*workloads(), "all"]:
        parser.error(f"no workload '{options.name or ''}'; there are: all, {', '.join(workloads())}")
    if options.repeat is None:
        usual = 10 if options.against else 3 if options.name == "all" else 5
        options.repeat = 1 if options.quick else usual
    if options.against and options.save:
        parser.error("--against compares two builds: --save is for rivals")
    if options.repeat < 1 or any(w < 1 for w in options.workers or []):
        parser.error("--repeat and --workers take numbers of at least 1")
    return options


def workers_for(name: str, options: argparse.Namespace) -> list[int]:
    if name in WITHOUT_WORKERS:
        return [1]
    return options.workers or sorted({1, len(os.sched_getaffinity(0))})


def run_workload(
    name: str, rivals: list[Rival], options: argparse.Namespace, advance: Advance
) -> tuple[list[dict], list[str]]:
    """Rows of the table, and failures."""
    workers = workers_for(name, options)
    series, failures = run_rounds(
        rivals, workers, options.repeat, options.timeout, not options.quick, advance
    )
    if options.against:
        found = list(against.ratios(series))
        against.show(found, options.against)
        slower = [r.key for r in found if r.verdict == "slower"]
        failures += [
            f"{rival} on {workload} with {count} workers: slower" for workload, rival, count in slower
        ]
        return [r.record() for r in found], [f"{name}: {failure}" for failure in failures]
    rows = summarize(series)
    if rows:
        show(rows)
    if options.save and rows:
        console.print(f"saved {save(name, series).relative_to(ROOT)}")
    return rows, [f"{name}: {failure}" for failure in failures]


def choose(name: str, options: argparse.Namespace) -> list[Rival]:
    if options.against:
        return against.pairs_of(name, against.before(options.against), options.only)
    return [r for r in rivals_of(name) if not options.only or r.name in options.only]


def main(argv: list[str]) -> int:
    options = parse(argv)
    if options.list:
        for name in workloads():
            print(f"{name}: {', '.join(r.name for r in rivals_of(name))}")
        return 0
    names = workloads() if options.name == "all" else [options.name]
    try:
        chosen = {name: choose(name, options) for name in names}
    except against.CannotBuildError as reason:
        console.print(f"--against: {reason}", style="red", markup=False)
        return 2
    if not any(chosen.values()):
        console.print(f"[red]no rival of {options.name} to run")
        return 1
    rounds = options.repeat + (not options.quick)
    total = sum(len(rivals) * len(workers_for(name, options)) * rounds for name, rivals in chosen.items())
    rows: list[dict] = []
    failures: list[str] = []
    columns = (
        TextColumn("{task.description:40}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(),
        TextColumn("remaining"), TimeRemainingColumn(),
    )  # fmt: skip
    with Progress(*columns, console=console, transient=True, speed_estimate_period=600) as progress:
        bar = progress.add_task("", total=total, completed=-1)
        for name in filter(chosen.get, names):

            def advance(what: str, name: str = name) -> None:
                progress.update(bar, description=f"{name}: {what}", advance=1)

            more_rows, more_failures = run_workload(name, chosen[name], options, advance)
            rows += more_rows
            failures += more_failures
    if options.json:
        options.json.write_text("".join(json.dumps(row) + "\n" for row in rows))
    for failure in failures:
        console.print(f"failed: {failure}", style="red", markup=False)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
