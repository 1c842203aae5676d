"""Shared by the Python tests: the checkers under tools/ are importable, and an interrupt is one."""

import os
import signal
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
for folder in ("tools", "bench"):
    sys.path.insert(0, str(ROOT / folder))

os.environ.setdefault("TREADLE_PUBLISH", "0")  # nobody looks at tests, but those of programs themselves

# Shells start what runs in their background with interrupts ignored, and children inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)


def grain_study(folder, *more):
    """The command on a ring that takes a moment."""
    treadle = Path(sys.executable).with_name("treadle")
    return subprocess.run(
        [treadle, "study", "grain", "--points", "20000", "--steps", "3", "--repeats", "1", "--per-decade", "1",
         "--workers", "1", "--workers", "2", "--out", folder, *more],
        capture_output=True, text=True,
    )  # fmt: skip
