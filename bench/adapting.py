"""What adapting costs our programs: the controller's processor time, and what exploring took longer than need be, as
shares of the time for which their runtimes ran, decisions of all kinds together.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from process import environment
from rich.console import Console
from rich.table import Table
from rivals import BUILD, ROOT, Rival

MOST = {"/tuning/time/cumulative": 0.005, "/tuning/time/exploring": 0.01}  # of the time

STENCIL = (str(BUILD.parent / "apps" / "stencil"), "--points", "10000000", "--kernel")
TREADLE = (str(Path(sys.executable).with_name("treadle")),)
APPS = [
    Rival("stencil, as in the paper", (*STENCIL, "faithful", "--partition", "10000")),
    Rival("stencil, grain found", (*STENCIL, "faithful", "--partition", "1000", "--grain", "auto")),
    Rival("stencil, fast", (*STENCIL, "best", "--repeat", "10")),
    Rival("fib in PhySL", (*TREADLE, "physl", str(ROOT / "apps" / "physl" / "fib.physl"), "24")),
    Rival("demonstration", (*TREADLE, "demo", "all", "--output", os.devnull)),
]


def shares(rival: Rival, workers: int, timeout_s: float) -> tuple[float, list[float]]:
    """The seconds for which there was a runtime, and a share for each of MOST; raises RuntimeError where it fails."""
    with tempfile.TemporaryDirectory() as folder:
        readings = Path(folder) / "readings"
        asked = {
            "TREADLE_PRINT_COUNTER": ";".join(MOST),
            "TREADLE_PRINT_COUNTER_FORMAT": "json",
            "TREADLE_PRINT_COUNTER_DESTINATION": str(readings),
        }
        command = [*rival.command, "--workers", str(workers)]
        done = subprocess.run(
            command, env=environment() | asked, capture_output=True, text=True, timeout=timeout_s
        )
        if done.returncode != 0:
            raise RuntimeError(f"exit code {done.returncode}: {done.stderr.strip()[-300:]}")
        lines = [json.loads(line) for line in readings.read_text().splitlines()] if readings.exists() else []
    seconds = sum(line["time_s"] for line in lines)  # one runtime after the other
    spent_ns = zip(*(line["counters"].values() for line in lines), strict=True)  # by the process so far
    return seconds, [max(ns) * 1e-9 / seconds for ns in spent_ns]


def cost(
    name: str, rivals: list[Rival], workers: list[int], timeout_s: float, advance: Callable[[str], None]
) -> tuple[list[dict], list[str]]:
    """Rows of the table, and failures."""
    rows, failures = [], []
    for rival in rivals:
        for count in workers:
            label = f"{name}: {rival.name}, {count} worker{'s' * (count > 1)}"
            advance(f"{rival.name}, {count}")
            try:
                seconds, found = shares(rival, count, timeout_s)
            except (RuntimeError, subprocess.TimeoutExpired) as problem:
                failures.append(f"{label}: {problem}")
                continue
            if not found:  # no runtime was started
                continue
            rows.append(
                {"workload": name, "rival": rival.name, "workers": count, "seconds": seconds}
                | dict(zip(MOST, found, strict=True))
            )
            failures += [
                f"{label}: {counter} is {share:.2%} of the time, more than {most:.1%}"
                for (counter, most), share in zip(MOST.items(), found, strict=True)
                if share > most
            ]
    return rows, failures


def show(rows: list[dict]) -> None:
    table = Table(title="what adapting costs, of the time")
    for column in ("workload", "program", "workers", "time", "deciding", "exploring"):
        table.add_column(column, justify="left" if column in ("workload", "program") else "right")
    for row in rows:
        cells = (f"{row[counter]:.3%}" for counter in MOST)
        table.add_row(row["workload"], row["rival"], str(row["workers"]), f"{row['seconds']:.2f} s", *cells)
    Console(width=None if sys.stdout.isatty() else 120).print(table)
