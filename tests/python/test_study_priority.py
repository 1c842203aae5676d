"""The study of critical tasks: what it measures and simulates, that it can be interrupted, and its page."""

import math
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from treadle.study import programs
from treadle.study.log import read
from treadle.study.median import Median
from treadle.study.priority import command, findings, measured, pictures, recordings, simulated
from treadle.study.priority.comparisons import Change, Measured, Simulated, doubt, less_time
from treadle.study.priority.configurations import CONFIGURATIONS, MEASURED
from treadle.study.priority.page import Recorded, page

TREADLE = str(Path(sys.executable).with_name("treadle"))
TINY = measured.Plan(
    workers=(1, 2), repeats=1, cholesky=((64, (16,)),), numbers=500, cut_offs=(64,), slow=(3,)
)
TINY_SIMULATED = simulated.Plan(
    cholesky=(("KNL4", 512, (128,)), ("OCX", 2048, (512,))), numbers=500, cut_off=64, slow=(10,), every=5
)


def silent(*_):
    pass


def test_the_configurations_are_those_of_the_programs():
    said = subprocess.run([programs.program("cholesky"), "--help"], capture_output=True, text=True).stdout
    listed = re.findall(r"^  ([a-z-]+) {2,}", said.partition("The configurations:")[2], re.MULTILINE)
    assert set(listed) == set(MEASURED)
    for name, configuration in CONFIGURATIONS.items():
        done = subprocess.run(
            [programs.program("cholesky"), "--configuration", name, "--workers", "4",
             *(["--critical", "3"] if configuration.split else []), "--treadle:pools=io:1", "--n", "16"],
            capture_output=True, text=True,
        )  # fmt: skip
        _, found, pools = done.stderr.strip().partition("describes the pools itself: ")
        assert configuration.pools(4, 3) == (pools if found else "default:4"), name


def test_the_plans_are_the_papers():
    cells = list(measured.Plan().cells())
    assert len(cells) == len(set(cells))
    assert {c.n for c in cells if c.program == "cholesky"} == {512, 2048}
    assert {c.n for c in cells if c.program == "merge_sort"} == {100_000}
    assert {c.configuration for c in cells if c.workers == 2} == set(MEASURED)
    assert not any(MEASURED[c.configuration].split for c in cells if c.workers == 1)
    there = list(simulated.Plan().cells())
    assert len(there) == len(set(there))
    assert {c.critical for c in there if c.machine == "KNL4"} == {0, *range(32, 257, 32)}
    assert {c.critical for c in there if c.machine == "OCX"} == {0, *range(4, 53, 4)}
    assert {c.critical for c in simulated.QUICK.cells() if c.machine == "KNL4"} == {0, 128, 256}
    assert measured.sizes(8) == (1, 4, 7)
    for wrong in ({"repeats": 0}, {"workers": ()}, {"workers": (0,)}, {"slow": (0,)}):
        with pytest.raises(ValueError):
            measured.Plan(**wrong)


def test_both_programs_run_under_all_configurations(tmp_path):
    runs = measured.measure(TINY, tmp_path / "priority.csv", silent)
    assert len(runs) == len(list(TINY.cells())) == 2 * (6 + 10)
    for run in runs:
        assert run.failed == "" and run.seconds > 0 and run.source == "measured", run
        assert run.tasks > 0
        told_apart = MEASURED[run.configuration].split or run.configuration == "marked"
        assert math.isnan(run.tasks_critical) != told_apart, run
        if MEASURED[run.configuration].split:
            assert 0 < run.tasks_critical < run.tasks, run
    assert [r.cell for r in read(tmp_path / "priority.csv", measured.Run)] == [r.cell for r in runs]


def test_simulated_runs_are_called_so_and_repeat(tmp_path):
    runs = simulated.simulate(TINY_SIMULATED, tmp_path / "a.csv", silent)
    assert runs == simulated.simulate(TINY_SIMULATED, tmp_path / "b.csv", silent)
    assert {r.source for r in runs} == {"simulated"}
    assert all(r.seconds >= r.bound_seconds > 0 for r in runs)
    merges = {r.tasks_critical for r in runs if r.program == "merge_sort"}
    assert merges == {7}  # of eight parts of up to 64 numbers


def test_a_run_that_fails_is_a_run(tmp_path, monkeypatch):
    calls = []

    def failing(name, options, counters):
        calls.append(options["configuration"])
        raise programs.ProgramError("merge_sort: cannot allocate a task stack, is what it <says>")

    monkeypatch.setattr(programs, "run", failing)
    plan = replace(TINY, cholesky=(), workers=(1,))
    runs = measured.measure(plan, tmp_path / "priority.csv", silent)
    assert len(calls) == len(runs) == 6
    assert all("cannot allocate a task stack" in r.failed and math.isnan(r.seconds) for r in runs)
    measured.measure(plan, tmp_path / "priority.csv", silent)
    assert len(calls) == 6
    text = page(runs, [], Recorded(), [])
    assert "is what it &lt;says&gt;" in text and "cut-off 64 failed" in text


def test_it_goes_on_where_it_was(tmp_path, monkeypatch):
    made = []

    def fake(cell):
        if len(made) == 7:
            raise KeyboardInterrupt
        made.append(cell)
        return run_of(cell)

    monkeypatch.setattr(measured, "run_once", fake)
    monkeypatch.setattr(measured, "QUICK", TINY)
    monkeypatch.setattr(Recorded, "of", lambda _: Recorded())
    found = []
    for done in (7, 14):
        made.clear()
        with pytest.raises(KeyboardInterrupt):
            command.priority_command(out=tmp_path, repeats=7, part=[command.Part.measured], quick=True)
        found += made
        assert [r.cell for r in read(tmp_path / "priority.csv", measured.Run)] == found
        text = (tmp_path / "priority.html").read_text("utf-8")
        assert f"{done} of 32 measured runs are done; the same command goes on" in text
    assert len(set(found)) == 14


def run_of(cell, seconds=1.0, **more):
    floats = {name: math.nan for name in measured.ALL | measured.MARKED}
    identity = {name: getattr(cell, name) for name in measured.Cell.__dataclass_fields__}
    return measured.Run(
        "measured", **identity, **(floats | {"cores": 2, "seconds": seconds, "failed": ""} | more)
    )


def test_what_is_missing_is_said_and_the_rest_is_done(tmp_path, monkeypatch, capsys):
    found = programs.find
    monkeypatch.setattr(programs, "find", lambda name: None if name == "cholesky" else found(name))
    monkeypatch.setattr(measured, "QUICK", TINY)
    monkeypatch.setattr(simulated, "QUICK", replace(TINY_SIMULATED, cholesky=()))
    monkeypatch.setattr(Recorded, "of", lambda _: Recorded())
    command.priority_command(out=tmp_path, repeats=7, quick=True)
    assert "The program cholesky is not part of this installation" in capsys.readouterr().err
    text = (tmp_path / "priority.html").read_text("utf-8")
    assert "TREADLE_APPS=ON, where CBLAS and LAPACKE are" in text
    assert {r.program for r in read(tmp_path / "priority.csv", measured.Run)} == {"merge_sort"}
    monkeypatch.setattr(programs, "find", lambda name: None)
    with pytest.raises(FileNotFoundError, match="nothing to be measured"):
        command.priority_command(out=tmp_path / "x", repeats=7, part=[command.Part.measured], quick=True)


def test_the_whole_page(tmp_path, monkeypatch):
    monkeypatch.setattr(measured, "QUICK", TINY)
    monkeypatch.setattr(simulated, "QUICK", TINY_SIMULATED)
    command.priority_command(out=tmp_path, repeats=7, quick=True)
    text = (tmp_path / "priority.html").read_text("utf-8")
    for title in ("Schedules", "Mappings", "Graphs of tasks", "Results, simulated", "Results, measured", "Waits",
                  "Workloads", "the paper says", "All measured times", "All 100 simulated times"):  # fmt: skip
        assert title in text, title
    assert text.count("<svg") == 8 + 4 + 2 + 6 + 2 + (3 + 2) + 1
    assert (
        "<script" not in text
        and "failed" not in text
        and "nan" not in re.sub("<svg.*?</svg>", "", text, flags=re.S)
    )


TASKS = """treadle-tasks 1 0 0 900
site main
site sort
site merge
node 0 task 0 -1 0 0 0 0 10 900 100 0 0 -1
node 1 task 1 0 0 5 20 20 40 300 9 0 0 -1
node 2 task 1 0 1 6 21 21 50 300 9 0 0 -1
node 3 task 2 0 2 7 300 310 400 500 9 1 0 -1
node 4 task 1 1 0 1 41 41 60 90 9 0 0 -1
node 5 task 1 1 1 1 42 42 60 90 9 0 0 -1
node 6 task 2 1 2 1 95 95 97 99 9 0 0 -1
input 3 0
end 7 1 0
"""


def test_recordings(tmp_path):
    file = tmp_path / "a.tasks"
    file.write_text(TASKS)
    graph = recordings.read_graph(file, ("sort", "merge"))
    assert set(graph.nodes) == {1, 2, 3, 4, 5, 6} and graph.inputs == []
    assert set(pictures.edges_of(graph)) == {(4, 1), (5, 1), (6, 4), (6, 5), (3, 6), (3, 2)}
    level = pictures.levels(pictures.edges_of(graph), graph.nodes)
    assert (level[1], level[4], level[6], level[3]) == (0, 1, 2, 3)
    waits = recordings.waits_of(graph, "merge")
    assert waits["critical"].staged_ns == 5 and waits["critical"].pending_ns == 46  # two of six tasks warm up
    file.write_text(TASKS.replace("node 2 task 1", "node 2 task 9"))
    with pytest.raises(ValueError, match="line 7: not a recording"):
        recordings.read_graph(file, ("sort",))


def test_the_fastest_run_of_a_process():
    def runs(*begins_and_lengths):
        for begin, length in begins_and_lengths:
            yield recordings.Slice("sort", "worker 0", begin, begin + length)
            yield recordings.Slice("merge", "worker 1", begin + length, begin + length + 1)

    slices = [recordings.Slice("program", "worker 0", 0, 100), *runs((0, 9), (20, 3), (40, 5))]
    found = recordings.fastest_run(slices, "merge", 1)
    assert [(s.kind, s.start, s.end) for s in found] == [("sort", 0, 3), ("merge", 3, 4), ("program", 0, 4)]
    assert recordings.fastest_run([], "merge", 1) == []


def test_differences_are_claimed_where_intervals_do_not_overlap():
    assert doubt(Median(2, 1.9, 2.1), Median(1, 0.9, 1.1)) == ""
    assert doubt(Median(2, 1.0, 2.1), Median(1, 0.9, 1.1)) == "intervals overlap"
    assert doubt(Median(2), Median(1)) == "too few runs"
    assert less_time([]) == "no data"
    assert less_time([Change("a", -5), Change("b", -9)]) == "less time"
    assert less_time([Change("a", -5), Change("b", 9)]) == "less time in 1 and more in 1 of 2 cases"
    assert less_time([Change("a", 5)]) == "more time"
    assert less_time([Change("a", -5, "too few runs")]) == "no difference beyond noise"


def test_the_findings():
    speed = {"paper-default": 2.0, "paper-pools": 1.5, "critical-path": 1.0}
    plan = replace(TINY, repeats=6, cholesky=((512, (16, 32)),), workers=(2,))
    runs = [
        run_of(
            c, speed.get(c.configuration, 3.0), tasks=30, tasks_critical=10, time_ns=1e6, time_critical_ns=9e5
        )
        for c in plan.cells()
    ]
    small = Measured(runs, "cholesky", 512)
    assert [c.text() for c in small.changes("paper-default", "paper-pools")] == [
        "tile 16: -25.0 %", "tile 32: -25.0 %"
    ]  # fmt: skip
    predicted = [predicted_of(c) for c in TINY_SIMULATED.cells()]
    knl = Simulated(predicted, "KNL4", "cholesky")
    assert knl.changes("paper-default", "paper-pools", 256) == [Change("tile 128", pytest.approx(-40))]
    # Without the critical pool 1.0 s become 0.5 s, with it 0.6 s: more than all of the gain is left.
    left = knl.shares_of_gain("paper-default", "paper-pools", "paper-rest", 256)
    assert left == {"tile 128 with 256 critical workers": pytest.approx(1.25)}
    rows = {row.what: row for row in findings.rows(runs, predicted, domains=1)}
    assert len(rows) == 13
    first = next(row for what, row in rows.items() if "512² on KNL4: pools of 256" in what)
    assert first.verdict.startswith(
        "the simulation has the paper's sign in 1 of 1 case:"
    ) and first.measured.startswith("tile 16: -25.0 %")
    critical = next(row for what, row in rows.items() if what.startswith("Cholesky: what is critical"))
    assert "33% of the tasks, each 18.0 times as long" in critical.measured
    assert (
        "one domain"
        in next(row for what, row in rows.items() if "numa-balanced-mtp with these" in what).measured
    )
    assert all(row.verdict for row in findings.rows([], [], domains=2))


def predicted_of(cell):
    seconds = {"paper-default": 1.0, "paper-pools": 1.0 if cell.critical < 256 else 0.6}.get(
        cell.configuration, 0.5
    )
    floats = {name: 1.0 for name, f in simulated.Run.__dataclass_fields__.items() if f.type == "float"}
    identity = {name: getattr(cell, name) for name in simulated.Cell.__dataclass_fields__}
    return simulated.Run(source="simulated", **identity, **(floats | {"seconds": seconds}))


def test_the_command_teaches_and_refuses(tmp_path):
    said = subprocess.run([TREADLE, "study", "priority", "--help"], capture_output=True, text=True).stdout
    assert "treadle study priority --part simulated" in said
    for wrong, message in (
        ("--repeats=0", "repeats: at least 1"),
        ("--slow-potrf=0", "slow-potrf: numbers from 1"),
    ):
        done = subprocess.run(
            [TREADLE, "study", "priority", wrong, "--out", str(tmp_path)], capture_output=True, text=True
        )
        assert done.returncode == 1 and message in done.stderr and "Traceback" not in done.stderr
