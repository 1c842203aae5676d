"""The numbers of workers of studies: which ones there are by default, and that more than cores are told apart."""

import re
from dataclasses import fields, replace

import pytest
from test_study import RUN as STENCIL
from test_study_inlining import TINY as TINY_INLINING
from test_study_inlining import run_of as inlining_run
from test_study_priority import TINY as TINY_PRIORITY
from test_study_priority import run_of as priority_run

from treadle.study import grain, grain_findings, grain_page, inlining, inlining_findings, inlining_page, log
from treadle.study.log import read
from treadle.study.metrics import Run as StencilRun
from treadle.study.metrics import metrics
from treadle.study.priority import findings, measured
from treadle.study.priority import page as priority_page
from treadle.study.workers import OVERSUBSCRIBED, default_workers, named

CROWD = "4 workers, oversubscribed"


def drawn(page, label):
    """How often a figure has this label: as text, or as outlines with a comment."""
    return len(re.findall(rf"(?:<!-- {re.escape(label)} -->|>{re.escape(label)}</text>)", page))


def test_by_default_there_are_powers_of_two_the_cores_and_twice_as_many(monkeypatch):
    for cores, expected in ((1, (1, 2)), (2, (1, 2, 4)), (6, (1, 2, 4, 6, 12)), (16, (1, 2, 4, 8, 16, 32))):
        monkeypatch.setattr("treadle.study.workers.usable_cores", lambda cores=cores: cores)
        assert default_workers() == expected
        for plan in (grain.Sweep, inlining.Plan, measured.Plan):
            assert plan().workers == expected
            with pytest.raises(ValueError, match="workers: numbers from 1"):
                plan(workers=(0,))


def test_more_workers_than_cores_are_called_so():
    assert (named(1), named(2), named(4, oversubscribed=True)) == ("1 worker", "2 workers", CROWD)
    run = replace(STENCIL, workers=4)
    assert run.is_oversubscribed and not STENCIL.is_oversubscribed
    assert (run.named_workers(), run.workers_cell()) == (CROWD, "4, oversubscribed")
    (both,) = metrics([replace(run, cores=4), replace(run, repeat=1)])
    assert both.is_oversubscribed  # as one of two runs was


@pytest.mark.parametrize("kind", [StencilRun, inlining.Run, measured.Run])
def test_runs_that_do_not_tell_the_cores_are_refused(tmp_path, kind):
    file = tmp_path / "runs.csv"
    file.write_text(",".join(f.name for f in fields(kind) if f.name != "cores") + "\n")
    with pytest.raises(ValueError, match="of another study or version; move it away") as refused:
        read(file, kind)
    assert str(refused.value).startswith(f"{file}: its columns are ")


def test_the_grain_study_keeps_them_apart():
    runs = [
        replace(STENCIL, workers=workers, partition=partition)
        for workers in (1, 2, 4)
        for partition in (100, 500)
    ]
    rows = metrics(runs)
    by_workers = {w: [row for row in rows if row.workers == w] for w in (1, 2, 4)}
    for _, _, said in grain_findings.comparison(by_workers, 30):
        assert "4 workers" not in said.replace(CROWD, "")
    sweep = grain.Sweep(points=1000, steps=10, workers=(1, 2, 4), repeats=1)
    text = grain_page.page(sweep, rows, len(runs), len(runs))
    assert OVERSUBSCRIBED in text and text.count("<td>4, oversubscribed</td>") == 1 + 2  # rules, all numbers
    assert drawn(text, CROWD) == 2  # Figures 3 and 6
    for of_one in ("idle-rate", "management", "looks"):
        assert drawn(text, f"{of_one}, {CROWD}")
    alone = [row for row in rows if not row.is_oversubscribed]
    assert "oversubscribed" not in grain_page.page(sweep, alone, len(runs), len(runs))


def test_runs_with_other_cores_are_not_gone_on_with(tmp_path):
    file = tmp_path / "inlining.csv"
    cell = next(iter(TINY_INLINING.cells()))
    run = replace(inlining_run(cell), cores=77)
    log.go_on(file, inlining.Run, [cell], lambda run: run.cell, lambda _: run, lambda *_: None)
    before = file.read_text()
    with pytest.raises(
        ValueError, match=r"inlining.csv: measured by a process that might use 77 cores; this one may"
    ):
        inlining.measure(TINY_INLINING, file, lambda *_: None)
    assert file.read_text() == before


def test_the_inlining_study_keeps_them_apart():
    plan = replace(TINY_INLINING, workers=(1, 2, 4))
    runs = [inlining_run(cell) for cell in plan.cells()]
    for what, _, said in inlining_findings.comparison(runs):
        assert what.startswith("Section 4.4.1: paper-baseline scales") or "4 workers" not in said.replace(
            CROWD, ""
        )
    text = inlining_page.page(plan, runs, len(runs), len(runs))
    assert drawn(text, CROWD) and "<td>4, oversubscribed</td>" in text and "<td>4</td>" not in text


def test_the_priority_study_keeps_them_apart():
    plan = replace(TINY_PRIORITY, repeats=6, cholesky=((512, (16,)),), workers=(1, 2, 4))
    counted = {"tasks": 30, "tasks_critical": 10, "time_ns": 1e6, "time_critical_ns": 9e5}
    runs = [
        priority_run(c, 2.0 if c.configuration != "paper-pools" else 1.0 if c.workers < 4 else 3.0, **counted)
        for c in plan.cells()
    ]
    rows = {row.what: row for row in findings.rows(runs, [], domains=1)}
    pools = next(row for what, row in rows.items() if "512² on KNL4: pools of 256" in what)
    assert pools.measured == f"tile 16: -50.0 %\n{CROWD}: tile 16: +50.0 %"
    assert pools.verdict.endswith("here less time")
    only = findings.rows([r for r in runs if r.workers == 4], [], domains=1)[0]
    assert only.measured == f"not measured\n{CROWD}: tile 16: +50.0 %" and only.verdict.endswith(
        "here no data"
    )
    ours = rows["Treadle's default against the paper's"].measured
    assert [line.partition(":")[0] for line in ours.splitlines()][1:] == [CROWD]
    text = priority_page.page(runs, [], priority_page.Recorded(), [])
    assert OVERSUBSCRIBED in text and drawn(text, CROWD) and "tile 16, oversubscribed" in text
    assert "<td>4, oversubscribed</td>" in text
    without = priority_page.page([r for r in runs if r.workers < 4], [], priority_page.Recorded(), [])
    assert "oversubscribed</td>" not in without and OVERSUBSCRIBED not in without
