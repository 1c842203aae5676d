"""Which workloads there are, and what runs their rivals.

A rival of a workload is one file bench/<workload>/<rival>.cpp, .py or .go; those in Rust are one crate, bench/rust,
that lists them itself. `omp` runs a second time as `omp_llvm`: the same source with LLVM's compiler and runtime.
`treadle_apart` is no rival but a yardstick: as many programs with one worker as there are workers.
"""

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from rich.console import Console

BENCH = Path(__file__).resolve().parent
ROOT = BENCH.parent
BUILD = Path(os.environ.get("TREADLE_BENCH_BUILD", ROOT / "build" / "release" / "bench"))
WITHOUT_WORKERS = {"agent", "compile", "tuning"}  # where a number of workers means nothing
SCALING = {"fib", "integrate", "nqueens", "skynet", "uts", "matmul", "sort"}  # where `treadle_apart` runs

console = Console(stderr=True)  # progress and complaints; tables go to stdout


@dataclass(frozen=True)
class Rival:
    name: str
    command: tuple[str, ...]
    workers_min: int = 1

    @property
    def is_ours(self) -> bool:
        """Whether it may run on Treadle: all programs in Python are measured in its virtual environment."""
        is_python = self.command[0] == sys.executable
        return self.name != "treadle_apart" and (self.name.startswith("treadle") or is_python)


def sources(folder: Path) -> list[Path]:
    found = (f for f in folder.iterdir() if f.suffix in {".cpp", ".py", ".go"})
    return sorted(f for f in found if f.stem != "kernel" and not f.name.startswith("_"))


def workloads() -> list[str]:
    return sorted(d.name for d in BENCH.iterdir() if d.is_dir() and sources(d))


def built(what: str, command: list[str | Path]) -> bool:
    """Builds something that is not part of the CMake project; says so where that is not possible."""
    if shutil.which(str(command[0])) is None:
        console.print(f"[yellow]skipping {what}: {command[0]} is not installed")
        return False
    environment = {**os.environ, "TREADLE_BENCH_BUILD": str(BUILD)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    if done.returncode != 0:
        console.print(f"[yellow]skipping {what}: {command[0]} failed:", done.stderr.strip()[-300:])
    return done.returncode == 0


@cache
def rust_rivals() -> tuple[tuple[str, Rival], ...]:
    """Pairs of workload and rival."""
    target = ROOT / "build" / "rust"
    program = str(target / "release" / "treadle-rivals")
    manifest = BENCH / "rust" / "Cargo.toml"
    command = ["cargo", "build", "--release", "--manifest-path", manifest, "--target-dir", target]
    if not built("the rivals in Rust", command):
        return ()
    listed = subprocess.run([program, "--list"], capture_output=True, text=True, check=True).stdout
    pairs = (line.split() for line in listed.splitlines())
    return tuple((workload, Rival(name, (program, workload, name))) for workload, name in pairs)


def compiled(workload: str, rival: str) -> list[Rival]:
    program = BUILD / f"bench_{workload}_{rival}"
    if program.is_file():
        return [Rival(rival, (str(program),))]
    console.print(
        f"[yellow]skipping {rival}: {program.name} is not built (its library or compiler is missing)"
    )
    return []


def rivals_of(workload: str) -> list[Rival]:
    found: list[Rival] = []
    for source in sources(BENCH / workload):
        rival = source.stem
        if source.suffix == ".py":
            found.append(Rival(rival, (sys.executable, str(source))))
        elif source.suffix == ".go":
            program = ROOT / "build" / "go" / f"bench_{workload}_{rival}"
            if built(f"{rival} of {workload}", ["go", "build", "-o", program, source]):
                found.append(Rival(rival, (str(program),)))
        else:
            found += compiled(workload, rival)
            if rival == "omp":
                found += compiled(workload, "omp_llvm")
    if workload in SCALING:
        apart = (sys.executable, str(BENCH / "apart.py"))
        found += [
            Rival("treadle_apart", apart + r.command, workers_min=2) for r in found if r.name == "treadle"
        ]
    found += [rival for of, rival in rust_rivals() if of == workload]
    return sorted(found, key=lambda rival: rival.name)
