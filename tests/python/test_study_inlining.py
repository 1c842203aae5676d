"""The study of inlining: what it measures, that it can be interrupted, and its page."""

import csv
import re
import subprocess
import sys
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest

import treadle as td
from treadle.study import inlining, inlining_simulated, inlining_simulated_page
from treadle.study.inlining import (
    PAPER_ASYNC,
    PAPER_SWEEP_US,
    PROGRAMS,
    SERIES,
    SWEEP_US,
    Cell,
    Plan,
    Run,
    Search,
)  # fmt: skip
from treadle.study.inlining_findings import (
    against_best,
    best_thresholds,
    comparison,
    disagreements,
    gains,
    growth,
    in_words,
    late_threshold,
    level_thresholds,
    overhead,
    scaling,
)  # fmt: skip
from treadle.study.inlining_page import page
from treadle.study.log import read
from treadle.study.ratings import Ratings

TREADLE = str(Path(sys.executable).with_name("treadle"))
TINY = Plan(
    workers=(2,), repeats=1, iterations=1, threshold_size=(12, 9), sizes=((10, 5), (12, 9)), large=((6, 20),),
    small_iterations=(3,), overhead=(((10, 5), 2), ((12, 9), 1)), overhead_runs=4,
)  # fmt: skip


def test_the_plan_is_the_papers():
    cells = list(Plan(workers=(1, 2, 4)).cells())
    each = len(SWEEP_US) + 1 + 6 * (5 + 4 + 3)
    assert len(cells) == len(set(cells)) == 3 * 3 * 2 * each + 2 * 100
    assert {c.program for c in cells} == set(PROGRAMS) and {c.policy for c in cells} == set(SERIES)
    sweep = [c for c in cells if c.experiment == "threshold"]
    assert {(c.users, c.items, c.iterations) for c in sweep} == {(400, 400, 10)}
    assert all(c.upper_us == c.lower_us + 100 for c in sweep if c.lower_us >= 100)
    assert {c.lower_us: c.upper_us for c in sweep if c.lower_us < 100} == {0: 0, 1: 2, 3: 6, 10: 20, 30: 60}
    assert {(c.lower_us, c.upper_us) for c in cells if c.experiment == "sizes"} == {(350, 500), (0, 0)}
    assert {c.policy for c in cells if c.upper_us == 0 and c.experiment == "sizes"} == {PAPER_ASYNC}
    assert {(c.users, c.items) for c in cells if c.experiment == "large"} == {
        (100, 5000),
        (500, 2000),
        (500, 5000),
    }
    assert {c.iterations for c in cells if c.experiment == "iterations"} == {2000, 3000, 4000, 5000}
    costs = [c for c in cells if c.experiment == "overhead"]
    assert (
        [c.policy for c in costs[:2]]
        == [c.policy for c in costs[9:7:-1]]
        == ["paper-baseline", "paper-adaptive"]
    )
    assert {c.workers for c in costs} == {1} and len({(c.users, c.items) for c in costs}) == 4
    for wrong in ({"repeats": 0}, {"workers": ()}, {"workers": (0,)}, {"experiments": ("all",)},
                  {"programs": ("C",)}):  # fmt: skip
        with pytest.raises(ValueError):
            Plan(**wrong)


def test_the_search_is_an_option():
    how = Search.parse("exhaustive", "10:30:10", 8)
    cells = [c for c in Plan(search=how).cells() if c.policy == "paper-adaptive"]
    assert {c.search for c in cells} == {"exhaustive 10:30:10 8"} == {how.name}
    assert all(c.search == "" for c in Plan(search=how).cells() if c.policy != "paper-adaptive")
    assert not set(cells) & set(Plan().cells())  # runs of another search are others
    assert how.settings_checked()["thresholds_ns"] == (10_000, 30_000, 10_000)
    for wrong, said in (
        (("exhaustive", "10:30", 8), "FIRST:LAST:STEP"),
        (("exhaustive", "30:10:5", 8), "no thresholds from 30000 to 10000 ns"),
        (("exhaustive", "10:30:0", 8), "in steps of 0 ns"),
        (("exhaustive", "10:30:-1", 8), "three numbers"),
        (("exhaustive", "10:30:10", 5), "more than 5 evaluations, not 5"),
        (("local-ucb", "10:30:10", 8), "never ends"),
        (("best", "10:30:10", 8), "no search strategy 'best'"),
    ):
        with pytest.raises(ValueError, match=said):
            Search.parse(*wrong)
    with pytest.raises(ValueError, match="window is one"), td.config(window="many"):
        pass


def test_ratings_of_a_table(tmp_path):
    file = tmp_path / "ratings.csv"
    table = np.arange(15 * 12).reshape(15, 12) % 7
    np.savetxt(file, table, delimiter=",", fmt="%d")
    given = Ratings.read(file)
    plan = replace(TINY, ratings=given, workers=(1,))
    assert {(c.users, c.items) for c in plan.cells()} == {(10, 5), (12, 9)}  # not 6 x 20
    assert np.array_equal(given.of(12, 9), table[:12, :9]) and given.of(12, 9).flags.c_contiguous
    notes = " ".join(plan.left_out())
    assert "ratings.csv (15 x 12) is too small for 6 x 20" in notes and "first rows and columns" in notes
    assert not set(plan.cells()) & {c for c in replace(TINY, workers=(1,)).cells() if c.users == 12}
    cell = next(c for c in plan.cells() if (c.users, c.program) == (12, "python"))
    assert inlining.run_once(cell, plan).checksum != inlining.run_once(cell, TINY).checksum
    file.write_text("1,2\n3,-4\n")
    with pytest.raises(ValueError, match="row 2, column 2 is -4"):
        Ratings.read(file)
    with pytest.raises(ValueError, match="none of the study's sets is so small"):
        Plan(ratings=Ratings("t", np.ones((3, 3))), experiments=("large",))


def test_all_policies_compute_the_same(tmp_path):
    runs = inlining.measure(TINY, tmp_path / "inlining.csv", lambda *_: None)
    assert len(runs) == len(list(TINY.cells()))
    for experiment in TINY.experiments:
        of = [r for r in runs if r.experiment == experiment]
        for size in {(r.users, r.items, r.iterations) for r in of}:
            for program in PROGRAMS:
                same = [r for r in of if (r.users, r.items, r.iterations) == size and r.program == program]
                assert len({r.checksum for r in same}) <= 1, size
                assert len({r.evaluations for r in same}) <= 1, size
    assert disagreements(runs) == []
    for r in (r for r in runs if r.policy == PAPER_ASYNC):
        like = next(o for o in runs if o.policy == "always-inline" and o.cell == replace(
            r.cell, policy="always-inline", lower_us=o.lower_us))  # fmt: skip
        assert 0 < r.spawned < r.evaluations == like.evaluations
    assert all(r.spawned == 0 for r in runs if r.policy == "always-inline")
    assert all(r.spawned > 0 for r in runs if r.policy == "always-async")
    text = page(TINY, runs, len(runs), len(runs))
    assert (
        text.count("<svg") == 2 * 4
        and "Figure 11" in text
        and "<script" not in text
        and "do not agree" not in text
    )


def test_it_goes_on_where_it_was(tmp_path, monkeypatch):
    made = []

    def fake(cell: Cell, plan: Plan) -> Run:
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


def run_of(cell: Cell, seconds: float = 1.0, spawned: int = 10) -> Run:
    return Run(**asdict(cell), cores=2, seconds=seconds, evaluations=100, spawned=spawned, checksum=5.5)


SPEED = {
    "always-async": 2.0,
    "always-inline": 1.0,
    "paper-baseline": 1.6,
    "paper-adaptive": 1.2,
    "adaptive": 1.01,
    PAPER_ASYNC: 2.0,
}


def made_up(plan: Plan, seconds=lambda cell: SPEED[cell.policy]) -> list[Run]:
    return [run_of(c, seconds=seconds(c)) for c in plan.cells()]


def test_the_findings():
    plan = replace(TINY, repeats=6, workers=(1, 4))
    runs = made_up(plan, lambda c: SPEED[c.policy] * (1 + 0.001 * c.repeat))
    sizes = [r for r in runs if r.experiment == "sizes"]
    found = gains(sizes, "paper-baseline", PAPER_ASYNC)
    assert (
        found.of_cases == (pytest.approx(20),) * 8 and found.sure == 8
    )  # 2 programs, sizes, numbers of workers
    assert found.said().startswith(
        "8 of 8 cases improve, by 20.0 ± 0.0 %; all: +20.0 to +20.0 %; intervals apart in 8"
    )
    worse = gains(sizes, PAPER_ASYNC, "paper-baseline")
    assert worse.improved == () and worse.said().startswith("0 of 8 cases improve; all: -25.0 to -25.0 %")
    assert gains(sizes[:6], "paper-baseline", PAPER_ASYNC).sure == 0  # one run of each: nothing is sure
    assert gains([], "adaptive", PAPER_ASYNC).said() == "not measured"
    assert against_best(runs) == (pytest.approx(-1), pytest.approx(-1))
    assert against_best(runs, min) == against_best(runs)
    told = {what: here for what, _, here in comparison(runs)}
    eight = next(here for what, here in told.items() if what.startswith("Figures 8"))
    assert [line.partition(":")[0] for line in eight.splitlines()] == [
        "physl", "physl, oversubscribed", "python", "python, oversubscribed",
    ]  # fmt: skip
    assert "12 x 9: -4e+06 (-4e+06 to -4e+06) ns per evaluation, -25 (-25 to -25) %" in overhead(made_up(
        replace(TINY, overhead_runs=12)))  # fmt: skip
    assert comparison([])[0][2] in ("", "not measured") and "nan" not in " ".join(told.values())
    assert set(SPEED) == set(SERIES)


def test_a_best_threshold_needs_intervals_apart():
    plan = replace(TINY, repeats=6, workers=(2,), experiments=("threshold",), programs=("physl",))

    def said(seconds):
        return best_thresholds(made_up(plan, seconds))

    assert said(lambda c: abs(c.lower_us - 300) + 1 + 0.01 * c.repeat) == "2 workers: 300 µs"
    assert said(lambda c: 1 + 0.01 * c.repeat) == "2 workers: no optimum within the noise"
    assert said(lambda c: (2 if c.lower_us < 300 else 1) + 0.01 * c.repeat) == (
        "2 workers: no optimum within the noise of 300 to 1000 µs"
    )
    few = best_thresholds(made_up(replace(plan, repeats=3), lambda c: c.lower_us + 1))
    assert few == "2 workers: 0 µs took least time; no interval with fewer than 6 runs"
    assert best_thresholds([]) == "not measured"
    assert in_words([3, 100, 200, 300], SWEEP_US) == "3 and 100 to 300 µs"


def test_how_far_large_thresholds_are_from_each_other():
    plan = replace(TINY, repeats=3, workers=(2, 4), experiments=("threshold",), programs=("physl",))
    runs = made_up(
        plan, lambda c: 10 - c.lower_us / 100 if c.lower_us < 900 else 2.2 if c.lower_us < 1000 else 2.1
    )
    two, four = level_thresholds(runs).split("; ")
    assert two == "2 workers: within 200.0 % of each other, the best takes 71.4 % less time than 300 µs"
    assert four.startswith("4 workers, oversubscribed: ")
    late = "-10.0 % from 800 to 900 µs, +4.5 % from 900 to 1000 µs"
    assert late_threshold(runs) == f"2 workers: {late}; 4 workers, oversubscribed: {late}"
    assert level_thresholds([]) == late_threshold([]) == "not measured"
    cores = inlining_simulated_page.on_cores
    assert inlining_simulated_page.said_once(late_threshold(runs, cores)) == f"2, 4 cores: {late}"
    assert inlining_simulated_page.said_once(late_threshold([], cores)) == "not simulated"


def test_scaling_is_told_as_the_paper_tells_it():
    plan = replace(TINY, workers=(1, 2, 4), experiments=("large", "iterations"), programs=("physl",))
    runs = made_up(plan, lambda c: 1119 / c.workers if c.policy == "paper-baseline" else float(c.workers))
    large = [r for r in runs if r.experiment == "large"]
    assert (
        scaling(large, "paper-baseline")
        == "6 x 20, 1, 2, 4 (oversubscribed) workers: 1.12e+03 s → 560 s → 280 s"
    )
    assert (
        growth(large, "paper-adaptive")
        == "2 workers take 2.00 to 2.00 times as long as one; 4 workers, oversubscribed, take 4.00 to 4.00 times as long"
        " as one"
    )
    assert growth(large[:6], "adaptive") == growth([], "adaptive") == "not measured"


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
        assert len(list(csv.DictReader(lines))) == 2 * len(SERIES) * len(PROGRAMS)
    assert "paper says" in (tmp_path / "inlining.html").read_text()
    before = (tmp_path / "inlining.csv").read_text()
    (tmp_path / "inlining.html").unlink()
    again = subprocess.run(
        [TREADLE, "study", "inlining", *arguments, "--page-only"], capture_output=True, text=True
    )
    assert again.returncode == 0 and (tmp_path / "inlining.csv").read_text() == before
    assert "paper says" in (tmp_path / "inlining.html").read_text()
    none = subprocess.run(
        [TREADLE, "study", "inlining", "--page-only", "--out", str(tmp_path / "none")],
        capture_output=True,
        text=True,
    )
    assert none.returncode == 1 and "without --page-only" in none.stderr and not (tmp_path / "none").exists()
    wrong = subprocess.run(
        [TREADLE, "study", "inlining", "--experiment", "x", "--out", str(tmp_path)],
        capture_output=True,
        text=True,
    )
    assert wrong.returncode == 1 and "no experiment 'x'" in wrong.stderr and "Traceback" not in wrong.stderr


def test_the_simulated_part_has_the_same_experiments_on_more_cores(tmp_path):
    plan = TINY
    cells = inlining_simulated.cells(plan, (2, 8))
    assert len(cells) == len(set(cells)) == 2 * 2 * (5 * 4 + len(PAPER_SWEEP_US)) + 2 * 4
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
    assert text.count("<svg") == 2 * 4 + 2 * 4
    assert re.search(r"what the simulation says of paper-baseline there: -?\d+ and -?\d+ %", text)
    assert "not known how far off" in inlining_simulated_page.errors([])
    assert inlining_simulated_page.parts([]) == []
