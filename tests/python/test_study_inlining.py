"""The study of inlining: what it measures, that it can be interrupted, and its page."""

import csv
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from treadle.study import inlining, inlining_simulated, inlining_simulated_page
from treadle.study.inlining import LOWER_US, POLICIES, Cell, Plan, Run
from treadle.study.inlining_page import against_best, comparison, improvement, page
from treadle.study.log import read

TREADLE = str(Path(sys.executable).with_name("treadle"))
TINY = Plan(
    workers=(2,), repeats=1, iterations=1, threshold_size=(12, 9), sizes=((10, 5), (12, 9)), large=((6, 20),),
    small_iterations=(3,),
)  # fmt: skip


def test_the_plan_is_the_papers():
    cells = list(Plan().cells())
    assert len(cells) == len(set(cells)) == 3 * 3 * (len(LOWER_US) + 1 + 5 * (5 + 4 + 3))
    sweep = [c for c in cells if c.experiment == "threshold"]
    assert {(c.users, c.items, c.iterations) for c in sweep} == {(400, 400, 10)}
    assert all(c.upper_us == c.lower_us + 100 for c in sweep)
    assert {c.upper_us for c in cells if c.experiment == "sizes"} == {500}
    assert {(c.users, c.items) for c in cells if c.experiment == "large"} == {
        (100, 5000),
        (500, 2000),
        (500, 5000),
    }
    assert {c.iterations for c in cells if c.experiment == "iterations"} == {2000, 3000, 4000, 5000}
    for wrong in ({"repeats": 0}, {"workers": ()}, {"workers": (0,)}, {"experiments": ("all",)}):
        with pytest.raises(ValueError):
            Plan(**wrong)


def test_all_policies_compute_the_same(tmp_path):
    runs = inlining.measure(TINY, tmp_path / "inlining.csv", lambda *_: None)
    assert len(runs) == len(list(TINY.cells()))
    for experiment in TINY.experiments:
        of = [r for r in runs if r.experiment == experiment]
        for size in {(r.users, r.items, r.iterations) for r in of}:
            same = [r for r in of if (r.users, r.items, r.iterations) == size]
            assert len({r.checksum for r in same}) == 1, size
            assert len({r.evaluations for r in same}) == 1, size
    assert all(r.spawned == 0 for r in runs if r.policy == "always-inline")
    assert all(r.spawned > 0 for r in runs if r.policy == "always-async")
    text = page(TINY, runs, len(runs), len(runs))
    assert (
        text.count("<svg") == 4
        and "Figure 11" in text
        and "<script" not in text
        and "do not agree" not in text
    )


def test_it_goes_on_where_it_was(tmp_path, monkeypatch):
    made = []

    def fake(cell: Cell) -> Run:
        if len(made) == 7:
            raise KeyboardInterrupt
        made.append(cell)
        return run_of(cell)

    monkeypatch.setattr(inlining, "run_once", fake)
    file = tmp_path / "deep" / "inlining.csv"
    with pytest.raises(KeyboardInterrupt):
        inlining.measure(TINY, file, lambda *_: None)
    assert [r.cell for r in read(file, Run)] == made
    assert inlining.runs_of(replace(TINY, workers=(1,)), read(file, Run)) == []
    file.write_text(file.read_text()[:-6])  # a line that was not written in full
    before = list(made)
    made.clear()
    with pytest.raises(KeyboardInterrupt):
        inlining.measure(TINY, file, lambda *_: None)
    assert made[0] == before[-1] and not set(made[1:]) & set(before)


def run_of(cell: Cell, seconds: float = 1.0) -> Run:
    return Run(
        cell.repeat, cell.experiment, cell.users, cell.items, cell.iterations, cell.workers, cell.policy, cell.lower_us,
        seconds, 100, 10, 5.5,
    )  # fmt: skip


def test_the_findings():
    speed = {
        "always-async": 2.0,
        "always-inline": 1.0,
        "paper-baseline": 1.6,
        "paper-adaptive": 1.2,
        "adaptive": 1.01,
    }
    runs = [
        run_of(c, seconds=speed[c.policy] if c.experiment != "threshold" else abs(c.lower_us - 300) + 1)
        for c in replace(TINY, repeats=3).cells()
    ]
    assert improvement([r for r in runs if r.experiment == "sizes"], "paper-baseline", "always-async") == (
        pytest.approx(20), pytest.approx(20),
    )  # fmt: skip
    assert against_best(runs) == (pytest.approx(-1), pytest.approx(-1))
    assert against_best(runs, min) == against_best(runs)
    found = {what: here for what, _, here in comparison(runs)}
    assert "2 workers: 300 µs" in " ".join(found.values())
    assert "-400.0 ms more" in " ".join(found.values())
    assert comparison([])[0][2] == "not measured"
    assert set(speed) == set(POLICIES)


def test_the_command(tmp_path):
    arguments = [
        "--experiment",
        "iterations",
        "--workers",
        "1",
        "--repeats",
        "1",
        "--quick",
        "--out",
        str(tmp_path),
    ]
    done = subprocess.run([TREADLE, "study", "inlining", *arguments], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    with (tmp_path / "inlining.csv").open() as lines:
        assert len(list(csv.DictReader(lines))) == 2 * len(POLICIES)
    assert "paper says" in (tmp_path / "inlining.html").read_text()
    wrong = subprocess.run(
        [TREADLE, "study", "inlining", "--experiment", "x", "--out", str(tmp_path)],
        capture_output=True,
        text=True,
    )
    assert wrong.returncode == 1 and "no experiment 'x'" in wrong.stderr and "Traceback" not in wrong.stderr


def test_the_simulated_part_has_the_same_experiments_on_more_cores(tmp_path):
    plan = TINY
    cells = inlining_simulated.cells(plan, (2, 8))
    assert len(cells) == len(set(cells)) == 2 * 2 * (5 * 4 + len(LOWER_US)) + 2 * 4
    told = []
    runs = inlining_simulated.simulate(plan, (2, 8), tmp_path, lambda *what: told.append(what))
    assert (
        [r.cell for r in runs]
        == cells
        == [r.cell for r in inlining_simulated.runs_of(plan, (2, 8), tmp_path)]
    )
    assert told[-1][:2] == (len(cells), len(cells)) and "simulated" in told[0][2]
    assert not (tmp_path / "recordings").exists()
    by_cell = {r.cell: r for r in runs}
    for r in runs:
        assert r.seconds > 0.99 * r.inlined_seconds / r.cores  # all work, at the speed it is scaled to
        if r.policy == "never":
            assert r.inlined == 0
    assert any(r.inlined > 0 for r in runs if r.policy == "paper-baseline")
    again = inlining_simulated.simulate(plan, (2, 8), tmp_path, lambda *_: None)
    assert [by_cell[r.cell] for r in again] == again  # read, not made again


def test_the_simulated_part_of_the_page_says_so(tmp_path):
    runs = inlining_simulated.simulate(TINY, (2, 8), tmp_path, lambda *_: None)
    measured = inlining.measure(TINY, tmp_path / "inlining.csv", lambda *_: None)
    text = page(TINY, measured, 1, 1, inlining_simulated_page.parts(runs))
    assert "Simulated: 2 to 8 cores" in text and "All simulated numbers" in text and "Figure 11" in text
    assert text.count("<svg") == 4 + 2 * 4
    assert re.search(r"what the simulation says of paper-baseline there: -?\d+ and -?\d+ %", text)
    assert "not known how far off" in inlining_simulated_page.errors([])
    assert inlining_simulated_page.parts([]) == []
