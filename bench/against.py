"""Two builds of Treadle beside each other: the working tree and a commit, in turn, with the interval of their ratio."""

import statistics
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rivals import ROOT, Rival, console, rivals_of
from series import Key, Series, text_of

from treadle.study.median import Median

LOSS = 0.02  # a loss counts where the whole interval lies beyond


class CannotBuildError(Exception):
    pass


def run(*command: str | Path, what: str, **options) -> str:
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, **options)
    if done.returncode != 0:
        raise CannotBuildError(f"{what}: {(done.stderr or done.stdout).strip()[-500:]}")
    return done.stdout


class Before:
    """A commit, built below build/against; what is built stays there for the next time."""

    def __init__(self, commit: str) -> None:
        name = f"{commit}^{{commit}}"
        self.commit = run(
            "git", "-C", ROOT, "rev-parse", "--verify", name, what=f"no commit '{commit}'"
        ).strip()
        self.folder = ROOT / "build" / "against" / self.commit[:12]
        self.source = self.folder / "source"
        if not (self.source / "CMakeLists.txt").is_file():
            self.source.mkdir(parents=True, exist_ok=True)
            archive = subprocess.run(
                ["git", "-C", ROOT, "archive", self.commit], capture_output=True, check=True
            )
            subprocess.run(["tar", "-x", "-C", self.source], input=archive.stdout, check=True)

    def rival(self, workload: str, now: Rival) -> Rival | None:
        """The same program of the commit; None where it did not have one."""
        if not any((self.source / "bench" / workload).glob(f"{now.name}.*")):
            return None
        name = f"{now.name} before"
        if now.command[0] == sys.executable:
            program = self.source / Path(now.command[1]).relative_to(ROOT)
            return Rival(name, (str(self.python()), str(program)), now.workers_min)
        return Rival(name, (str(self.program(Path(now.command[0]).name)),), now.workers_min)

    def program(self, target: str) -> Path:
        build = self.folder / "build"
        if not (build / "build.ninja").is_file():
            settings = [
                "-DCMAKE_BUILD_TYPE=Release",
                "-DTREADLE_BENCH=ON",
                "-DCMAKE_CXX_COMPILER=g++",
                "-DCMAKE_C_COMPILER=gcc",
            ]
            run(
                "cmake",
                "-S",
                self.source,
                "-B",
                build,
                "-G",
                "Ninja",
                *settings,
                what="configuring the commit",
            )
        run("cmake", "--build", build, "--target", target, what=f"building {target} of the commit")
        return build / "bench" / target

    def python(self) -> Path:
        """An interpreter that imports the commit's package, and everything else from where this one does."""
        home = self.folder / "python"
        python = home / "bin" / "python"
        if (home / ".ready").exists():
            return python
        venv.create(home, with_pip=False, clear=True)
        site = next((home / "lib").glob("python*/site-packages"))
        options = ["--no-build-isolation", "--no-deps", "--disable-pip-version-check", "--target", site]
        run(
            sys.executable,
            "-m",
            "pip",
            "install",
            *options,
            self.source,
            what="building the commit's package",
        )
        for other in Path(sysconfig.get_path("purelib")).iterdir():
            if "treadle" not in other.name:  # beside it, for libraries that it loads from there, too
                (site / other.name).symlink_to(other)
        (home / ".ready").touch()
        return python


@cache
def before(commit: str) -> Before:
    return Before(commit)


def pairs_of(workload: str, commit: Before, only: list[str] | None) -> list[Rival]:
    """Ours and the commit's of each program that is Treadle's."""
    found: list[Rival] = []
    for now in rivals_of(workload):
        if not now.is_ours or (only and now.name not in only):
            continue
        console.print(f"building {workload}: {now.name} of {commit.commit[:12]}", highlight=False)
        if before := commit.rival(workload, now):
            found += [now, before]
    return found


@dataclass
class Ratio:
    """Of what an operation costs now to what it cost before, in the same rounds."""

    key: Key
    before: float
    now: float
    unit: str
    ratio: Median

    def record(self) -> dict:
        workload, rival, workers = self.key
        low, high = (self.ratio.low, self.ratio.high) if self.ratio.has_interval else (None, None)
        return {
            "workload": workload, "rival": rival, "workers": workers, "unit": self.unit, "before": self.before,
            "now": self.now, "ratio": self.ratio.value, "low": low, "high": high, "verdict": self.verdict,
        }  # fmt: skip

    @property
    def verdict(self) -> str:
        return "slower" if self.ratio.low > 1 + LOSS else "faster" if self.ratio.high < 1 - LOSS else ""


def ratios(series: dict[Key, Series]) -> Iterator[Ratio]:
    for (workload, rival, workers), now in series.items():
        before = series.get((workload, f"{rival} before", workers))
        if not before or not (old := before.costs()) or len(old) != len(new := now.costs()):
            continue
        quotients = Median.of(n / b for n, b in zip(new, old, strict=True))
        yield Ratio(
            (workload, rival, workers), statistics.median(old), statistics.median(new), now.unit, quotients
        )


def show(found: list[Ratio], commit: str) -> None:
    table = Table(title=f"now against {commit[:12]}: ratio of times in the same round, with 95 %")
    for column in ("workload", "program", "workers", "before", "now", "ratio", "95 %", ""):
        table.add_column(column, justify="left" if column in ("workload", "program", "") else "right")
    for r in found:
        workload, rival, workers = r.key
        interval = f"{r.ratio.low:.3f} .. {r.ratio.high:.3f}" if r.ratio.has_interval else "too few rounds"
        table.add_row(
            workload, rival, str(workers), text_of(r.before, r.unit), text_of(r.now, r.unit),
            f"{r.ratio.value:.3f}", interval, r.verdict,
        )  # fmt: skip
    Console(width=None if sys.stdout.isatty() else 150).print(table)
