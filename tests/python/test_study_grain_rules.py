"""The study of task sizes: what the paper's rules choose, what it says beside what was measured, and bad files."""

import sys
from dataclasses import asdict, fields, replace
from pathlib import Path

import pytest
from conftest import grain_study

from treadle.study.grain import Sweep, measure, runs_of
from treadle.study.grain_findings import NOT_MEASURED, comparison
from treadle.study.grain_page import page
from treadle.study.grain_rules import chosen, table_of_rules
from treadle.study.grain_simulated import SimulatedRun
from treadle.study.log import go_on, read
from treadle.study.metrics import Run, metrics

TREADLE = str(Path(sys.executable).with_name("treadle"))
SWEEP = Sweep(points=16_000_000, steps=20, workers=(1, 2), per_decade=1, repeats=2, most_tasks=1_000_000)


def run(partition, workers, repeat=0, *, task_ns, idle, looks=100.0):
    """`idle`: of the time of the workers."""
    steps = SWEEP.steps_of(partition)
    tasks = -(-SWEEP.points // partition) * steps
    executing = tasks * task_ns
    overall = executing / (1 - idle)
    return Run(
        points=SWEEP.points, steps=steps, partition=partition, workers=workers, repeat=repeat, cores=2,
        seconds=overall / workers * 1e-9, tasks=tasks, executing_ns=executing, overall_ns=overall, management_ns=0,
        search_ns=0, parked_ns=0, pending_accesses=looks * steps, pending_misses=0,
    )  # fmt: skip


# A point takes 1 ns and a task 500 ns; memory makes the large ones of two workers half as long again.
SHAPES = [  # partition, idle-rate, looks per step
    (160, 0.9, 900), (1600, 0.5, 500), (16_000, 0.2, 100), (160_000, 0.05, 50), (1_600_000, 0.1, 60),
    (16_000_000, 0.5, 90),
]  # fmt: skip
RUNS = [
    run(p, workers, repeat, task_ns=(p + 500) * (1.5 if workers > 1 and p > 20_000 else 1) * (1 + 0.1 * repeat),
        idle=idle if workers > 1 else 0.0, looks=looks)
    for p, idle, looks in SHAPES for workers in (1, 2) for repeat in (0, 1)
]  # fmt: skip


def rows_of(workers, runs=RUNS):
    return [row for row in metrics(runs) if row.workers == workers]


def test_what_the_rules_choose():
    both = rows_of(2)
    assert [row.partition for row in both] == SWEEP.partitions()
    assert chosen("paper-idle-rate", both, 30).partition == 16_000
    assert chosen("paper-idle-rate", both, 5.001).partition == 160_000
    assert chosen("paper-idle-rate", both, 100).partition == 160
    assert chosen("paper-idle-rate", both, 1) is None
    assert chosen("paper-pending", both, 30).partition == 160_000
    assert chosen("paper-costs", both, 30).partition == 16_000
    sums = {row.partition: row.costs_s for row in both}
    assert sums[16_000] == min(sums.values()) == pytest.approx(both[2].management_s + both[2].wait_s)
    without_one = rows_of(2, [r for r in RUNS if r.workers == 2])
    assert chosen("paper-costs", without_one, 30) is None
    shown = table_of_rules({2: both}, 30, "Rules")
    assert "idle-rate at most 30 %" in shown and shown.count("<td>16,000</td>") == 3  # the best one, too
    assert "none" in table_of_rules({2: without_one}, 1, "Rules")


def test_how_samples_vary_and_what_is_scaled():
    finest, *_, coarsest = rows_of(2)
    assert (finest.steps, finest.runs, coarsest.steps) == (10, 2, 20)
    assert finest.seconds == pytest.approx(
        2 * sum(r.seconds for r in RUNS if r.workers == 2 and r.partition == 160) / 2
    )
    assert finest.seconds_variation == pytest.approx(0.05 / 1.05)
    assert finest.counts_variation == pytest.approx(0.05 / 1.05)
    shown = page(SWEEP, metrics(RUNS), len(RUNS), len(RUNS))
    assert "COV of time %" in shown and "COV of counts %" in shown
    assert "<td>2</td><td>10, scaled to 20</td><td>10</td><td>4.8</td><td>4.8</td>" in shown
    assert shown.count("scaled to 20</td>") == 2  # 160 points, with one worker and with two
    assert "10 steps of warm-up" in shown and "Means of up to 2 runs; the paper has ten." in shown
    assert Sweep().repeats == 10


def test_what_the_paper_says_beside_what_was_measured():
    found = {what: here for what, _, here in comparison({w: rows_of(w) for w in (1, 2)}, 30)}
    what = dict.fromkeys(found)
    idle, rule, management, task, wait, costs, looks, variation = list(what)[1:9]
    edge, rising, medium, flat, deviation, many, *phi = list(what)[9:]
    assert "2 workers: 90.0 % at 160 points" in found[idle] and "1 worker: 0.0 %" in found[idle]
    assert "at most 30 %" in rule and "2 workers: 16,000 points" in found[rule]
    assert "100 % of the best speed" in found[rule]
    assert "at 160 points" in found[management] and "at 16,000,000 points" in found[management]
    assert "1 worker" not in found[task] and "2 workers: " in found[task]
    assert "nowhere negative" in found[wait]
    assert "2 workers: 16,000 points" in found[costs] and "2 workers: 160,000 points" in found[looks]
    assert "2 samples; times at most 5 %, 0 of 6 below 3 %" in found[variation]
    assert "2 workers: 16,000 points, tasks of 17.3 µs: 100 % of the best speed; 1,600 points" in found[edge]
    assert found[rising] == found[medium] == NOT_MEASURED  # no two sizes in their ranges
    assert "2 workers: 10.3 ms, 4.8 % of 217 ms, at 16,000 points" in found[deviation]
    assert found[flat] == found[many] and found[flat].startswith(f"{NOT_MEASURED}, because")
    assert len(phi) == 4 and all(found[one].startswith(f"{NOT_MEASURED}, because") for one in phi)
    alone = {what: here for what, _, here in comparison({1: rows_of(1)}, 12.5)}
    assert "at most 12.5 %" in list(alone)[2] and alone[wait] == NOT_MEASURED
    two_only = {
        what: here for what, _, here in comparison({2: rows_of(2, [r for r in RUNS if r.workers == 2])}, 30)
    }
    assert two_only[wait] == NOT_MEASURED and "2 workers: none" in two_only[costs]
    faster = [replace(r, executing_ns=r.executing_ns / 2) if r.workers == 2 else r for r in RUNS]
    sooner = {what: here for what, _, here in comparison({2: rows_of(2, faster)}, 30)}
    assert "negative at 160, 1,600, 16,000, 160,000" in sooner[wait]


def test_what_the_paper_says_of_medium_grains_and_of_more_cores():
    sizes = {20_000: (0.1, 3.0), 50_000: (0.2, 2.0), 100_000: (0.1, 2.5), 1_000_000: (0.05, 4.0)}
    runs = [
        replace(run(p, cores, repeat, task_ns=p, idle=idle), seconds=seconds * 8 / cores + repeat, cores=cores)
        for p, (idle, seconds) in sizes.items() for cores in (8, 16, 32) for repeat in (0, 1)
    ]  # fmt: skip
    by_cores = {w: rows_of(w, runs) for w in (8, 16, 32)}
    found = [
        here.splitlines() for _, _, here in comparison(by_cores, 30, lambda row: f"{row.workers} simulated")
    ]
    rising, medium, flat, _, many = found[10:15]
    assert rising[0] == (
        "8 simulated: 10 % and 3.5 s at 20,000 points, 10 % and 3 s at 100,000 points; in 1 of 2 steps between sizes the"
        " one rises and the other falls"
    )
    assert medium[0] == "8 simulated: 20 µs at 20,000 points, 1 ms at 1,000,000 points"
    assert flat == ["8 simulated: 2.5 s", "16 simulated: 1.5 s", "32 simulated: 1 s"]
    assert many == ["32 simulated: times at most 40 %"]  # not of 8 and 16, nor of 50,000 points and more
    crowded = {w: [replace(row, cores=2) for row in rows] for w, rows in by_cores.items()}
    assert comparison(crowded, 30)[12][2].startswith(NOT_MEASURED)


def simulated_run(of):
    values = asdict(of) | {"workers": 8, "repeat": 0}
    return SimulatedRun(
        **values, source="simulated", task_ns=100, costs="hpx", bytes_moved=0, cache_bytes=0, bandwidth_gbs=70.1,
        lower_bound_seconds=0.5,
    )  # fmt: skip


def key_of(one):
    return one.partition, one.workers, one.repeat


@pytest.mark.parametrize("kind", [Run, SimulatedRun])
def test_cut_short_at_any_byte(tmp_path, kind):
    runs = RUNS[:3] if kind is Run else [simulated_run(r) for r in RUNS[:12:4]]
    file = tmp_path / "grain.csv"
    cells, there = [key_of(r) for r in runs], {key_of(r): r for r in runs}
    assert go_on(file, kind, cells, key_of, there.__getitem__, lambda *_: None) == runs
    whole = file.read_bytes()
    ends = [i for i, byte in enumerate(whole) if byte == ord("\n")]
    for end in range(len(whole) + 1):
        file.write_bytes(whole[:end])
        found = read(file, kind)
        assert found == runs[: len(found)]
        lines = sum(at < end for at in ends)
        assert len(found) in (max(lines - 1, 0), lines)  # a line whose \r is there is whole
        made = []

        def once(cell, made=made):
            made.append(cell)
            return there[cell]

        assert go_on(file, kind, cells, key_of, once, lambda *_: None) == runs
        assert made == cells[len(found) :] and read(file, kind) == runs


def spoiled(tmp_path, change):
    file = tmp_path / "grain.csv"
    one = asdict(RUNS[0])
    lines = [",".join(one), ",".join(str(v) for v in one.values()), ",".join(str(v) for v in one.values())]
    file.write_text("\n".join(change(lines)) + "\n")
    return file


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda lines: [lines[0].replace("parked_ns,", ""), *lines[1:]], "of another study or version; move it away"),
        (lambda lines: [lines[0] + ",warm_up", *lines[1:]], "of another study or version; move it away"),
        (lambda lines: lines[1:], "of another study or version; move it away"),
        (lambda lines: [*lines[:2], lines[2] + ",3"], "line 3: not a run"),
        (lambda lines: [*lines[:2], lines[2].rpartition(",")[0]], "line 3: not a run"),
        (lambda lines: [*lines[:2], lines[2].replace(",160,", ",0,", 1)], "line 3: not a run"),
        (lambda lines: [*lines[:2], lines[2].replace(",160,", ",160.5,", 1)], "line 3: not a run"),
        (lambda lines: [*lines[:2], lines[2].rpartition(",")[0] + ",nan"], "line 3: not a run"),
        (lambda lines: [*lines[:2], lines[2].replace(",160,", ",-160,", 1)], "line 3: not a run"),
        (lambda lines: [*lines[:2], "\0\0\0"], "line 3: "),
    ],
)  # fmt: skip
def test_other_files_are_refused(tmp_path, change, message):
    file = spoiled(tmp_path, change)
    before = file.read_bytes()
    with pytest.raises(ValueError, match=message) as refused:
        measure(SWEEP, file, lambda *_: None)
    assert str(refused.value).startswith(str(file)) and file.read_bytes() == before


def test_no_run_is_impossible():
    for field in fields(Run):
        for wrong in (float("nan"), float("inf")):
            with pytest.raises(ValueError, match=field.name):
                replace(RUNS[0], **{field.name: wrong})
    for field in ("repeat", "pending_accesses", "seconds"):
        with pytest.raises(ValueError, match=field):
            replace(RUNS[0], **{field: -1})
    assert replace(RUNS[0], search_ns=-0.5).search_ns == -0.5
    for field in (
        "points",
        "steps",
        "partition",
        "workers",
        "cores",
        "seconds",
        "tasks",
        "executing_ns",
        "overall_ns",
    ):
        with pytest.raises(ValueError, match=field):
            replace(RUNS[0], **{field: 0})


def test_a_run_counts_once():
    assert runs_of(SWEEP, [*RUNS, *RUNS]) == RUNS


def test_files_of_other_versions_are_told_before_anything_is_measured(tmp_path):
    for name, more in (("grain.csv", ["--no-simulate"]), ("grain-simulated.csv", [])):
        file = tmp_path / name
        file.write_text("points,steps,partition\n1,2,3\n")
        done = grain_study(tmp_path, *more)
        assert done.returncode == 1 and "Traceback" not in done.stderr
        assert f"{file}: its columns are points, steps, partition, not points, " in done.stderr
        assert "move it away" in done.stderr
        assert file.read_text() == "points,steps,partition\n1,2,3\n"
        file.unlink()
        assert not list(tmp_path.glob("*.csv"))


def test_the_tolerance(tmp_path):
    done = grain_study(tmp_path, "--no-simulate", "--idle-rate", "12.5")
    assert done.returncode == 0, done.stderr
    shown = (tmp_path / "grain.html").read_text()
    assert "idle-rate of at most 12.5 %" in shown and "idle-rate at most 12.5 %: smallest" in shown
    assert "the paper says" in shown and "measured here" in shown and "stencil --grain" in shown
    done = grain_study(tmp_path, "--idle-rate", "101")
    assert done.returncode == 1 and "idle-rate: 0 to 100 percent, not 101" in done.stderr
