"""Cells of the inlining study, timed for one policy: the ALS tree of the paper, each run with a tree of its own.

An untimed run comes first, of another tree that knows nothing: workers, memory and BLAS are warm, the tree is not.
"""

import argparse
import functools
import json
import os
import sys
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np  # noqa: E402
from stopwatch import timed  # noqa: E402

import treadle as td  # noqa: E402
from treadle.demo.data import als_workload  # noqa: E402
from treadle.study.inlining import Cell, factors_of, ratings, run_once  # noqa: E402

CELLS = {  # users, items, iterations
    "inlining_10x5": (10, 5, 2000),
    "inlining_64x64": (64, 64, 20),
    "inlining_100x100": (100, 100, 10),
    "inlining_40x400": (40, 400, 4),
    "inlining_400x400": (400, 400, 3),
}


def deciding_ns() -> float:
    """What all that tunes has cost this process."""
    found = td.counters["/tuning/time/cumulative"]
    return found if isinstance(found, float) else 0.0


def main(policy: str | None) -> None:
    """`policy`; None: the same function in NumPy."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=1)
    workers = parser.parse_args().workers
    for name, (users, items, iterations) in CELLS.items():
        cell = Cell(0, "python", "sizes", users, items, iterations, workers, policy or "")
        workload = als_workload("als", "ALS", ratings(users, items), factors_of(users, items), iterations)
        plain = functools.partial(workload.program.__treadle_function__, *workload.arguments)
        expected = plain()
        checksum = float(sum(np.abs(f).sum() for f in expected))
        verified = True
        if policy:
            run_once(cell)
            before = deciding_ns()
            run = run_once(cell)
            seconds = run.seconds
            verified = abs(run.checksum - checksum) < 1e-6 * checksum
            share = (deciding_ns() - before) * 1e-7 / seconds
            print(json.dumps({
                "workload": f"deciding_{name}", "value": share, "unit": "%", "verified": True, "operations": 0,
            }))  # fmt: skip
        else:
            seconds, *_ = timed(plain)
        print(json.dumps({
            "workload": name, "value": seconds, "unit": "s", "verified": verified, "operations": iterations,
        }))  # fmt: skip
