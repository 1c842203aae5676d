"""What benchmarks saved, and the pages made of it: tables, figures, and the claims of the papers beside the data."""

from dataclasses import asdict
from pathlib import Path

import evidence
import inlining_table
import machine
import plot
import pytest
import results
import tables
from series import Sample, Series
from test_bench import TEN, measured

from treadle.study import inlining
from treadle.study.median import Median

SAVED = {
    ("fib", "treadle", 1): measured([0.002, 0.004, 0.003]),
    ("fib", "tbb", 1): measured([0.01], 10),
    ("fib", "serial", 1): measured([0.001]),
    ("nqueens", "treadle", 1): measured([1e-3 * x for x in TEN], disturbed=2),
    ("nqueens", "tbb", 1): measured([1e-2 * x for x in TEN], disturbed=2),
    ("nqueens", "serial", 1): measured([1e-3 * x for x in TEN], disturbed=2),
    ("skynet", "treadle", 1): measured([1e-3 * x for x in TEN]),
    ("skynet", "tbb", 1): measured([2e-3 * x for x in TEN]),
    ("matmul_1024", "treadle", 1): measured([0.002], 1000),
    ("loops_saxpy_16", "treadle", 1): measured([0.002], 1600),
    ("loops_saxpy_16", "serial", 1): measured([0.001], 1600),
    ("idle", "tbb", 1): Series("s", [Sample(0.0)]),
    ("vocabulary_sin", "treadle", 1): measured(TEN),
    ("vocabulary_sin", "plain_numpy", 1): measured([10 * x for x in TEN]),
    ("vocabulary_ones", "treadle", 1): measured([2 * x for x in TEN]),
    ("vocabulary_ones", "plain_numpy", 1): measured(TEN),
}
for body in ("empty", "heavy"):
    for who in ("treadle", "serial"):
        SAVED[f"loops_{body}_16", who, 1] = SAVED["loops_saxpy_16", who, 1]


@pytest.fixture
def saved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(machine, "BENCH", tmp_path)
    return machine.save("some", SAVED, seed=3)


def test_saves_and_loads(saved: Path) -> None:
    note, series = machine.load(saved)
    assert series == SAVED
    assert {
        "cpu",
        "usable cores",
        "kernel",
        "compiler",
        "clang",
        "rustc",
        "oneTBB",
        "libomp",
        "commit",
        "numpy",
        "seed",
        "vectors",
    } <= set(note)


def test_the_page_of_evidence_is_that_of_the_saved_data(monkeypatch: pytest.MonkeyPatch) -> None:
    assert evidence.page() == evidence.PAGE.read_text(), "bench/evidence.py brings the page up to date"
    guide = inlining_table.PAGE.read_text()
    contents = inlining_table.blocks(evidence.data_of(evidence.INLINING))
    assert all(f"<!-- {name} -->" in guide for name in contents)
    assert tables.fill(guide, contents) == guide, "bench/evidence.py brings the tables up to date"
    first = next(iter(evidence.VERDICTS))
    monkeypatch.setitem(evidence.VERDICTS, (first[0], "nobody claims this"), "so")
    with pytest.raises(KeyError, match="nobody claims this"):
        evidence.page()
    monkeypatch.delitem(evidence.VERDICTS, first)
    with pytest.raises(KeyError):
        evidence.page()


def test_tables(saved: Path) -> None:
    shown = results.read(results.fullest(saved.parent.parent))
    contents = tables.blocks(shown)
    assert contents["tasks"].splitlines() == [
        "| workload | workers | rounds | Treadle | oneTBB | serial |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
        "| fib | 1 | 1 | 3.00 ms | 10.0 ms | 1.00 ms |",
        "| nqueens | 1 | 10 of 12 | **5.50 ms (2.00–9.00)** | 55.0 ms (20.0–90.0) | 5.50 ms (2.00–9.00) |",
        "| skynet | 1 | 10 | 5.50 ms (2.00–9.00) | 11.0 ms (4.00–18.0) | – |",
    ]
    assert "| matmul_1024 | 1 | 1 | 2.00 s |" in contents["times"]
    assert "| saxpy | 16 | 1 | 32.0 ms | 16.0 ms |" in contents["loops"]
    assert contents["latencies"] == contents["elsewhere"] == contents["parcels"] == "*Not measured yet.*"
    key = ("one_way", "mpich", 1)
    note = {"usable cores": "2", "cpu": "x"}
    other = results.Results(note, note, {key: Median.of([2e-7])}, {"one_way": "s"})
    other.operations[key], other.rounds[key] = 1, (1, 0)
    beside = tables.blocks(shown, [other])
    assert (
        "| one_way | 1 | 1 | 200 ns |" in beside["parcels"] and beside["elsewhere"] == contents["elsewhere"]
    )
    more = results.Results(note, note, {key: Median.of([3e-7])}, {"one_way": "s"})
    more.operations[key], more.rounds[key] = 1, (9, 3)
    assert "| one_way | 1 | 9 of 12 | 300 ns |" in tables.blocks(shown, [other, more, other])["parcels"]
    there = tables.blocks(shown, [shown])["elsewhere"]
    assert there.startswith(f"### {shown.note['usable cores']} cores: ")
    assert "| fib | 1 | 1 | 3.00 ms |" in there
    assert "| `fib(39)`, fork-join, a call, 1 worker | 1 | 3.00 ms | – |" in contents["headline"]
    assert "| ≥ 8 (1) | `sin` |" in contents["vocabulary"]
    assert "| intervals overlap (1) | `ones` |\n\nMedians of 10 rounds." in contents["vocabulary"]
    page = "before\n<!-- tasks -->\nold\n<!-- end -->\nafter\n"
    filled = tables.fill(page, contents)
    assert filled == f"before\n<!-- tasks -->\n{contents['tasks']}\n<!-- end -->\nafter\n"
    assert tables.fill(filled, contents) == filled
    with pytest.raises(KeyError, match="unknown"):
        tables.fill("<!-- unknown -->\n<!-- end -->", contents)


def test_the_tables_of_policies_lead_where_intervals_are_apart(tmp_path: Path) -> None:
    plan = inlining.Plan(
        workers=(2, 4), repeats=6, experiments=("sizes",), programs=("physl",), sizes=((10, 5),)
    )
    runs = [
        inlining.Run(
            **asdict(cell), cores=2, seconds=(20 if cell.policy == "adaptive" and cell.workers == 2 else 40) + cell.repeat,
            evaluations=100, spawned=10, checksum=5.5,
        )
        for cell in plan.cells()
    ]  # fmt: skip
    *rows, empty, counted = inlining_table.by_policy(runs).splitlines()
    assert rows[2:] == [
        f"| 10 × 5 | 2 | **11.2 ms** |{' 21.2 ms |' * 5}",
        f"| 10 × 5 | 4, oversubscribed |{' 21.2 ms |' * 6}",
    ]
    assert empty == "" and counted == "Medians of 6 runs."
    assert inlining_table.by_policy(runs[1:]).endswith("Medians of 5 to 6 runs.")
    assert inlining_table.blocks(tmp_path)["sizes_python"] == "*Not measured yet.*"


def test_figures(saved: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    names = ("cost", "speedup", "loops")
    page.write_text("".join(f"<!-- figure_{name} -->\n<!-- end -->\n" for name in names))
    command = ["--results", str(saved.parent), "--page", str(page)]
    assert plot.main(command) == 0
    images = {name: (tmp_path / "images" / f"{name}.svg").read_bytes() for name in names}
    assert all(b"<svg" in image and len(image) < 200_000 for image in images.values())
    assert "(images/cost.svg)" in page.read_text() and "(images/loops.svg)" in page.read_text()
    assert plot.main(command) == 0
    assert all((tmp_path / "images" / f"{name}.svg").read_bytes() == image for name, image in images.items())


def test_a_grain_that_was_found_is_told_apart_from_a_fixed_one_where_intervals_allow() -> None:
    shown = results.Results(note={"usable cores": "2"})
    costs = {
        ("grain_1e6", 1): (range(1, 11), range(11, 21)), ("grain_1e6", 2): (range(11, 21), range(1, 11)),
        ("grain_1e7", 1): (range(1, 11), range(2, 12)), ("grain_1e7", 2): (range(1, 6), range(11, 16)),
    }  # fmt: skip
    for (workload, workers), pair in costs.items():
        for name, found in zip(("auto", "default"), pair, strict=True):
            shown.cost[workload, name, workers] = Median.of(found)
            shown.operations[workload, name, workers] = 1
            shown.rounds[workload, name, workers] = len(found), 0
        shown.unit[workload] = "s"
    _, *said = tables.grain(shown).split("\n\n")
    assert said == [
        "*auto* and *fixed* cannot be told apart: grain_1e7 with 1 worker, grain_1e7 with 2 workers.",
        "*auto* is faster: grain_1e6 with 1 worker.",
        "*fixed* is faster: grain_1e6 with 2 workers.",
        "Fewer than six rounds have no interval, and tell nothing apart.",
    ]


@pytest.mark.parametrize("page", tables.PAGES, ids=lambda page: page.name)
def test_the_pages_show_the_saved_results(page: Path) -> None:
    text = page.read_text()
    folder = results.fullest()
    contents = tables.blocks(results.read(folder), map(results.read, results.others(folder)))
    for name in plot.FIGURES:  # their text does not depend on the numbers
        mark = f"<!-- figure_{name} -->\n"
        if mark in text:
            contents[f"figure_{name}"] = text.split(mark)[1].split("\n<!-- end -->")[0]
    assert text.count("<!-- end -->") >= 2
    assert tables.fill(text, contents) == text, "bench/plot.py brings the page up to date"
