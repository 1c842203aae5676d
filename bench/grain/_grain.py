"""The faithful heat stencil with a grain chosen by one rival.

The whole run counts, with what it costs to choose meanwhile; what was chosen before, from other runs, costs nothing.
"""

import argparse
import json
import subprocess
from collections.abc import Callable

from treadle.study.grain import SMALLEST_PARTITION as SMALLEST
from treadle.study.grain import Sweep, run_once
from treadle.study.grain_rules import chosen
from treadle.study.metrics import metrics
from treadle.study.programs import program

SIZES = {"grain_1e6": (1_000_000, 500), "grain_1e7": (10_000_000, 100), "grain_1e8": (100_000_000, 50)}

Measure = Callable[[int, int, int], dict]  # of points, steps and workers: what the program says of one run


def run(points: int, steps: int, workers: int, *options: object) -> dict:
    command = [
        program("stencil"), "--kernel", "faithful", "--json", "--warm-up", 10,
        "--points", points, "--steps", steps,
    ]  # fmt: skip
    done = subprocess.run(
        [str(x) for x in (*command, "--workers", workers, *options)],
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


def given(*options: object) -> Measure:
    """With these options of the program."""
    return lambda *size: run(*size, "--verify", *options)


def exhaustive(points: int, steps: int, workers: int) -> dict:
    """
    A run with the best of all partition sizes, without the time that finding it takes: what a user would find by hand.
    The run that found it does not count, as the luckiest of all.
    """
    sizes = [size for size in Sweep(points, per_decade=4).partitions() if size >= 1000]
    results = [run(points, steps, workers, "--partition", size) for size in sizes]
    best = min(results, key=lambda result: result["seconds"])
    return run(points, steps, workers, "--verify", "--partition", best["partition"])


def offline(policy: str) -> Measure:
    """
    A run with the partition that a rule of the paper chooses from runs with all of them, as the paper does, without the
    time that these take. They have ten steps, the smallest partitions fewer; where no partition satisfies the rule, it
    is the largest, as it is for the rule while a program runs.
    """

    def measure(points: int, steps: int, workers: int) -> dict:
        counts = {1, workers} if policy == "paper-costs" else {workers}
        sweep = Sweep(
            points, min(steps, 10), tuple(sorted(counts)), repeats=1, per_decade=4, most_tasks=1_000_000
        )
        rows = metrics(run_once(sweep, *cell) for cell in sweep.cells())
        mine = [row for row in rows if row.workers == workers]
        choice = chosen(policy, mine, sweep.idle_rate) or mine[-1]
        return run(points, steps, workers, "--verify", "--partition", choice.partition)

    return measure


def main(measure: Measure) -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=1)
    workers = parser.parse_args().workers
    for name, (points, steps) in SIZES.items():
        result = measure(points, steps, workers)
        record = {
            "workload": name, "value": result["seconds"], "unit": "s", "operations": points * steps,
            "verified": result["verified"],
        }  # fmt: skip
        print(json.dumps(record))


__all__ = ["SMALLEST", "exhaustive", "given", "main", "offline"]
