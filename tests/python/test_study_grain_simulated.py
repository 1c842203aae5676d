"""The simulated part of the study of task sizes: what it assumes, that its numbers fit together, and its page."""

import sys
from dataclasses import replace
from pathlib import Path

import pytest
from conftest import grain_study

from treadle.study import grain_simulated as simulated
from treadle.study.grain import Sweep
from treadle.study.grain_simulated import Bandwidth, Caches, Plan, SimulatedRun, cells, run_once
from treadle.study.grain_simulated_page import part
from treadle.study.log import read, wanted
from treadle.study.metrics import Run, metrics

TREADLE = str(Path(sys.executable).with_name("treadle"))
SWEEP = Sweep(points=1_600_000, steps=4, workers=(1, 2), per_decade=1, repeats=1)
CACHES = Caches(own=64 << 10, shared=1 << 20)
PLAN = Plan(cores=(2, 20), most_tasks=2000)


def silent(*_):
    pass


def measured(partition, workers, ns_per_point=1.0):
    """As if a point took 1 ns, a task 1 us more."""
    tasks = -(-SWEEP.points // partition) * SWEEP.steps
    executing = SWEEP.points * SWEEP.steps * ns_per_point + 1000 * tasks
    return Run(
        points=SWEEP.points, steps=SWEEP.steps, partition=partition, workers=workers, repeat=0, cores=7,
        seconds=executing / workers * 1e-9, tasks=tasks, executing_ns=executing, overall_ns=executing,
        management_ns=0, search_ns=0, parked_ns=0, pending_accesses=tasks, pending_misses=0,
    )  # fmt: skip


RUNS = [measured(p, 1) for p in SWEEP.partitions()] + [measured(p, 2, 2.0) for p in SWEEP.partitions()]


@pytest.fixture(scope="module")
def runs():
    return [run_once(cell) for cell in cells(SWEEP, PLAN, RUNS, CACHES)]


def test_the_cells():
    found = list(cells(SWEEP, PLAN, RUNS, CACHES))
    assert len(found) == len(set(found))
    assert {c.workers for c in found} == {1, 2, 20}  # and one, to compare
    assert {c.costs for c in found} == {"treadle", "hpx"}
    assert {c.partition for c in found} == set(SWEEP.partitions())
    assert max(c.tasks_per_step * c.steps for c in found) == 2000
    assert {c.points for c in found if c.partition >= 16_000} == {SWEEP.points}
    assert {c.points for c in found if c.partition == 160} == {500 * 160}
    assert list(cells(SWEEP, Plan(cores=()), RUNS, CACHES)) == []
    assert list(cells(SWEEP, PLAN, RUNS[5:], CACHES)) == []  # nothing with one worker
    more = [*RUNS, measured(160, 7), measured(160, 8)]  # of seven cores
    more_cells = list(cells(SWEEP, PLAN, more, CACHES))
    assert {c.workers for c in more_cells if c.costs == "treadle"} == {1, 2, 7, 20}
    assert {c.workers for c in more_cells if c.costs == "hpx"} == {1, 2, 20}


def test_numbers_fit_together(runs):
    for run in runs:
        assert run.source == "simulated"
        together = run.executing_ns + run.management_ns + run.search_ns
        assert together == pytest.approx(run.overall_ns, rel=1e-9)
        assert run.overall_ns == pytest.approx(run.workers * run.seconds * 1e9)
        assert run.seconds >= run.lower_bound_seconds > 0
        assert run.tasks == run.cell.tasks_per_step * run.steps + 1  # and the one that makes them
        assert run.pending_accesses - run.pending_misses >= 1
        work = run.task_ns * (run.tasks - 1)
        assert run.executing_ns >= work * (1 - 1e-9)
        if run.workers == 1:
            assert run.search_ns < 1000  # the first look
            assert run.seconds * 1e9 == pytest.approx(run.executing_ns + run.management_ns, abs=1000)
            if run.costs == "treadle":
                assert run.executing_ns == pytest.approx(work)


def test_one_core_takes_what_one_worker_took(runs):
    alone = {run.partition: run for run in RUNS if run.workers == 1}
    for run in runs:
        if run.workers == 1 and run.costs == "treadle":
            seconds = run.scaled_to(SWEEP.points, SWEEP.steps).seconds
            assert seconds == pytest.approx(alone[run.partition].seconds, rel=0.02)


def test_who_shares_a_memory_waits(runs):
    rows = {
        costs: {
            (r.partition, r.workers): r
            for r in metrics(run.scaled_to(SWEEP.points, run.steps) for run in runs if run.costs == costs)
        }
        for costs in ("treadle", "hpx")
    }
    assert rows["treadle"][1600, 2].wait_ns < 100  # mostly in the cache
    assert rows["hpx"][1600, 2].wait_ns > 300  # never there
    assert rows["treadle"][16_000, 20].wait_ns > 10_000
    assert rows["hpx"][16_000, 20].wait_ns > 10_000
    alone, both = rows["treadle"][16_000, 1], rows["treadle"][16_000, 2]
    assert both.task_ns > 1.5 * alone.task_ns  # of the bandwidth that two had, one takes most


def test_what_a_task_moves():
    caches = Caches(own=1 << 20, shared=32 << 20)
    assert simulated.bytes_moved(100_000_000, 1000, caches) == 24 * 100_000
    assert simulated.bytes_moved(1_000_000, 1, caches) == 0  # the ring stays in the cache
    assert simulated.cache_bytes("work-stealing", caches) == 24 * 65_536  # a partition of 1 MiB, old and new
    assert simulated.cache_bytes("local-priority-fifo", caches) == 0


def test_where_the_bandwidth_is_from():
    given = simulated.bandwidth_of(replace(PLAN, bandwidth_gbs=5.0), RUNS, CACHES)
    assert given == Bandwidth(5.0, "as --bandwidth says")
    found = simulated.bandwidth_of(PLAN, RUNS, CACHES)
    assert found.gbs == pytest.approx(24, abs=0.3) and found.source.startswith("measured here")
    one = simulated.bandwidth_of(PLAN, [run for run in RUNS if run.workers == 1], CACHES)
    assert one.gbs == pytest.approx(35.1, abs=0.05) and "paper" in one.source
    crowded = [replace(run, cores=1) for run in RUNS]
    assert simulated.bandwidth_of(PLAN, crowded, CACHES) == one


def test_it_goes_on_where_it_was(tmp_path, monkeypatch):
    made = []

    def once(cell):
        if len(made) == 3:
            raise KeyboardInterrupt
        made.append(cell)
        return run_once(cell)

    monkeypatch.setattr(simulated, "run_once", once)
    file, there = tmp_path / "grain-simulated.csv", list(cells(SWEEP, PLAN, RUNS, CACHES))
    with pytest.raises(KeyboardInterrupt):
        simulated.simulate(there, file, silent)
    assert [run.cell for run in read(file, SimulatedRun)] == there[:3] == made
    made.clear()
    with pytest.raises(KeyboardInterrupt):
        simulated.simulate(there, file, silent)
    assert made == there[3:6]
    # With other durations they are runs of something else.
    slower = [replace(run, overall_ns=2 * run.overall_ns) for run in RUNS]
    assert wanted(cells(SWEEP, PLAN, slower, CACHES), read(file, SimulatedRun)) == []


def test_the_part_of_the_page(runs):
    memory = simulated.bandwidth_of(PLAN, RUNS, CACHES)
    text = "\n".join(part(SWEEP, PLAN, runs, len(runs) + 1, memory, CACHES, metrics(RUNS)))
    assert "Simulated: 2 to 20 cores" in text and "Nothing in this part is measured" in text
    assert text.count("<svg") == 2 * (1 + 2 + 1 + 2 + 2)
    assert text.count("20 cores, simulated") >= 2 * 5  # in the legends
    for figure in ("Figure 3", "Figures 4 and 5", "Figure 6", "Figures 7 and 8", "Figures 9 and 10"):
        assert text.count(f"({figure})") == 2
    assert text.count("The paper: ") >= 2 * 5 and "agrees" in text
    assert "With 2 cores, which were measured too" in text
    crowded = metrics([replace(run, cores=1) for run in RUNS])
    assert "measured too" not in "\n".join(part(SWEEP, PLAN, runs, len(runs), memory, CACHES, crowded))
    assert f"{len(runs)} of {len(runs) + 1} simulated runs are done" in text
    few = [run for run in runs if run.workers == 2 and run.costs == "hpx"]  # interrupted
    assert "Simulated" in "\n".join(part(SWEEP, PLAN, few, len(runs), memory, CACHES, metrics(RUNS)))


def test_the_command(tmp_path):
    done = grain_study(tmp_path, "--no-simulate")
    assert done.returncode == 0, done.stderr
    assert not (tmp_path / "grain-simulated.csv").exists()
    assert "imulated" not in (tmp_path / "grain.html").read_text()
    done = grain_study(tmp_path, "--cores", "4", "--cores", "20", "--bandwidth", "50")
    assert done.returncode == 0, done.stderr
    found = read(tmp_path / "grain-simulated.csv", SimulatedRun)
    assert {run.workers for run in found} == {
        1,
        2,
        4,
        20,
    } and f"{len(found)} of {len(found)} simulated" in done.stderr
    page = (tmp_path / "grain.html").read_text()
    assert "Simulated: 4 to 20 cores" in page and "50 GB/s" in page and "<script" not in page
    before = (tmp_path / "grain-simulated.csv").read_text()
    assert grain_study(tmp_path, "--cores", "4", "--cores", "20", "--bandwidth", "50").returncode == 0
    assert (tmp_path / "grain-simulated.csv").read_text() == before


def test_wrong_numbers(tmp_path):
    for wrong, message in (
        (["--cores", "0"], "different numbers from 1"),
        (["--bandwidth", "-1"], "bandwidth: GB/s"),
    ):
        done = grain_study(tmp_path, *wrong)
        assert done.returncode == 1 and message in done.stderr and "Traceback" not in done.stderr
    with pytest.raises(ValueError):
        Plan(cores=(8, 8))
