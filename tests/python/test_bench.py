"""The benchmark harness: what it compares, what it complains about, what it saves, and the page made of that."""

import json
import sys
from pathlib import Path

import against
import machine
import plot
import pytest
import rivals
import run as bench_run
import tables
from process import environment
from rivals import Rival
from series import Series, text_of

ROOT = Path(__file__).resolve().parents[2]
RIVAL = """
import json, os, sys
assert sys.argv[1] == "--workers" and int(sys.argv[2]) > 0
print(json.dumps({"workload": "w", "value": VALUE, "verified": VERIFIED, "operations": OPERATIONS}))
"""


def rival(
    folder: Path, name: str, value: float, verified: str = "True", operations: int = 1000, tail: str = ""
) -> Rival:
    text = (
        RIVAL.replace("VALUE", str(value))
        .replace("VERIFIED", verified)
        .replace("OPERATIONS", str(operations))
    )
    (folder / f"{name}.py").write_text(text + tail)
    return Rival(name, (sys.executable, str(folder / f"{name}.py")))


def test_compares_by_the_cost_of_an_operation(tmp_path: Path) -> None:
    found = [rival(tmp_path, "slow", 0.2, operations=500), rival(tmp_path, "fast", 0.1)]
    series, failures = bench_run.run_rounds(found, [1, 2], 2, 60)
    assert failures == []
    rows = bench_run.summarize(series)
    assert [(r["rival"], r["workers"], r["ratio_to_best"]) for r in rows] == [
        ("fast", 1, 1.0), ("slow", 1, 4.0), ("fast", 2, 1.0), ("slow", 2, 4.0),
    ]  # fmt: skip
    assert set(rows[0]) == {
        "workload", "rival", "workers", "unit", "total", "operations", "median", "min", "max", "ratio_to_best",
        "peak_rss_kb", "verified",
    }  # fmt: skip
    assert all(r["peak_rss_kb"] > 1000 and len(series["w", r["rival"], 1].values) == 2 for r in rows)


def test_reports_failures(tmp_path: Path) -> None:
    found = [
        rival(tmp_path, "wrong", 0.1, verified="False"),
        rival(tmp_path, "crash", 0.1, tail="sys.exit('no luck')"),
        rival(tmp_path, "chatty", 0.1, tail="print('hello')"),
        rival(tmp_path, "hang", 0.1, tail="import time; time.sleep(60)"),
    ]
    _, failures = bench_run.run_rounds(found, [1], 1, 2)
    text = "\n".join(failures)
    assert "wrong on w with 1 workers: wrong result" in text
    assert "crash with 1 workers: exit code 1: no luck" in text
    assert "chatty with 1 workers: printed something that is not a record" in text
    assert "hang with 1 workers: still running after 2 s" in text


def test_programs_apart_are_compared_by_what_they_do_together(tmp_path: Path) -> None:
    def apart(name: str, **options: str) -> Rival:
        return Rival(
            name,
            (sys.executable, str(rivals.BENCH / "apart.py"), *rival(tmp_path, name, 0.2, **options).command),
        )

    wrong, crash = apart("wrong", verified="False"), apart("crash", tail="sys.exit('no luck')")
    series, failures = bench_run.run_rounds([apart("right"), wrong, crash], [1, 3], 1, 60)
    assert [s.costs() for s in (series["w", "right", 1], series["w", "right", 3])] == [
        [pytest.approx(0.2 / 1000)], [pytest.approx(0.2 / 3000)],
    ]  # fmt: skip
    assert ["wrong result" in f or "no luck" in f for f in failures] == [True] * 4


def test_a_rival_that_cannot_run_is_left_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = [
        rival(tmp_path, "absent", 0.1, tail="sys.stderr.write('no such library'); sys.exit(77)"),
        rival(tmp_path, "there", 0.1),
    ]
    series, failures = bench_run.run_rounds(found, [1, 2], 1, 60)
    assert failures == [] and {key[1] for key in series} == {"there"}
    assert capsys.readouterr().err.count("skipping absent: no such library") == 1


def test_settings_do_not_leak_into_rivals(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (
        "OPENBLAS_CORETYPE",
        "OPENBLAS_L2_SIZE",
        "OMP_NUM_THREADS",
        "RAYON_NUM_THREADS",
        "TREADLE_WORKERS",
    ):
        monkeypatch.setenv(name, "1")
        assert name not in environment()
    assert "PATH" in environment()
    clean = "not any(n.startswith(('OPENBLAS_', 'OMP_', 'RAYON_', 'TREADLE_')) for n in os.environ)"
    _, failures = bench_run.run_rounds([rival(tmp_path, "clean", 0.1, verified=clean)], [1], 1, 60)
    assert failures == []


@pytest.fixture
def two_workloads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, list[Rival]]:
    found = {
        "good": [rival(tmp_path, "a", 0.1), rival(tmp_path, "b", 0.2)],
        "compile": [rival(tmp_path, "c", 0.1)],
    }
    monkeypatch.setattr(bench_run, "workloads", lambda: list(found))
    monkeypatch.setattr(bench_run, "rivals_of", found.__getitem__)
    return found


def test_all_runs_every_workload(two_workloads: dict[str, list[Rival]], tmp_path: Path) -> None:
    out = tmp_path / "rows.json"
    command = ["all", "--quick", "--workers", "1", "--workers", "2", "--json", str(out)]
    assert bench_run.main(command) == 0
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    # A workload that has no workers runs once.
    assert [(r["rival"], r["workers"]) for r in rows] == [("a", 1), ("b", 1), ("a", 2), ("b", 2), ("c", 1)]


def test_the_exit_code_tells_a_wrong_result(
    two_workloads: dict[str, list[Rival]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    two_workloads["good"].append(rival(tmp_path, "wrong", 0.1, verified="False"))
    assert bench_run.main(["all", "--quick"]) == 1
    assert "failed: good: wrong on w with 1 workers: wrong result" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["nothing"], "no workload 'nothing'; there are: all, "),
        (["fib", "--workers", "0"], "--repeat and --workers take numbers of at least 1"),
        (["fib", "--repeat", "0"], "--repeat and --workers take numbers of at least 1"),
    ],
)
def test_bad_arguments(arguments: list[str], complaint: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        bench_run.main(arguments)
    assert complaint in capsys.readouterr().err


def test_units() -> None:
    assert [text_of(v, "s") for v in (12.34, 0.1, 9.996e-3, 1.5e-9, 0)] == [
        "12.3 s", "100 ms", "10.0 ms", "1.50 ns", "0.00 ns",
    ]  # fmt: skip
    assert text_of(88.9e6, "B") == "88.9 MB" and text_of(43764, "lines") == "43764 lines"


SAVED = {
    ("fib", "treadle", 1): Series("s", [0.2, 0.4, 0.3], [100, 100, 100]),
    ("fib", "tbb", 1): Series("s", [0.1], [10]),
    ("fib", "serial", 1): Series("s", [0.1], [100]),
    ("matmul_1024", "treadle", 1): Series("s", [2.0], [1000]),
    ("loops_saxpy_16", "treadle", 1): Series("s", [3.2], [1600]),
    ("loops_saxpy_16", "serial", 1): Series("s", [1.6], [1600]),
    ("idle", "tbb", 1): Series("s", [0.0], [0]),
}


@pytest.fixture
def saved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(machine, "BENCH", tmp_path)
    monkeypatch.setattr(machine, "ROOT", tmp_path.parent)
    for body in ("empty", "heavy"):
        for who in ("treadle", "serial"):
            SAVED[f"loops_{body}_16", who, 1] = SAVED["loops_saxpy_16", who, 1]
    return machine.save("some", SAVED)


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
    } <= set(note)


def test_tables(saved: Path) -> None:
    results = tables.read(tables.newest(saved.parent.parent))
    contents = tables.blocks(results)
    assert contents["tasks"].splitlines() == [
        "| workload | workers | Treadle | oneTBB | serial |",
        "| --- | ---: | ---: | ---: | ---: |",
        "| fib | 1 | **3.00 ms** | 10.0 ms | 1.00 ms |",
    ]
    assert "| matmul_1024 | 1 | **2.00 s** |" in contents["times"]
    assert "| saxpy | 16 | 32.0 ms | 16.0 ms |" in contents["loops"]
    assert contents["latencies"] == "*Not measured yet.*"
    page = "before\n<!-- tasks -->\nold\n<!-- end -->\nafter\n"
    filled = tables.fill(page, contents)
    assert filled == f"before\n<!-- tasks -->\n{contents['tasks']}\n<!-- end -->\nafter\n"
    assert tables.fill(filled, contents) == filled
    with pytest.raises(KeyError, match="unknown"):
        tables.fill("<!-- unknown -->\n<!-- end -->", contents)


def test_figures(saved: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("<!-- figure_cost -->\n<!-- end -->\n<!-- figure_loops -->\n<!-- end -->\n")
    command = ["--results", str(saved.parent), "--page", str(page)]
    assert plot.main(command) == 0
    images = {
        name: (tmp_path / "images" / f"{name}.svg").read_bytes() for name in ("cost", "speedup", "loops")
    }
    assert all(b"<svg" in image and len(image) < 200_000 for image in images.values())
    assert "(images/cost.svg)" in page.read_text() and "(images/loops.svg)" in page.read_text()
    assert plot.main(command) == 0
    assert all((tmp_path / "images" / f"{name}.svg").read_bytes() == image for name, image in images.items())


def test_the_page_shows_the_saved_results() -> None:
    page = (ROOT / "docs/performance.md").read_text()
    contents = tables.blocks(tables.read(tables.newest()))
    figures = {f"figure_{name}": None for name in ("cost", "speedup", "loops")}
    for name in figures:  # their text does not depend on the numbers
        figures[name] = page.split(f"<!-- {name} -->\n")[1].split("\n<!-- end -->")[0]
    assert tables.fill(page, {**contents, **figures}) == page, "bench/plot.py brings the page up to date"


def test_every_workload_has_its_problem_in_one_place() -> None:
    assert "fib" in rivals.workloads() and "rust" not in rivals.workloads()
    for name in rivals.workloads():
        files = rivals.sources(rivals.BENCH / name)
        if any(f.suffix == ".cpp" for f in files):
            assert (rivals.BENCH / name / "config.hpp").is_file(), name
        assert len({f.stem for f in files}) > 1, name


def test_a_build_against_another_counts_a_loss_only_when_all_of_the_interval_says_so() -> None:
    def series(now: list[float], before: list[float]) -> dict:
        return {
            ("w", "treadle", 2): Series(values=now, operations=[10] * len(now)),
            ("w", "treadle before", 2): Series(values=before, operations=[10] * len(before)),
        }

    noisy = [1.0, 1.3, 0.9, 1.1, 1.0, 0.8, 1.2, 1.0, 1.05, 0.95]
    (same,) = against.ratios(series(noisy[::-1], noisy))
    assert same.verdict == "" and same.low < 1 < same.high
    (slower,) = against.ratios(series([v * 1.05 for v in noisy], noisy))
    assert slower.verdict == "slower" and abs(slower.median - 1.05) < 1e-9
    (slightly,) = against.ratios(series([v * 1.01 for v in noisy], noisy))
    assert slightly.verdict == ""
    (faster,) = against.ratios(series([v * 0.9 for v in noisy], noisy))
    assert faster.verdict == "faster" and faster.record()["ratio"] == faster.median
    assert list(against.ratios(series([1.0], [1.0, 1.0]))) == []  # rounds that cannot be paired


def test_a_commit_that_does_not_exist_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert bench_run.main(["fib", "--against", "no-such-commit"]) == 2
    assert "no commit 'no-such-commit'" in capsys.readouterr().err
