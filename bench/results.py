"""What is shown: the medians of all saved results of one machine, and how rivals are called."""

import math
from dataclasses import dataclass, field
from pathlib import Path

from machine import load
from rivals import BENCH
from series import Key

from treadle.study.median import Median

RIVALS = {  # in the order of the columns
    "treadle": "Treadle",
    "treadle_futures": "Treadle, futures",
    "treadle_async": "Treadle, one header",
    "tbb": "oneTBB",
    "omp": "GCC OpenMP",
    "omp_llvm": "LLVM OpenMP",
    "starpu": "StarPU",
    "lapack": "OpenBLAS, dpotrf",
    "dgemm": "OpenBLAS, dgemm",
    "rayon": "rayon",
    "chili": "chili",
    "gnu_parallel": "GNU parallel mode",
    "std_par": "std::execution::par",
    "vqsort": "Highway vqsort, one thread",
    "crossbeam": "crossbeam",
    "go": "Go",
    "std_async": "std::async",
    "std_future": "std::async",
    "std_thread": "std::thread",
    "treadle_openmpi": "Treadle, OpenMPI",
    "treadle_mpich": "Treadle, MPICH",
    "treadle_ocr": "Treadle, OCR",
    "openmpi": "OpenMPI",
    "mpich": "MPICH",
    "serial": "serial",
    "treadle_critical_path": "critical-path",
    "treadle_fifo": "local-priority-fifo",
    "treadle_shared": "shared-priority",
    "treadle_watched": "watched",
    "treadle_two_pools": "two pools",
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
    "auto_from_160": "auto, from 160 points",
    "default": "fixed",
    "paper_idle_rate": "paper, idle-rate",
    "paper_pending": "paper, pending accesses",
    "paper_costs": "paper, T_o + T_w",
    "paper_idle_rate_offline": "paper, idle-rate, offline",
    "paper_pending_offline": "paper, pending accesses, offline",
    "paper_costs_offline": "paper, T_o + T_w, offline",
    "treadle_frozen_exhaustive": "exhaustive, frozen",
    "treadle_frozen_pro": "PRO, frozen",
    "treadle_frozen_nelder_mead": "Nelder–Mead, frozen",
    "treadle_fixed": "middle value",
    "treadle_oracle": "oracle",
    "drawn": "all drawn anew",
    "fixed_addresses": "fixed addresses",
    "moved_stack": "fixed, stack moved",
    "large_pages": "large pages",
    "first_core": "first core",
    "last_core": "last core",
}


@dataclass
class Results:
    """Medians per operation; times of a whole run where there are no operations."""

    note: dict[str, str] = field(default_factory=dict)  # of what was measured last
    oldest: dict[str, str] = field(default_factory=dict)  # of each, what the oldest file says that has it
    cost: dict[Key, Median] = field(default_factory=dict)
    unit: dict[str, str] = field(default_factory=dict)
    operations: dict[Key, int] = field(default_factory=dict)
    rounds: dict[Key, tuple[int, int]] = field(default_factory=dict)  # that count, and that do not
    spread: dict[Key, float] = field(default_factory=dict)  # the slowest of these beside the fastest

    def workers(self) -> tuple[int, ...]:
        """One, and as many as there are cores: more are for a look at oversubscription."""
        cores = int(self.note["usable cores"])
        return tuple(sorted({w for _, _, w in self.cost if w in (1, cores)}))

    def rivals(self, workload: str, workers: int) -> dict[str, Median]:
        return {r: self.cost[workload, r, workers] for r in RIVALS if (workload, r, workers) in self.cost}


def fullest(folder: Path = BENCH / "results", study: str = "") -> Path:
    """The folder of the machine that most workloads were measured on, of several the one measured last; of those that
    have the data of that study, if one is named."""

    def rank(machine: Path) -> tuple[int, str]:
        files = list(machine.glob("*.csv"))
        return len(files), max((load(file)[0].get("date", "") for file in files), default="")

    return max((machine for machine in folder.iterdir() if (machine / study).is_dir()), key=rank)


def others(than: Path) -> list[Path]:
    """The folders of the machines beside that one which have workloads."""
    return sorted({file.parent for file in than.parent.glob("*/*.csv")} - {than})


def read(folder: Path) -> Results:
    results = Results()
    for note, series in sorted(map(load, sorted(folder.glob("*.csv"))), key=lambda loaded: loaded[0]["date"]):
        results.note = note
        results.oldest = note | results.oldest
        for key, s in series.items():
            if not (counted := s.counted()):
                continue
            results.cost[key] = Median.of(s.costs())
            results.unit[key[0]] = s.unit
            results.operations[key] = counted[-1].operations
            results.spread[key] = max(s.costs()) / min(s.costs()) if min(s.costs()) > 0 else math.inf
            results.rounds[key] = len(counted), len(s.samples) - len(counted)
    return results
