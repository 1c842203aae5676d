"""`import treadle` loads what decorators need; the rest is loaded when it is used."""

import subprocess
import sys

import pytest

import treadle as td

LATER = {
    "argparse", "asyncio", "concurrent.futures", "csv", "difflib", "hashlib", "html", "json", "logging", "multiprocessing",
    "pathlib", "rich", "scipy", "sqlite3", "subprocess", "tempfile", "treadle.cli", "treadle.counters", "treadle.demo",
    "treadle.explain", "treadle.future", "treadle.info", "treadle.physl", "treadle.profile", "treadle.report",
    "treadle.study", "treadle.task_profile", "treadle.trace", "treadle.transducer", "treadle.tune", "urllib",
}  # fmt: skip


def fresh(program: str) -> str:
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stderr
    return run.stdout


def test_what_an_import_loads():
    loaded = fresh(
        "import sys, numpy\nbefore = set(sys.modules)\nimport treadle as td\n"
        "@td.jit\ndef f(x):\n    return x\n"
        "print(*sorted(set(sys.modules) - before))"
    )
    assert not LATER & set(loaded.split())


def test_decorating_needs_no_numpy():
    assert fresh("import sys, treadle\nprint('numpy' in sys.modules)") == "False\n"


def test_names_mean_the_same_whatever_was_loaded_before():
    show = f"import treadle as td\nprint(*(type(getattr(td, n)).__name__ for n in {td.__all__!r}))"
    modules = sorted(m for m in LATER if m.startswith("treadle."))
    before = fresh(show).split()
    assert before == fresh(f"import {', '.join(modules)}\n{show}").split()
    assert [n for n, kind in zip(td.__all__, before, strict=True) if kind == "module"] == [
        "mpi",
        "physl",
        "tune",
    ]
    assert set(td.__all__) <= set(dir(td))


def test_other_names_are_missing():
    with pytest.raises(AttributeError, match="has no attribute 'profil'"):
        _ = td.profil
