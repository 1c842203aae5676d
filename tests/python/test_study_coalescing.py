"""The study of parcels that travel together: what runs, what goes on, what the page says."""

import json
import math
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from treadle.study.coalescing import command, measured, simulated, simulated_page
from treadle.study.coalescing.page import Found, page
from treadle.study.log import read

TREADLE = str(Path(sys.executable).with_name("treadle"))
TINY = measured.Plan(
    repeats=1, parcels=(1, 16), intervals_us=(10, 1000), networks=("none", "5 us"), searches=("paper-adaptive",),
    options=(("--parcels", "300", "--phases", "4"), ("--n", "6", "--iterations", "3")),
)  # fmt: skip


def silent(*_):
    pass


def run_of(cell, seconds=1.0):
    series = json.dumps([[100, 0.5, 10.0, ""], [200, 0.5, 8.0, "100 us, 50 parcels"]])
    searched = cell.setting in measured.SEARCHES
    return measured.Run(
        cell.repeat,
        cell.program,
        cell.network,
        cell.setting,
        seconds,
        200,
        50,
        10 * seconds,
        series if searched else "",
    )


def test_the_plan():
    cells = list(measured.Plan().cells())
    assert len(cells) == len(set(cells)) == 5 * 2 * 4 * (3 + 7 + 48)
    assert measured.Plan().settings()["16, 1000 us"] == "paper:16,1000"
    assert measured.grid_of("16, 1000 us") == (16, 1000)
    assert all(measured.grid_of(name) is None for name in (*measured.FIXED, *measured.SEARCHES))
    with pytest.raises(ValueError, match="repeats"):
        measured.Plan(repeats=0)


def test_all_settings_run(tmp_path):
    runs = measured.measure(TINY, tmp_path / "coalescing.csv", silent)
    assert len(runs) == len(list(TINY.cells()))
    for run in runs:
        assert run.seconds > 0 and run.parcels > 0 and run.overhead >= 0, run
        assert run.messages <= run.parcels
        if run.setting == "off":
            assert run.messages > 0.9 * run.parcels  # the two are not read at one moment
        if run.setting in ("adaptive", "paper-adaptive"):
            phases = json.loads(run.series)
            assert len(phases) == (4 if run.program == "message_rate" else 3)
            assert phases[-1][0] == run.parcels
    assert [r.cell for r in read(tmp_path / "coalescing.csv", measured.Run)] == [r.cell for r in runs]
    text = page(runs, [])
    assert "message_rate, network none" in text and "<svg" in text


def test_the_best_of_the_grid_and_correlation():
    plan = replace(TINY, networks=("none",))
    seconds = {"1, 10 us": 4.0, "1, 1000 us": 3.0, "16, 10 us": 2.0, "16, 1000 us": 5.0}
    runs = [run_of(c, seconds.get(c.setting, 6.0)) for c in plan.cells()]
    found = Found(runs)
    name, best = found.best_of_grid("parquet", "none")
    assert (name, best.value) == ("16, 10 us", 2.0)
    assert measured.correlation(found.pairs("parquet", "none")) == pytest.approx(1)
    assert measured.correlation([(1, 3), (2, 2), (3, 1)]) == pytest.approx(-1)
    assert math.isnan(measured.correlation([(1, 1), (1, 2)])) and math.isnan(measured.correlation([]))
    text = page(runs, ["a note"])
    assert "best of the grid: 16, 10 us" in text and "3.000" in text and "a note" in text


def test_it_goes_on_where_it_was(tmp_path, monkeypatch):
    made = []

    def fake(plan, cell):
        if len(made) == 5:
            raise KeyboardInterrupt
        made.append(cell)
        return run_of(cell)

    monkeypatch.setattr(measured, "run_once", fake)
    monkeypatch.setattr(measured, "QUICK", TINY)
    for done in (5, 10):
        made.clear()
        with pytest.raises(KeyboardInterrupt):
            command.coalescing_command(out=tmp_path, repeats=5, network=None, quick=True)
        of = len(list(TINY.cells()))
        assert (
            f"{done} of {of} runs are done; the same command goes on"
            in (tmp_path / "coalescing.html").read_text()
        )


def test_what_is_wrong_is_named(tmp_path):
    for arguments, said in (
        (["--network", "wet string"], "no network 'wet string'; there are none, 5 us"),
        (["--quick", "--repeats", "2"], "--quick chooses"),
        (["--repeats", "0"], "repeats: at least 1"),
    ):
        done = subprocess.run(
            [TREADLE, "study", "coalescing", "--out", tmp_path, *arguments], capture_output=True, text=True
        )
        assert done.returncode != 0 and said in done.stderr, done.stderr


def test_more_localities_are_simulated(tmp_path):
    cells = list(
        simulated.Plan(localities=(2, 5), networks=("5 us",), requests=100, fewest=20, longer=(5,)).cells(
            TINY
        )
    )
    assert {(cell.localities, cell.partners) for cell in cells} == {(2, 1), (5, 4)}
    runs = simulated.simulate(cells, tmp_path / "simulated.csv", silent)
    assert read(tmp_path / "simulated.csv", simulated.Run) == runs
    for run in runs:
        assert run.parcels == 2 * run.localities * run.requests >= run.messages > 0
        assert run.messages == run.parcels or run.setting != simulated.OFF
    shown = "\n".join(simulated_page.parts(runs))
    assert (
        shown.count("<svg") == 1
        and "5 us, 5, 4, 20<" in shown
        and "5 us, 5, 4, 200<" in shown
        and "Simulated:" in shown
    )
    assert simulated_page.parts([]) == []
    with pytest.raises(ValueError, match="no setting"):
        simulated.numbers_of("nonsense")
