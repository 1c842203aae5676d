"""ALS in the literal form of the paper's program, timed for one rival: the same Python function, compiled or not."""

import argparse
import functools
import json
import os
import sys
from pathlib import Path
from statistics import median

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np  # noqa: E402
from stopwatch import timed  # noqa: E402

import treadle as td  # noqa: E402
from treadle.demo.data import Workload, als_paper, als_workload  # noqa: E402
from treadle.demo.runner import largest_difference  # noqa: E402


def synthetic(users: int, items: int, factors: int) -> Workload:
    random = np.random.default_rng(7)
    ratings = (random.random((users, items)) < 0.2) * random.integers(1, 6, (users, items)).astype(float)
    return als_workload(f"als-{users}x{items}", "ALS", ratings, factors, 2)


WORKLOADS = {
    "als-10x5": (als_paper, 30),
    "als-10x100": (lambda: synthetic(10, 100, 10), 5),
    "als-64x64": (lambda: synthetic(64, 64, 8), 5),
    "als-256x256": (lambda: synthetic(256, 256, 16), 1),
}


def main(policy: str | None) -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=1)
    workers = parser.parse_args().workers
    for name, (make, runs) in WORKLOADS.items():
        workload = make()
        with td.config(workers=workers, policy=policy or "always-inline", enabled=policy is not None):
            run = functools.partial(workload.program, *workload.arguments)
            run()  # untimed; compiles, and lets a policy decide
            found = [timed(run) for _ in range(runs)]
        answer = found[-1][2]
        expected = workload.program.__treadle_function__(*workload.arguments)
        record = {
            "workload": name, "value": median(seconds for seconds, _, _ in found), "unit": "s",
            "verified": largest_difference(answer, expected) < 1e-6, "operations": workload.steps,
            "faults": median(faults for _, faults, _ in found),
        }  # fmt: skip
        print(json.dumps(record))
