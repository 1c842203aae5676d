"""The tables of docs/performance.md, generated from the raw results that `./dev bench all --save` leaves."""

import re
import statistics
from dataclasses import dataclass
from pathlib import Path

from machine import load
from rivals import BENCH
from series import text_of

RIVALS = {  # in the order of the columns
    "treadle": "Treadle",
    "treadle_futures": "Treadle, futures",
    "treadle_async": "Treadle, one header",
    "tbb": "oneTBB",
    "omp": "GCC OpenMP",
    "omp_llvm": "LLVM OpenMP",
    "rayon": "rayon",
    "chili": "chili",
    "gnu_parallel": "GNU parallel mode",
    "std_par": "std::execution::par",
    "crossbeam": "crossbeam",
    "go": "Go",
    "std_async": "std::async",
    "std_future": "std::async",
    "std_thread": "std::thread",
    "serial": "serial",
    "treadle_bare": "without counters",
    "treadle_printed": "printing 10 a second",
    "treadle_traced": "traced",
    "adaptive": "adaptive",
    "always_inline": "always inline",
    "always_async": "always async",
    "paper_baseline": "paper, baseline",
    "paper_adaptive": "paper, adaptive",
    "plain_numpy": "NumPy",
    "exhaustive_best": "best of all",
    "auto": "auto",
    "default": "fixed",
    "paper_idle_rate": "paper, idle-rate",
    "paper_pending": "paper, pending accesses",
    "treadle_local_ucb": "local UCB",
    "treadle_discounted_ucb": "discounted UCB",
    "treadle_hill_climb": "hill climbing",
    "treadle_frozen_exhaustive": "exhaustive, frozen",
    "treadle_frozen_pro": "PRO, frozen",
    "treadle_frozen_nelder_mead": "Nelder–Mead, frozen",
    "treadle_frozen_annealing": "annealing, frozen",
    "treadle_fixed": "middle value",
    "treadle_oracle": "oracle",
}
TASKS = ("fib", "integrate", "nqueens", "skynet", "uts_t1", "uts_t3", "spawn_flat", "wait_all")
TASKS += ("futures/async_get", "futures/fib", "futures/dataflow_ready")
LATENCIES = ("futures/block_resume", "futures/steal", "channel", "start_stop")
TIMES = ("matmul_1024", "matmul_2048")
TIMES += tuple(f"sort_{keys}" for keys in ("ints", "doubles", "sorted", "reverse", "few"))
BODIES = ("empty", "saxpy", "heavy")
OBSERVATION = ("counters_tasks_1us", "counters_forks", "counters_futures")
GRAIN = ("grain_1e6", "grain_1e7", "grain_1e8")
TUNING = ("tuning_grain", "tuning_blocks", "tuning_next_report")
INLINING = ("inlining_10x5", "inlining_64x64", "inlining_100x100", "inlining_40x400", "inlining_400x400")
FOOTPRINT = ("idle", "memory_fib", "memory_alive", "compile", "compile_lines")


@dataclass
class Results:
    """Medians per operation; times of a whole run where there are no operations."""

    note: dict[str, str]  # of what was measured last
    oldest: dict[str, str]
    cost: dict[tuple[str, str, int], float]
    unit: dict[str, str]
    operations: dict[tuple[str, str, int], int]

    def workers(self) -> tuple[int, ...]:
        """One, and as many as there are cores: more are for a look at oversubscription."""
        cores = int(self.note["usable cores"])
        return tuple(sorted({w for _, _, w in self.cost if w in (1, cores)}))

    def rivals(self, workload: str, workers: int) -> dict[str, float]:
        return {r: self.cost[workload, r, workers] for r in RIVALS if (workload, r, workers) in self.cost}


def newest(folder: Path = BENCH / "results") -> Path:
    """The folder of the machine that was measured last."""
    return max(folder.glob("*/*.csv"), key=lambda file: load(file)[0].get("date", "")).parent


def read(folder: Path) -> Results:
    results = Results({}, {}, {}, {}, {})
    for file in sorted(folder.glob("*.csv")):
        note, series = load(file)
        if note["date"] > results.note.get("date", ""):
            results.note = note
        if note["date"] < results.oldest.get("date", "~"):
            results.oldest = note
        for key, s in series.items():
            results.cost[key] = statistics.median(s.costs())
            results.unit[key[0]] = s.unit
            results.operations[key] = s.operations[-1]
    return results


def table(header: list[str], rows: list[list[str]]) -> str:
    if not rows:
        return "*Not measured yet.*"
    lines = [header, ["---", *["---:"] * (len(header) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def by_rival(results: Results, workloads: tuple[str, ...], whole_runs: bool = False) -> str:
    """A row per workload and number of workers, a column per rival; the best that is not serial is bold."""
    groups = {(w, n): found for w in workloads for n in results.workers() if (found := results.rivals(w, n))}
    names = [r for r in RIVALS if any(r in found for found in groups.values())]
    rows = []
    for (workload, workers), found in groups.items():
        best = min((cost for rival, cost in found.items() if rival != "serial"), default=None)
        cells = [workload, str(workers)]
        for name in names:
            if (cost := found.get(name)) is None:
                cells.append("–")
                continue
            factor = results.operations[workload, name, workers] if whole_runs else 1
            text = text_of(cost * max(factor, 1), results.unit[workload]).replace(" lines", "")
            cells.append(f"**{text}**" if cost == best and name != "serial" else text)
        rows.append(cells)
    return table(["workload", "workers", *(RIVALS[name] for name in names)], rows)


def loops(results: Results) -> str:
    """Time of one loop on all cores."""
    found = (re.fullmatch(r"loops_(\w+)_(\d+)", workload) for workload, _, _ in results.cost)
    lengths = sorted({int(match[2]) for match in found if match})
    if not lengths:
        return "*Not measured yet.*"
    workers = results.workers()[-1]
    columns = [r for r in RIVALS if ("loops_saxpy_" + str(lengths[0]), r, workers) in results.cost]
    rows = []
    for body in BODIES:
        for n in lengths:
            times = [results.cost[f"loops_{body}_{n}", r, workers] * n for r in columns]
            rows.append([body, f"{n:,}", *(text_of(time, "s") for time in times)])
    return table(["body", "iterations", *(RIVALS[r] for r in columns)], rows)


def scaling(results: Results) -> str:
    """What another core brings, and what it would bring to programs that have nothing to do with each other."""
    workers = results.workers()[-1]
    rows = []
    for workload in (*TASKS, *TIMES):
        keys = [
            (workload, "treadle", 1),
            (workload, "treadle", workers),
            (workload, "treadle_apart", workers),
        ]
        if any(key not in results.cost for key in keys):
            continue
        one, together, apart = (results.cost[key] for key in keys)
        rows.append(
            [workload, f"{one / together:.2f}", f"{one / apart:.2f}", f"{100 * apart / together:.0f} %"]
        )
    return table(["workload", f"{workers} workers", f"{workers} programs", "workers reach"], rows)


FASTER = (8, 4, 2, 1.1, 0.9)  # the least ratios of the rows


def vocabulary(results: Results) -> str:
    """The functions of NumPy, by how many times as fast as NumPy's own they are; those that are slower with the ratio."""
    ratios = {
        name.removeprefix("vocabulary_"): results.cost[name, "plain_numpy", 1] / cost
        for (name, rival, workers), cost in results.cost.items()
        if name.startswith("vocabulary_")
        and (rival, workers) == ("treadle", 1)
        and (name, "plain_numpy", 1) in results.cost
    }
    rows, above = [], float("inf")
    for least in (*FASTER, 0) if ratios else ():
        found = sorted(n for n, ratio in ratios.items() if least <= ratio < above)
        shown = (f"`{n}`" if least else f"`{n}` {ratios[n]:.2f}" for n in found)
        label = f"≥ {least}" if least else f"< {FASTER[-1]}"
        rows.append([f"{label} ({len(found)})", ", ".join(shown) or "–"])
        above = least
    return table(["times as fast as NumPy", "functions"], rows)


def machine(results: Results) -> str:
    """Each file says what holds for it; where the first and the last one differ, both are given."""
    spans = {
        name: text if results.oldest.get(name) == text else f"{results.oldest.get(name)} to {text}"
        for name, text in results.note.items()
    }
    return "Measured on: " + "; ".join(f"{name} {text}" for name, text in spans.items()) + "."


def blocks(results: Results) -> dict[str, str]:
    return {
        "machine": machine(results),
        "tasks": by_rival(results, TASKS),
        "latencies": by_rival(results, LATENCIES),
        "times": by_rival(results, TIMES, whole_runs=True),
        "scaling": scaling(results),
        "loops": loops(results),
        "footprint": by_rival(results, FOOTPRINT),
        "observation": by_rival(results, OBSERVATION),
        "grain": by_rival(results, GRAIN, whole_runs=True),
        "tuning": by_rival(results, TUNING),
        "inlining": by_rival(results, INLINING),
        "vocabulary": vocabulary(results),
    }


def fill(page: str, contents: dict[str, str]) -> str:
    """The page with each block `<!-- NAME -->` … `<!-- end -->` replaced; raises KeyError for a NAME nobody makes."""
    pattern = re.compile(r"<!-- (\w+) -->\n.*?<!-- end -->", re.DOTALL)
    return pattern.sub(lambda match: f"<!-- {match[1]} -->\n{contents[match[1]]}\n<!-- end -->", page)
