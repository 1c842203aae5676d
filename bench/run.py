"""Compare the rivals of a workload: interleaved, verified, with spread and ratios.

A rival (see rivals.py) is called as `<command> --workers W` and prints one JSON object per line on stdout:

    {"workload": "fib", "value": 0.13, "unit": "s", "operations": 1000, "verified": true}

"operations" is optional: with it rivals are compared by the cost of one. So is "faults": pages of memory that the
system had to provide in the time taken. How often the system took the processor from a thread is counted for the whole
process. All rivals run once per round in random order, after one round of warming up, so that a disturbance of the
machine meets everybody. Rounds that the host disturbed (host.py) are made again.
"""

import argparse
import json
import math
import os
import random
import sys
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

import adapting
import again
import against
from host import Round, Watch
from machine import changes, folder_of, machine, save
from process import CannotRunError, CutShortError, measure
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rivals import ROOT, WITHOUT_WORKERS, Rival, console, rivals_of, workloads
from series import Key, Sample, Series, judge_all, rounds_of, show, summarize

Advance = Callable[[str], None]  # told before each run what is going to run
ENOUGH = 10  # rounds, for figures that are kept
BUDGET_S = 100.0  # of one workload, where neither rounds nor figures to be kept are asked for


def run_rounds(
    rivals: list[Rival],
    workers: list[int],
    rounds: int,
    timeout_s: float,
    *,
    seed: int = 1,
    warm_up: bool = True,
    watch: Watch | None = None,
    advance: Advance = lambda _: None,
    budget_s: float = math.inf,
) -> tuple[dict[Key, Series], list[str]]:
    """Until this many rounds count, but at most twice as many; without a `watch` all of them count.

    With a budget there are as many rounds as it has time for, one at least, and each rival may have its share of it in
    a round: what it has printed by then counts. Where it has time for no other round, the first one, of warming up,
    counts.
    """
    begin = time.monotonic()
    share_s = budget_s / max(sum(count >= rival.workers_min for rival in rivals for count in workers), 1)
    cut: set[str] = set()
    series: dict[Key, Series] = defaultdict(Series)
    failures: list[str] = []
    skipped: set[str] = set()
    broken: set[tuple[str, int]] = set()
    chance = random.Random(seed)

    def run_once(rival: Rival, count: int) -> list[tuple[Key, dict]]:
        try:
            records, rss_kb, problem = measure(rival, count, min(timeout_s, share_s))
        except CannotRunError as reason:
            skipped.add(rival.name)
            console.print(f"[yellow]skipping {rival.name}: {reason}")
            return []
        except CutShortError as ended:
            if share_s < timeout_s:
                records, rss_kb = ended.records, 0
                problem = "" if records else f"printed nothing in {share_s:.0f} s"
                cut.add(rival.name)
            else:
                records, rss_kb, problem = [], 0, f"still running after {timeout_s:.0f} s"
        if problem:
            broken.add((rival.name, count))
            failures.append(f"{rival.name} with {count} workers: {problem}")
        keyed = [((record["workload"], rival.name, count), record) for record in records]
        for key, record in keyed:
            entry = series[key]
            entry.unit = record.get("unit", "s")
            entry.verified &= record["verified"] is True
            entry.rss_kb = max(entry.rss_kb, rss_kb)
        return keyed

    def run_all(title: str) -> list[tuple[Key, dict]]:
        runs = [(rival, count) for rival in rivals for count in workers if count >= rival.workers_min]
        found = []
        for rival, count in chance.sample(runs, len(runs)):
            advance(f"{title}: {rival.name}, {count} worker{'s' * (count > 1)}")
            if rival.name not in skipped and (rival.name, count) not in broken:
                found += run_once(rival, count)
        return found

    made = counted = 0

    def keep(found: list[tuple[Key, dict]]) -> None:
        nonlocal made, counted
        made += 1
        now = watch.round(made) if watch else Round(made)
        for key, record in found:
            sample = Sample(record["value"], record["operations"], record["faults"], now, record["switches"])
            series[key].samples.append(sample)
        counted = judge_all(series)

    first = run_all("warming up") if warm_up else []
    round_s = time.monotonic() - begin
    if warm_up and 2 * round_s > budget_s:
        keep(first)
    while counted < rounds and made < (2 * rounds if watch else rounds):
        if made > 0 and time.monotonic() - begin + round_s > budget_s:
            break
        keep(run_all(f"round {made + 1}"))
    if cut or made < rounds:
        told = f"{made} round{'s' * (made > 1)}: there was time for no more in {budget_s:.0f} s"
        if cut:
            told += f"; {', '.join(sorted(cut))} ended early, without larger problems"
        minutes = max((rounds + 1) * round_s / 60, 1)
        more = f"{'more than ' if cut else 'about '}{minutes:.0f} minutes"
        console.print(f"[yellow]{told}. --repeat {rounds} takes {more} and has intervals for all of it.")
    failures += [
        f"{key[1]} on {key[0]} with {key[2]} workers: wrong result"
        for key, s in series.items()
        if not s.verified
    ]
    return {key: s for key, s in series.items() if s.samples}, failures


def parse(argv: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="./dev bench", description=__doc__.split("\n")[0])
    parser.add_argument("name", nargs="?", help=f"'all' or one of: {', '.join(workloads())}")
    parser.add_argument("--list", action="store_true", help="list workloads and their rivals")
    parser.add_argument(
        "--repeat",
        type=int,
        metavar="N",
        help=f"rounds that count, after the warm-up (default: {ENOUGH}, or as many as fit into two minutes; 3 for all)",
    )
    parser.add_argument("--seed", type=int, metavar="N", help="of the order of the rivals (default: any)")
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
        help="instead of rivals: ours as it is and as it was, in turn; fails where it is slower",
    )
    parser.add_argument(
        "--adapting",
        action="store_true",
        help="instead of rivals: what adapting costs ours, once; fails where it is too much",
    )
    parser.add_argument(
        "--again",
        action="store_true",
        help="beside rivals: do the medians agree with those that were saved on such a machine?",
    )
    parser.add_argument("--timeout", type=float, default=300.0, metavar="S", help="per process (default 300)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write one object per line")
    parser.add_argument(
        "--save",
        action="store_true",
        help=f"raw CSV with a machine note under bench/results/; at least {ENOUGH} rounds of a commit",
    )
    options = parser.parse_args(argv)
    known = ["all", *workloads(), *(["apps"] if options.adapting else [])]
    if not options.list and options.name not in known:
        parser.error(f"no workload '{options.name or ''}'; there are: {', '.join(known)}")
    whole = options.repeat is not None or options.name == "all" or options.quick
    whole |= options.save or options.again or options.adapting or options.against is not None
    options.budget_s = math.inf if whole else BUDGET_S
    if options.repeat is None:
        usual = 3 if options.name == "all" and not options.save else ENOUGH
        options.repeat = 1 if options.quick else usual
    if options.seed is None:
        options.seed = random.SystemRandom().randrange(1 << 32)
    if options.save and (options.against or options.adapting):
        parser.error("--save is for rivals")
    if options.again and (options.against or options.adapting or options.quick):
        parser.error("--again takes whole measurements of rivals")
    if options.against and options.adapting:
        parser.error("--against and --adapting are two different looks")
    if options.repeat < 1 or any(w < 1 for w in options.workers or []):
        parser.error("--repeat and --workers take numbers of at least 1")
    if options.save and options.repeat < ENOUGH:
        parser.error(f"--save takes at least {ENOUGH} rounds, not {options.repeat}")
    if options.save and (found := changes()):
        parser.error(f"--save takes figures of a commit, and this tree differs from it: {found}")
    return options


def workers_for(name: str, options: argparse.Namespace) -> list[int]:
    if name in WITHOUT_WORKERS:
        return [1]
    return options.workers or sorted({1, len(os.sched_getaffinity(0))})


def run_workload(
    name: str, rivals: list[Rival], options: argparse.Namespace, advance: Advance
) -> tuple[list[dict], list[str]]:
    """Rows of the table, and failures."""
    watch = None if options.quick else Watch()
    series, failures = run_rounds(
        rivals, workers_for(name, options), options.repeat, options.timeout,
        seed=options.seed, warm_up=not options.quick, watch=watch, advance=advance, budget_s=options.budget_s,
    )  # fmt: skip
    rounds = rounds_of(series.values())
    counted = sum(r.counts for r in rounds)
    if counted < len(rounds):
        console.print(f"[yellow]{name}: the host disturbed {len(rounds) - counted} of {len(rounds)} rounds")
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
    if options.again:
        found, why_not = again.compare(name, folder_of(machine()), series)
        if why_not:
            failures.append(f"--again: {why_not}")
        else:
            again.show(found)
            rows += [cell.record() for cell in found]
    if options.save and counted >= ENOUGH:
        console.print(f"saved {save(name, series, options.seed).relative_to(ROOT)}")
    elif rounds and (options.save or not counted):
        what = f"nothing is saved of less than {ENOUGH}" if options.save else "there is nothing to show"
        failures.append(f"the host was quiet in {counted} of {len(rounds)} rounds: {what}")
    return rows, [f"{name}: {failure}" for failure in failures]


def choose(name: str, options: argparse.Namespace) -> list[Rival]:
    if options.against:
        return against.pairs_of(name, against.before(options.against), options.only)
    found = adapting.APPS if name == "apps" else rivals_of(name)
    if options.adapting and name != "apps":
        found = [r for r in found if r.is_ours]
    return [r for r in found if not options.only or r.name in options.only]


def main(argv: list[str]) -> int:
    options = parse(argv)
    if options.list:
        for name in workloads():
            print(f"{name}: {', '.join(r.name for r in rivals_of(name))}")
        return 0
    names = workloads() if options.name == "all" else [options.name]
    if options.adapting and options.name == "all":
        names.append("apps")
    try:
        chosen = {name: choose(name, options) for name in names}
    except against.CannotBuildError as reason:
        console.print(f"--against: {reason}", style="red", markup=False)
        return 2
    if not any(chosen.values()):
        console.print(f"[red]no rival of {options.name} to run")
        return 1
    rounds = 1 if options.adapting else options.repeat + (not options.quick)
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

            if options.adapting:
                counts = workers_for(name, options)
                more_rows, more_failures = adapting.cost(name, chosen[name], counts, options.timeout, advance)
            else:
                more_rows, more_failures = run_workload(name, chosen[name], options, advance)
            rows += more_rows
            failures += more_failures
    if options.adapting:
        adapting.show(rows)
    if options.json:
        options.json.write_text("".join(json.dumps(row) + "\n" for row in rows))
    for failure in failures:
        console.print(f"failed: {failure}", style="red", markup=False)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
