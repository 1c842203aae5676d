"""What a result was measured on, and the raw results with this note."""

import csv
import datetime
import importlib.metadata
import os
import platform
import re
import subprocess
import tomllib
from collections.abc import Mapping
from pathlib import Path

from host import Round
from rivals import BENCH, ROOT
from series import Key, Sample, Series, judge_all

COLUMNS = ["workload", "rival", "workers", "round", "value", "unit", "operations", "verified"]
# Empty where they are not known; older files lack them.
COLUMNS += ["faults", "stolen", "slowdown", "switches", "alone"]
VECTORS = ("avx512f", "avx2", "asimd")  # hosts that call their processors alike may differ in this
CRATES = ("rayon", "chili", "crossbeam-channel")


def said_by(*command: str) -> str:
    """The first line that a command prints; 'absent' where there is no such command or it fails."""
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    except OSError:
        return "absent"
    return done.stdout.split("\n")[0].strip() if done.returncode == 0 else "absent"


def crate_versions() -> str:
    try:
        lock = tomllib.loads((BENCH / "rust" / "Cargo.lock").read_text())
    except OSError:
        return "absent"
    return ", ".join(f"{p['name']} {p['version']}" for p in lock["package"] if p["name"] in CRATES)


def changes() -> str:
    """What keeps the commit from naming what is measured; '' where nothing does."""
    command = ["git", "status", "--porcelain", "--untracked-files=no", "--", ":!bench/results"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    return done.stderr.strip() or ", ".join(line[3:] for line in done.stdout.splitlines())


def machine() -> dict[str, str]:
    text = Path("/proc/cpuinfo").read_text()
    cpu = re.search(r"model name\s*:\s*(.+)", text)
    return {
        "cpu": cpu.group(1) if cpu else platform.machine(),
        "vectors": next((name for name in VECTORS if name in text.split()), "others"),
        "usable cores": str(len(os.sched_getaffinity(0))),
        "kernel": platform.release(),
        "compiler": said_by("g++", "--version"),
        "clang": said_by("clang++-19", "--version"),
        "rustc": said_by("rustc", "--version"),
        "go": said_by("go", "version"),
        "oneTBB": said_by("pkg-config", "--modversion", "tbb"),
        "libomp": said_by("dpkg-query", "-W", "-f=${Version}", "libomp5-19"),
        "crates": crate_versions(),
        "numpy": importlib.metadata.version("numpy"),
        "commit": said_by("git", "rev-parse", "--short", "HEAD"),
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
    }


def folder_of(note: Mapping[str, str]) -> Path:
    """Of the results of such a machine."""
    label = re.sub(r"[^a-z0-9]+", "-", note["cpu"].lower()).strip("-")
    return BENCH / "results" / f"{label}-{note['usable cores']}-cores"


def save(name: str, series: Mapping[Key, Series], seed: int) -> Path:
    """All rounds, with what tells which of them count; `seed` gave the order of the rivals."""
    note = machine() | {"seed": str(seed)}
    folder = folder_of(note)
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / f"{name}.csv").open("w", newline="") as file:
        file.writelines(f"# {key}: {text}\n" for key, text in note.items())
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        for (workload, rival, workers), s in sorted(series.items()):
            for sample in s.samples:
                at = sample.round
                writer.writerow([
                    workload, rival, workers, at.number, sample.value, s.unit, sample.operations, s.verified,
                    sample.faults, at.stolen, at.slowdown, sample.switches, at.alone,
                ])  # fmt: skip
    return folder / f"{name}.csv"


def load(file: Path) -> tuple[dict[str, str], dict[Key, Series]]:
    """The note and the measurements that save() wrote."""
    lines = file.read_text().splitlines()
    note = dict(line[2:].split(": ", 1) for line in lines if line.startswith("# "))
    series: dict[Key, Series] = {}
    for row in csv.DictReader(line for line in lines if not line.startswith("# ")):
        known = {name: text for name, text in row.items() if text}
        s = series.setdefault((row["workload"], row["rival"], int(row["workers"])), Series(row["unit"]))
        stolen, slowdown, alone = (
            float(known[name]) if name in known else None for name in ("stolen", "slowdown", "alone")
        )
        faults, switches = (int(known[name]) if name in known else None for name in ("faults", "switches"))
        at = Round(int(row["round"]), stolen, slowdown, alone)
        sample = Sample(float(row["value"]), int(row["operations"]), faults, at, switches)
        s.samples.append(sample)
        s.verified &= row["verified"] == "True"
    judge_all(series)
    return note, series
