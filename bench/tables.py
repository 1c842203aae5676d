"""The tables of README.md and docs/performance.md, of the raw results that `./dev bench all --save` leaves."""

import re
from collections.abc import Callable, Iterable

from results import RIVALS, Results
from rivals import ROOT
from series import Key, rounds_text, text_of_median

from treadle.study.median import Median, leader

YARDSTICKS = ("serial", "dgemm")
PAGES = (ROOT / "README.md", ROOT / "docs" / "performance.md")
TASKS = ("fib", "integrate", "nqueens", "skynet", "uts_t1", "uts_t3", "spawn_flat", "wait_all")
TASKS += ("futures/async_get", "futures/fib", "futures/dataflow_ready")
LATENCIES = ("futures/block_resume", "futures/steal", "channel", "start_stop", "stop")
GRAPHS = ("dataflow/ready3", "dataflow/metg_ring", "dataflow/metg_ring_vector")
GRAPHS += ("cholesky_512", "cholesky_2048", "cholesky_4096", "merge_sort")
POOLS = ("pools/ring", "pools/spawn")
TIMES = ("matmul_1024", "matmul_2048")
TIMES += tuple(f"sort_{keys}" for keys in ("ints", "doubles", "sorted", "reverse", "few"))
BODIES = ("empty", "saxpy", "heavy")
OBSERVATION = ("counters_tasks_1us", "counters_forks", "counters_futures")
GRAIN = ("grain_1e6", "grain_1e7", "grain_1e8")
TUNING = ("tuning_grain", "tuning_blocks", "tuning_next_report")
INLINING = ("inlining_10x5", "inlining_64x64", "inlining_100x100", "inlining_40x400", "inlining_400x400")
PARCELS = (
    "one_way", "batched", "ping_pong", "ping_pong_off", "ping_pong_task", "in_flight", "large", "idle_second",
    "here",
)  # fmt: skip
AGENT = ("pair_gcc", "pair_llvm", "grant", "grant_most", "agent_cpu", "top_cpu")
OCR = tuple(f"ocr/{of}" for of in ("create_run", "slot_run", "satisfy_run", "block_run", "chain"))
SPEEDS = tuple(
    f"speeds/{of}"
    for of in ("fib", "nqueens", "skynet", "futures_async_get", "futures_fib", "futures_block_resume")
)
FOOTPRINT = ("idle", "memory_fib", "memory_alive", "compile", "compile_lines")


NOTHING = "*Not measured yet.*"


def table(header: list[str], rows: list[list[str]]) -> str:
    if not rows:
        return NOTHING
    lines = [header, ["---", *["---:"] * (len(header) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def rounds_of(results: Results, keys: Iterable[Key]) -> str:
    """How many count, of how many; where rivals differ, those of the one with the fewest."""
    return rounds_text(*min(results.rounds[key] for key in keys))


def row_of(results: Results, found: dict[Key, Median], columns: Iterable[Key]) -> list[str]:
    """A cell per column; bold: a rival, not a yardstick, whose interval lies below those of all other rivals."""
    best = leader({key: median for key, median in found.items() if key[1] not in YARDSTICKS})
    cells = []
    for key in columns:
        text = text_of_median(found[key], results.unit[key[0]]).replace(" lines", "") if key in found else "–"
        cells.append(f"**{text}**" if key == best else text)
    return cells


def by_rival(results: Results, workloads: tuple[str, ...], whole_runs: bool = False) -> str:
    """A row per workload and number of workers, a column per rival."""
    groups = {(w, n): found for w in workloads for n in results.workers() if (found := results.rivals(w, n))}
    names = [r for r in RIVALS if any(r in found for found in groups.values())]
    rows = []
    for (workload, workers), medians in groups.items():
        columns = [(workload, name, workers) for name in names]
        found = {
            key: medians[key[1]].times(max(results.operations[key], 1) if whole_runs else 1)
            for key in columns
            if key[1] in medians
        }
        cells = row_of(results, found, columns)
        rows.append([workload, str(workers), rounds_of(results, found), *cells])
    return table(["workload", "workers", "rounds", *(RIVALS[name] for name in names)], rows)


def grain(results: Results) -> str:
    """By rival, and where a grain that was found is better or worse than the one that the program begins with."""
    said: dict[str, list[str]] = {"": [], "auto": [], "default": []}
    too_few = False
    for workload in GRAIN:
        for workers in results.workers():
            pair = {r: m for r, m in results.rivals(workload, workers).items() if r in ("auto", "default")}
            if len(pair) == 2:
                said[leader(pair) or ""].append(f"{workload} with {workers} worker{'s' * (workers > 1)}")
                too_few |= not all(median.has_interval for median in pair.values())
    lines = [by_rival(results, GRAIN, whole_runs=True)]
    for first, where in said.items():
        told = f"*{RIVALS[first]}* is faster" if first else "*auto* and *fixed* cannot be told apart"
        if where:
            lines.append(f"{told}: {', '.join(where)}.")
    if too_few:
        lines.append("Fewer than six rounds have no interval, and tell nothing apart.")
    return "\n\n".join(lines)


def loops(results: Results) -> str:
    """Time of one loop on all cores."""
    matches = (re.fullmatch(r"loops_(\w+)_(\d+)", workload) for workload, _, _ in results.cost)
    lengths = sorted({int(match[2]) for match in matches if match})
    if not lengths:
        return NOTHING
    workers = results.workers()[-1]
    names = [r for r in RIVALS if ("loops_saxpy_" + str(lengths[0]), r, workers) in results.cost]
    rows = []
    for body in BODIES:
        for n in lengths:
            columns = [(f"loops_{body}_{n}", name, workers) for name in names]
            found = {key: results.cost[key].times(n) for key in columns}
            cells = row_of(results, found, columns)
            rows.append([body, f"{n:,}", rounds_of(results, found), *cells])
    return table(["body", "iterations", "rounds", *(RIVALS[name] for name in names)], rows)


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
        one, together, apart = (results.cost[key].value for key in keys)
        cells = [f"{one / together:.2f}", f"{one / apart:.2f}", f"{100 * apart / together:.0f} %"]
        rows.append([workload, rounds_of(results, keys), *cells])
    return table(["workload", "rounds", f"{workers} workers", f"{workers} programs", "workers reach"], rows)


FASTER = (8, 4, 2, 1.1, 0.9)  # the least ratios of the rows


def vocabulary(results: Results) -> str:
    """The functions of NumPy, by how many times as fast as NumPy's own they are; those that are slower with the
    ratio."""
    pairs = {
        name.removeprefix("vocabulary_"): ((name, "plain_numpy", 1), (name, rival, workers))
        for name, rival, workers in results.cost
        if name.startswith("vocabulary_")
        and (rival, workers) == ("treadle", 1)
        and (name, "plain_numpy", 1) in results.cost
    }
    if not pairs:
        return table([], [])
    differ = {n: leader({key: results.cost[key] for key in pair}) is not None for n, pair in pairs.items()}
    ratios = {n: results.cost[numpy].value / results.cost[ours].value for n, (numpy, ours) in pairs.items()}
    rows, above = [], float("inf")
    for least in (*FASTER, 0):
        found = sorted(n for n, ratio in ratios.items() if differ[n] and least <= ratio < above)
        shown = (f"`{n}`" if least else f"`{n}` {ratios[n]:.2f}" for n in found)
        label = f"≥ {least}" if least else f"< {FASTER[-1]}"
        rows.append([f"{label} ({len(found)})", ", ".join(shown) or "–"])
        above = least
    alike = [n for n in sorted(pairs) if not differ[n]]
    rows.append([f"intervals overlap ({len(alike)})", ", ".join(f"`{n}`" for n in alike) or "–"])
    rounds = rounds_of(results, (key for pair in pairs.values() for key in pair))
    return f"{table(['times as fast as NumPy', 'functions'], rows)}\n\nMedians of {rounds} rounds."


def machine(results: Results) -> str:
    """Each file says what holds for it; where the first and the last one differ, both are given."""
    spans = {}
    for name, text in results.note.items():
        before = results.oldest[name]
        spans[name] = text if before == text else f"{before} to {text}"
    spans.pop("seed", None)
    return "Measured on: " + "; ".join(f"{name} {text}" for name, text in spans.items()) + "."


def headline(results: Results) -> str:
    """The table of README.md, and what it was measured on."""
    cores = results.workers()[-1]
    names = ("treadle", "chili", "rayon", "tbb", "omp", "serial")
    lines = {  # what it says: the workload, the workers, how many operations it is the time of
        "`fib(39)`, fork-join, a call, 1 worker": ("fib", 1, 1),
        f"`nqueens(14)`, fork-join, a queen, {cores} workers": ("nqueens", cores, 1),
        f"`skynet`, a million leaves, a node, {cores} workers": ("skynet", cores, 1),
        f"`fib(25)`, a future per call, {cores} workers": ("futures/fib", cores, 1),
        "`async` + `get`, one after the other": ("futures/async_get", 1, 1),
        f"a loop over 64 elements, `y[i] += a * x[i]`, {cores} workers": ("loops_saxpy_64", cores, 64),
        f"sorting 10⁷ ints, {cores} workers": ("sort_ints", cores, 10_000_000),
    }
    rows = []
    for label, (workload, workers, factor) in lines.items():
        columns = [(workload, name, workers) for name in names]
        if found := {key: results.cost[key].times(factor) for key in columns if key in results.cost}:
            rows.append([label, rounds_of(results, found), *row_of(results, found, columns)])
    shown = table(["", "rounds", *(RIVALS[name] for name in names)], rows)
    on = f"{cores} cores of {results.note['cpu']}, {results.note['compiler']}"
    return f"{shown}\n\nMedians and, from six rounds on, their 95 % intervals, on {on}."


def als(results: Results) -> str:
    """A sentence of README.md."""
    pair = [results.cost.get(("inlining_10x5", rival, 1)) for rival in ("adaptive", "plain_numpy")]
    if None in pair:
        return NOTHING
    tree, numpy = (text_of_median(median, "s") for median in pair)
    return (
        "An iteration of the ALS program of the inlining paper (10 × 5 ratings) takes"
        f" {tree} as an execution tree with one worker, and {numpy} as the same Python function in NumPy."
    )


def elsewhere(machines: Iterable[Results]) -> str:
    """What was measured on other machines, each with as many workers as it has cores and with one."""
    parts = []
    for results in machines:
        tasks = by_rival(results, TASKS + LATENCIES + GRAPHS)
        times = by_rival(results, TIMES, whole_runs=True)
        if tasks == times == NOTHING:
            continue
        parts.append(f"### {results.note['usable cores']} cores: {results.note['cpu']}")
        parts += [tasks, "Time of a whole run:", times, scaling(results), machine(results)]
    return "\n\n".join(parts) or NOTHING


def speeds(results: Results, workloads: tuple[str, ...]) -> str:
    """With one worker: the median, and the slowest process beside the fastest."""
    names = [name for name in RIVALS if any((workload, name, 1) in results.cost for workload in workloads)]
    rows = []
    for workload in workloads:
        keys = [key for name in names if (key := (workload, name, 1)) in results.cost]
        if len(keys) == len(names) > 0:
            cells = [
                f"{text_of_median(results.cost[key], results.unit[workload])}; {results.spread[key]:.2f}"
                for key in keys
            ]
            rows.append([workload.removeprefix("speeds/"), rounds_of(results, keys), *cells])
    return table(["program", "rounds", *(RIVALS[name] for name in names)], rows)


def everywhere(machines: list[Results], workloads: tuple[str, ...]) -> str:
    """Of each machine that they were measured on, the one measured last first."""
    having = [on for on in machines if any(workload in workloads for workload, *_ in on.cost)]
    having.sort(key=lambda on: on.note.get("date", ""), reverse=True)
    return "\n\n".join(f"{by_rival(on, workloads)}\n\n{machine(on)}" for on in having) or NOTHING


def where_most(
    machines: list[Results],
    workloads: tuple[str, ...],
    show: Callable[[Results, tuple[str, ...]], str] = by_rival,
) -> str:
    """Of the machine with the most rounds of them, which is named unless it is the first."""

    def rounds(on: Results) -> int:
        return max(
            (counted for (workload, *_), (counted, _) in on.rounds.items() if workload in workloads),
            default=0,
        )

    most = max(machines, key=rounds)
    shown = show(most, workloads)
    return shown if most is machines[0] else f"{shown}\n\n{machine(most)}"


def blocks(results: Results, machines: Iterable[Results] = ()) -> dict[str, str]:
    """Of one machine, and what is shown of others."""
    machines = list(machines)
    every = [results, *machines]
    return {
        "elsewhere": elsewhere(machines),
        "parcels": everywhere(every, PARCELS),
        "agent": by_rival(results, AGENT),
        "ocr": by_rival(results, OCR),
        "headline": headline(results),
        "als": als(results),
        "machine": machine(results),
        "tasks": by_rival(results, TASKS),
        "graphs": by_rival(results, GRAPHS),
        "pools": by_rival(results, POOLS),
        "latencies": by_rival(results, LATENCIES),
        "times": by_rival(results, TIMES, whole_runs=True),
        "scaling": scaling(results),
        "loops": loops(results),
        "footprint": by_rival(results, FOOTPRINT),
        "observation": where_most(every, OBSERVATION),
        "speeds": where_most(every, SPEEDS, speeds),
        "grain": grain(results),
        "tuning": by_rival(results, TUNING),
        "inlining": by_rival(results, INLINING),
        "vocabulary": vocabulary(results),
    }


def fill(page: str, contents: dict[str, str]) -> str:
    """The page with each block `<!-- NAME -->` … `<!-- end -->` replaced; raises KeyError for a NAME nobody makes."""
    pattern = re.compile(r"<!-- (\w+) -->\n.*?<!-- end -->", re.DOTALL)
    return pattern.sub(lambda match: f"<!-- {match[1]} -->\n{contents[match[1]]}\n<!-- end -->", page)
