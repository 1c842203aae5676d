"""The benchmark harness: what it compares, what it complains about, and what it saves."""

import json
import random
import re
import subprocess
import sys
from pathlib import Path

import adapting
import again
import against
import host
import machine
import pytest
import rivals
import run as bench_run
from host import Round
from process import environment, measure
from rivals import Rival
from series import Sample, Series, text_of, text_of_median
from stopwatch import timed

from treadle.study.median import Median, leader, left_out, prediction

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


MEASURED = """
#include "measure.hpp"

static volatile char memory[1 << 24];

int main() {
  int prepared = 0, called = 0;
  bench::report("once", 1, [&] { ++prepared; }, [&] { ++called; }, [&] { return prepared == 2 && called == 2; });
  const auto touch = [] { for (long i = 0; i < 1 << 24; i += 4096) memory[i] = memory[i] + 1; };
  bench::report_repeated("touch", 1, touch, [] { return true; });
  bench::print_record("uncounted", 1, "B", 0, true);
}
"""


def test_an_untimed_call_touches_the_memory_of_the_timed_ones(tmp_path: Path) -> None:
    (tmp_path / "program.cpp").write_text(MEASURED)
    command = ["g++", "-std=c++20", "-Wall", "-Werror", f"-I{rivals.BENCH}", "program.cpp", "-o", "program"]
    subprocess.run(command, cwd=tmp_path, check=True)
    records, rss_kb, problem = measure(Rival("program", (str(tmp_path / "program"),)), 1, 60)
    once, touch, uncounted = records
    assert problem == "" and once["verified"] and rss_kb > 1 << 14
    assert touch["operations"] > 1 and touch["faults"] < 100  # of 4096 pages
    assert uncounted["faults"] is None
    assert uncounted["switches"] == once["switches"] >= 0  # of the process


def test_the_stopwatch_of_python_returns_what_it_timed() -> None:
    seconds, faults, result = timed(lambda: 7)
    assert seconds >= 0 and faults >= 0 and result == 7


def test_compares_by_the_cost_of_an_operation(tmp_path: Path) -> None:
    found = [rival(tmp_path, "slow", 0.2, operations=500), rival(tmp_path, "fast", 0.1)]
    series, failures = bench_run.run_rounds(found, [1, 2], 2, 60)
    assert failures == []
    rows = bench_run.summarize(series)
    assert [(r["rival"], r["workers"], r["ratio_to_best"]) for r in rows] == [
        ("fast", 1, 1.0), ("slow", 1, 4.0), ("fast", 2, 1.0), ("slow", 2, 4.0),
    ]  # fmt: skip
    assert set(rows[0]) == {
        "workload", "rival", "workers", "unit", "total", "operations", "rounds", "discarded", "median", "low", "high",
        "ratio_to_best", "leads", "faults", "switches", "peak_rss_kb", "verified",
    }  # fmt: skip
    assert all(r["peak_rss_kb"] > 1000 and r["rounds"] == 2 for r in rows)


def test_a_budget_bounds_rounds_and_rivals(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    slow = rival(
        tmp_path,
        "slow",
        0.2,
        tail="import subprocess\nsys.stdout.flush()\nsubprocess.run(['sh', '-c', 'sleep 977; : ' + __file__])\n",
    )
    found = [slow, rival(tmp_path, "fast", 0.1)]
    series, failures = bench_run.run_rounds(found, [1], 10, 300, budget_s=20.0)
    assert failures == []
    assert {key[1]: len(s.samples) for key, s in series.items()} == {"slow": 1, "fast": 1}
    said = " ".join(capsys.readouterr().err.split())
    assert "1 round: there was time for no more in 20 s; slow ended early" in said
    assert "--repeat 10 takes more than" in said
    assert subprocess.run(["pgrep", "-f", str(tmp_path)], capture_output=True).returncode == 1

    (tmp_path / "silent.py").write_text("import time\ntime.sleep(977)\n")
    silent = Rival("silent", (sys.executable, str(tmp_path / "silent.py")))
    _, failures = bench_run.run_rounds([silent], [1], 10, 300, budget_s=3.0)
    assert failures == ["silent with 1 workers: printed nothing in 3 s"]
    capsys.readouterr()

    series, failures = bench_run.run_rounds(found[1:], [1], 4, 300, budget_s=60.0)
    assert failures == [] and len(series["w", "fast", 1].samples) == 4  # there is time for all
    assert capsys.readouterr().err == ""


def test_only_what_asks_for_nothing_has_a_budget() -> None:
    assert bench_run.parse(["fib"]).budget_s == bench_run.BUDGET_S
    for more in (["--repeat", "3"], ["--quick"], ["--again"], ["--adapting"], ["--against", "HEAD"]):
        assert bench_run.parse(["fib", *more]).budget_s == float("inf"), more
    assert bench_run.parse(["all"]).budget_s == float("inf")


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
    assert "trim_threshold" in environment()["GLIBC_TUNABLES"]  # memory once touched stays
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
        (["fib", "--save", "--repeat", "9"], "--save takes at least 10 rounds, not 9"),
        (["fib", "--save", "--quick"], "--save takes at least 10 rounds, not 1"),
        (["fib", "--save"], "--save takes figures of a commit, and this tree differs from it: src/a.cpp"),
    ],
)
def test_bad_arguments(
    arguments: list[str],
    complaint: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(bench_run, "changes", lambda: "src/a.cpp")
    with pytest.raises(SystemExit, match="2"):
        bench_run.main(arguments)
    assert complaint in capsys.readouterr().err


def test_units() -> None:
    assert [text_of(v, "s") for v in (12.34, 0.1, 9.996e-3, 1.5e-9, 0)] == [
        "12.3 s", "100 ms", "10.0 ms", "1.50 ns", "0.00 ns",
    ]  # fmt: skip
    assert text_of(88.9e6, "B") == "88.9 MB" and text_of(43764, "lines") == "43764 lines"


def test_where_a_later_median_lies() -> None:
    assert prediction(range(1, 11), 10) == Median(5.5, 1, 10)
    assert not prediction([1, 2, 3], 10).has_interval
    draws = random.Random(5)
    for saved, later in ((10, 10), (20, 10), (30, 30)):
        inside = 0
        for _ in range(2000):
            expected = prediction([draws.expovariate(1) for _ in range(saved)], later)
            inside += (
                expected.low <= Median.of(draws.expovariate(1) for _ in range(later)).value <= expected.high
            )
        assert 0.95 <= inside / 2000 < 0.999, (saved, later)


def test_the_interval_of_a_median() -> None:
    # How many may be left out at each end is in tables of the sign test.
    assert [left_out(n) for n in (1, 5, 6, 8, 9, 10, 11, 12, 20, 30)] == [None, None, 0, 0, 1, 1, 1, 2, 5, 9]
    ten = Median.of([3, 1, 2, 10, 9, 8, 7, 6, 5, 4])
    assert ten == Median(5.5, 2, 9) and ten.has_interval
    assert not Median.of([1, 2, 3, 4, 5]).has_interval
    assert text_of_median(ten.times(1e-3), "s") == "5.50 ms (2.00–9.00)"
    assert text_of_median(Median(0.0055), "s") == "5.50 ms"


def test_only_who_is_apart_from_all_others_leads() -> None:
    fast, slow, wide = Median(2, 1, 3), Median(5, 4, 6), Median(4, 2, 6)
    assert leader({"fast": fast, "slow": slow}) == "fast"
    assert leader({"fast": fast, "slow": slow, "wide": wide}) is None
    assert leader({"fast": fast, "unknown": Median(5)}) is None
    assert leader({"alone": fast}) is None and leader({}) is None


def test_what_the_host_took() -> None:
    stat = "cpu  100 10 20 1000 500 1 2 30 7 0\ncpu0 1 2 3 4 5 6 7 8 9 10\n"
    assert host.processor_times(stat) == (133, 30)
    assert Round(1).counts and Round(1, 0.01, 1.1).counts
    assert not Round(1, 0.5, 1.0).counts and not Round(1, 0.0, 2.0).counts
    found = host.Watch().round(3)
    assert found.number == 3 and 0 <= found.stolen <= 1 and found.slowdown >= 1


def test_slow_is_who_is_slower_than_before_or_as_slow_as_one_core(monkeypatch: pytest.MonkeyPatch) -> None:
    def counted(*together: float) -> list[bool]:
        """Of rounds between looks at which all cores took so long together, and one of them 1."""
        looks = iter(seconds for seconds in together for _ in range(host.TRIES))
        monkeypatch.setattr(host, "seconds_at_once", lambda cores: 1.0 if len(cores) == 1 else next(looks))
        monkeypatch.setattr(host.os, "sched_getaffinity", lambda _: {0, 1})
        watch = host.Watch()
        return [watch.round(number).slowdown <= host.SLOWDOWN_MOST for number in range(1, len(together))]

    assert counted(1.0, 1.1, 1.6, 1.0, 1.0) == [True, False, False, True]
    assert counted(1.4, 1.4, 1.4) == [True, True]  # as cores are that share their power
    assert counted(2.0, 2.0, 2.0) == [False, False]


class Host:
    """Stands for host.Watch: takes the processor in the rounds with these numbers."""

    def __init__(self, *disturbed: int) -> None:
        self.disturbed = disturbed

    def round(self, number: int) -> Round:
        return Round(number, 0.5 if number in self.disturbed else 0.0, 1.0)


def test_disturbed_rounds_are_made_again(tmp_path: Path) -> None:
    series, _ = bench_run.run_rounds([rival(tmp_path, "a", 0.1)], [1], 3, 60, watch=Host(1, 3))
    (row,) = bench_run.summarize(series)
    assert (row["rounds"], row["discarded"]) == (3, 2)
    series, _ = bench_run.run_rounds([rival(tmp_path, "a", 0.1)], [1], 2, 60, watch=Host(*range(9)))
    assert [sample.round.number for sample in series["w", "a", 1].samples] == [1, 2, 3, 4]
    assert bench_run.summarize(series) == []


def test_rounds_are_judged_beside_the_best_of_all(tmp_path: Path) -> None:
    class Faster:
        def round(self, number: int) -> Round:
            return Round(number, 0.0, 1.0, 2.0 if number <= 2 else 1.0)

    series, _ = bench_run.run_rounds([rival(tmp_path, "a", 0.1)], [1], 3, 60, watch=Faster())
    (row,) = bench_run.summarize(series)
    assert (row["rounds"], row["discarded"]) == (3, 2)
    assert [s.round.slowdown for s in series["w", "a", 1].samples] == [2.0, 2.0, 1.0, 1.0, 1.0]
    assert Round(1, 0.0, None, 2.0).beside(1.0).counts and Round(1, 0.0, 1.0).beside(1.0).counts


def test_rivals_run_in_an_order_that_the_seed_tells(tmp_path: Path) -> None:
    found = [rival(tmp_path, name, 0.1) for name in "abc"]

    def order(seed: int) -> list[str]:
        said: list[str] = []
        bench_run.run_rounds(found, [1, 2], 2, 60, seed=seed, advance=said.append)
        return said

    first = order(7)
    assert first == order(7) != order(8)
    rounds = [[text.split(": ")[1] for text in first if text.startswith(of)] for of in ("round 1", "round 2")]
    assert rounds[0] != rounds[1] and sorted(rounds[0]) == sorted(rounds[1])


@pytest.mark.parametrize(("disturbed", "is_saved"), [((2, 5), True), (range(1, 12), False)])
def test_saves_only_what_has_enough_quiet_rounds(
    two_workloads: dict[str, list[Rival]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    disturbed: tuple[int, ...],
    is_saved: bool,
) -> None:
    monkeypatch.setattr(machine, "BENCH", tmp_path)
    monkeypatch.setattr(bench_run, "ROOT", tmp_path)
    monkeypatch.setattr(bench_run, "changes", lambda: "")
    monkeypatch.setattr(bench_run, "Watch", lambda: Host(*disturbed))
    two_workloads["good"].pop()
    assert bench_run.main(["good", "--save", "--workers", "1", "--seed", "5"]) == (0 if is_saved else 1)
    files = list(tmp_path.glob("results/*/good.csv"))
    assert len(files) == is_saved
    said = " ".join(capsys.readouterr().err.split())
    if is_saved:
        note, series = machine.load(files[0])
        assert note["seed"] == "5" and len(series["w", "a", 1].samples) == 12
        assert "the host disturbed 2 of 12 rounds" in said
    else:
        assert "the host was quiet in 9 of 20 rounds: nothing is saved of less than 10" in said


def test_changes_of_tracked_files_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def git(*arguments: str) -> None:
        identity = ("-c", "user.name=a", "-c", "user.email=a@example.org")
        subprocess.run(["git", *identity, *arguments], cwd=tmp_path, check=True)

    monkeypatch.setattr(machine, "ROOT", tmp_path)
    git("init", "-q")
    for name in ("a.cpp", "bench/results/b.csv"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("one")
    git("add", ".")
    git("commit", "-q", "-m", "one")
    (tmp_path / "new.cpp").write_text("new")
    (tmp_path / "bench/results/b.csv").write_text("two")
    assert machine.changes() == ""
    (tmp_path / "a.cpp").write_text("two")
    assert machine.changes() == "a.cpp"


def measured(costs: list[float], operations: int = 100, disturbed: int = 0) -> Series:
    """In rounds that count, then in some that do not."""
    samples = [
        Sample(cost * operations, operations, 3, Round(i, 0.01, 1.1), 7) for i, cost in enumerate(costs)
    ]
    samples += [Sample(1e9, operations, None, Round(len(samples) + i, 0.5, 1.1)) for i in range(disturbed)]
    return Series("s", samples)


TEN = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]


def test_loads_what_was_saved_without_the_later_columns(tmp_path: Path) -> None:
    header = "# date: 2026\nworkload,rival,workers,round,value,unit,operations,verified\n"
    (tmp_path / "fib.csv").write_text(header + "fib,tbb,1,3,0.5,s,10,True\n")
    _, series = machine.load(tmp_path / "fib.csv")
    assert series == {("fib", "tbb", 1): Series("s", [Sample(0.5, 10, None, Round(3, None, None))])}


def test_later_measurements_are_compared_by_a_yardstick(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def of(scale: float, alone: float | None = 0.01) -> dict:
        samples = [Sample(scale * x, 1, None, Round(i, 0.0, 1.0, alone)) for i, x in enumerate(TEN)]
        return {("fib", "tbb", 2): Series("s", samples), ("fib", "serial", 1): Series("s", samples)}

    same, *others = again.cells(
        of(1), of(3)
    )  # another machine, or another hour: all of it three times as slow
    assert others == [] and same.yardstick == "serial" and same.is_inside
    slow = of(3)
    slow["fib", "tbb", 2].samples = [Sample(99, 1, None, s.round) for s in slow["fib", "tbb", 2].samples]
    assert [cell.is_inside for cell in again.cells(of(1), slow)] == [False]

    alone = {key: s for key, s in of(1).items() if key[1] != "serial"}
    assert [(c.yardstick, c.saved.value) for c in again.cells(alone, alone)] == [("loop", 550.0)]
    older = {key: s for key, s in of(1, None).items() if key[1] != "serial"}
    assert list(again.cells(older, alone)) == []

    monkeypatch.setattr(machine, "BENCH", tmp_path)
    file = machine.save("fib", of(1), 7)
    found, why_not = again.compare("fib", file.parent, of(2))
    assert why_not == "" and [cell.is_inside for cell in found] == [True]
    again.show(found)
    assert again.compare("skynet", file.parent, of(2)) == ([], "skynet.csv was not saved")
    file.write_text(re.sub("# cpu: .*", "# cpu: Z80", file.read_text()))
    assert "of another machine: cpu Z80" in again.compare("fib", file.parent, of(2))[1]


def test_the_papers_rules_choose_before_the_run_that_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "bench" / "grain"))
    import _grain

    from treadle.study.metrics import Run

    made = []

    def once(sweep, repeat, partition, workers):
        made.append(workers)
        tasks = -(-sweep.points // partition) * sweep.steps_of(partition)
        executing = tasks * (partition + 500) * (3 if workers > 1 and partition > 20_000 else 1)
        idle = 0.9 if partition < 1000 else 0.35 if partition < 50_000 else 0.2
        return Run(
            points=sweep.points, steps=sweep.steps_of(partition), partition=partition, workers=workers, repeat=repeat,
            cores=2, seconds=executing / workers, tasks=tasks, executing_ns=executing, overall_ns=executing / (1 - idle),
            management_ns=0, search_ns=0, parked_ns=0, pending_accesses=tasks, pending_misses=0,
        )  # fmt: skip

    monkeypatch.setattr(_grain, "run_once", once)
    monkeypatch.setattr(_grain, "run", lambda *of: of)
    size = (1_000_000, 500, 2)
    idle = _grain.offline("paper-idle-rate")(*size)
    assert idle[:-1] == (*size, "--verify", "--partition") and 50_000 <= idle[-1] < 100_000
    assert set(made) == {2}
    assert _grain.offline("paper-pending")(*size)[-1] == 1_000_000
    assert 10_000 <= _grain.offline("paper-costs")(*size)[-1] < 20_000
    assert set(made) == {1, 2}


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
            ("w", "treadle", 2): measured(now, 10),
            ("w", "treadle before", 2): measured(before, 10),
        }

    noisy = [1.0, 1.3, 0.9, 1.1, 1.0, 0.8, 1.2, 1.0, 1.05, 0.95]
    (same,) = against.ratios(series(noisy[::-1], noisy))
    assert same.verdict == "" and same.ratio.low < 1 < same.ratio.high
    (slower,) = against.ratios(series([v * 1.05 for v in noisy], noisy))
    assert slower.verdict == "slower" and abs(slower.ratio.value - 1.05) < 1e-9
    (slightly,) = against.ratios(series([v * 1.01 for v in noisy], noisy))
    assert slightly.verdict == ""
    (faster,) = against.ratios(series([v * 0.9 for v in noisy], noisy))
    assert faster.verdict == "faster" and faster.record()["ratio"] == faster.ratio.value
    (one,) = against.ratios(series([2.0], [1.0]))
    assert one.verdict == "" and one.record()["low"] is None  # too few rounds to tell
    assert list(against.ratios(series([1.0], [1.0, 1.0]))) == []  # rounds that cannot be paired


def test_a_commit_that_does_not_exist_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert bench_run.main(["fib", "--against", "no-such-commit"]) == 2
    assert "no commit 'no-such-commit'" in capsys.readouterr().err


SPENDS = """
import json, os, sys
lines = LINES
with open(os.environ["TREADLE_PRINT_COUNTER_DESTINATION"], "w") as file:
    for time_s, *spent in lines:
        counters = dict(zip(os.environ["TREADLE_PRINT_COUNTER"].split(";"), spent))
        print(json.dumps({"time_s": time_s, "counters": counters}), file=file)
sys.exit(not lines)
"""


def test_what_adapting_costs_is_a_share_of_the_time_of_all_runtimes_of_a_program(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def program(name: str, text: str) -> Rival:
        (tmp_path / f"{name}.py").write_text(text)
        return Rival(name, (sys.executable, str(tmp_path / f"{name}.py")))

    chosen = [
        program("twice", SPENDS.replace("LINES", "[(0.5, 1e6, 0), (1.5, 4e6, 3e7)]")),
        program("fails", SPENDS.replace("LINES", "[]")),
        program("none", ""),
        program("real", 'import treadle as td\ntd.counters["/tuning/time/cumulative"]'),
    ]
    rows, failures = adapting.cost("w", chosen, [2], 60, lambda _: None)
    assert [row["rival"] for row in rows] == ["twice", "real"]
    assert rows[0]["seconds"] == 2 and [rows[0][name] for name in adapting.MOST] == pytest.approx(
        [0.002, 0.015]
    )
    assert rows[1]["seconds"] > 0 and [rows[1][name] for name in adapting.MOST] == [0, 0]
    assert len(failures) == 2 and "w: fails, 2 workers: exit code 1" in failures[1]
    assert failures[0] == "w: twice, 2 workers: /tuning/time/exploring is 1.50% of the time, more than 1.0%"
    adapting.show(rows)
    assert "1.500%" in capsys.readouterr().out
