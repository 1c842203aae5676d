"""The study of task sizes: its equations, and that it can be interrupted."""

import csv
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from treadle.study import grain
from treadle.study.grain import Sweep
from treadle.study.log import read
from treadle.study.metrics import Run, metrics

TREADLE = str(Path(sys.executable).with_name("treadle"))
RUN = Run(
    points=1000, steps=10, partition=100, workers=2, repeat=0, cores=2, seconds=2.0, tasks=100, executing_ns=600,
    overall_ns=1000, management_ns=100, search_ns=200, parked_ns=100, pending_accesses=50, pending_misses=7,
)  # fmt: skip


def test_the_equations():
    one = replace(RUN, workers=1, executing_ns=400, overall_ns=500)
    alone, both = metrics([RUN, one])
    assert (alone.workers, both.workers) == (1, 2)
    assert both.idle_rate == pytest.approx(0.4)
    assert both.task_ns == 6 and both.overhead_ns == 4
    assert both.management_s == pytest.approx(4 * 100 / 2 * 1e-9)
    assert both.wait_ns == 2 and both.wait_s == pytest.approx(2 * 100 / 2 * 1e-9)
    assert both.points_per_s == 5000 and both.own_management_ns == 1
    assert alone.wait_ns == 0
    assert metrics([RUN])[0].wait_ns is None
    spread = metrics([RUN, replace(RUN, repeat=1, seconds=4.0)])[0]
    assert (spread.runs, spread.seconds, spread.seconds_deviation) == (2, 3, 1)


def test_runs_of_fewer_steps_are_scaled():
    few = metrics([RUN, replace(RUN, partition=50, steps=5)])[0]
    assert (few.partition, few.seconds, few.pending_accesses, few.points_per_s) == (50, 4, 100, 2500)
    assert (few.task_ns, few.overhead_ns) == (6, 4)


def test_the_grid():
    sweep = Sweep(points=160_000, per_decade=2)
    assert sweep.partitions() == [160, 506, 1600, 5060, 16000, 50596, 160000]
    assert sweep.steps_of(160) == 50
    assert Sweep(most_tasks=1_000_000).steps_of(160) == 1
    warm_up, cut = Sweep(most_tasks=1_000_000).left_out()
    assert "10 steps of warm-up" in warm_up and "at most 1,000,000 tasks" in cut
    assert Sweep(most_tasks=1 << 40).left_out() == [warm_up]
    for wrong in ({"points": 10}, {"steps": 0}, {"workers": ()}, {"workers": (0,)}, {"repeats": 0}):
        with pytest.raises(ValueError):
            Sweep(**wrong)


def test_it_goes_on_where_it_was(tmp_path, monkeypatch):
    made = []

    def fake(sweep, repeat, partition, workers):
        if len(made) == 5:
            raise KeyboardInterrupt
        made.append((repeat, partition, workers))
        return replace(
            RUN, points=sweep.points, steps=sweep.steps, partition=partition, workers=workers, repeat=repeat
        )

    monkeypatch.setattr(grain, "run_once", fake)
    sweep = Sweep(points=16_000, per_decade=1, repeats=2)
    file = tmp_path / "deep" / "grain.csv"
    with pytest.raises(KeyboardInterrupt):
        grain.measure(sweep, file, lambda *_: None)
    assert len(read(file, Run)) == 5
    assert len(grain.runs_of(sweep, read(file, Run))) == 5
    assert grain.runs_of(replace(sweep, steps=7), read(file, Run)) == []
    file.write_text(file.read_text()[:-1])  # a line that was not written in full, and may lack digits
    before = list(made)
    made.clear()
    with pytest.raises(KeyboardInterrupt):
        grain.measure(sweep, file, lambda *_: None)
    assert made[0] == before[-1] and len(set(made) & set(before)) == 1


def test_a_small_study(tmp_path):
    arguments = [
        "--points",
        "20000",
        "--steps",
        "3",
        "--repeats",
        "1",
        "--per-decade",
        "1",
        "--no-simulate",
        "--out",
        str(tmp_path),
    ]
    done = subprocess.run([TREADLE, "study", "grain", *arguments], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    with (tmp_path / "grain.csv").open() as lines:
        rows = list(csv.DictReader(lines))
    assert len(rows) == len(list(Sweep(20000, 3, repeats=1, per_decade=1).cells()))
    for row in rows:
        tasks = -(-20000 // int(row["partition"])) * 3
        assert float(row["tasks"]) in (tasks, tasks + 1)
    page = (tmp_path / "grain.html").read_text()
    assert page.count("<svg") >= 8 and "Figure 6" in page and "<script" not in page
    again = subprocess.run([TREADLE, "study", "grain", *arguments], capture_output=True, text=True)
    assert again.returncode == 0 and len((tmp_path / "grain.csv").read_text().splitlines()) == len(rows) + 1


def test_interrupted(tmp_path):
    arguments = ["--points", "3000000", "--steps", "50", "--repeats", "50", "--out", str(tmp_path)]
    study = subprocess.Popen([TREADLE, "study", "grain", *arguments], stderr=subprocess.PIPE, text=True)
    while not (tmp_path / "grain.csv").is_file() or len(read(tmp_path / "grain.csv", Run)) < 2:
        assert study.poll() is None
        time.sleep(0.05)
    study.send_signal(signal.SIGINT)
    _, err = study.communicate(timeout=60)
    assert study.returncode == 130 and "Traceback" not in err, err
    assert len(read(tmp_path / "grain.csv", Run)) >= 2
    assert "the same command goes on" in (tmp_path / "grain.html").read_text()


def test_wrong_numbers(tmp_path):
    done = subprocess.run(
        [TREADLE, "study", "grain", "--points", "10", "--out", str(tmp_path)], capture_output=True, text=True
    )
    assert done.returncode == 1 and "points: at least 160" in done.stderr and "Traceback" not in done.stderr
