"""Rivals written in Rust: bench/<workload>/<rival>.py calls run_rust(); the programs are one crate, bench/rust."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SKIPPED = 77  # the exit code by which a rival says that it cannot run here


def run_rust(workload: str, rival: str) -> None:
    """Builds the crate and becomes the rival; ends with SKIPPED, and the reason on stderr, when that is not possible."""
    cargo = shutil.which("cargo")
    if cargo is None:
        print("cargo is not installed", file=sys.stderr)
        sys.exit(SKIPPED)
    target = ROOT / "build" / "rust"
    build = [
        cargo,
        "build",
        "--release",
        "--manifest-path",
        ROOT / "bench/rust/Cargo.toml",
        "--target-dir",
        target,
    ]
    done = subprocess.run(build, capture_output=True, text=True)
    if done.returncode != 0:
        print(f"cargo build failed: {done.stderr[-300:]}", file=sys.stderr)
        sys.exit(SKIPPED)
    program = str(target / "release" / "treadle-rivals")
    os.execv(program, [program, workload, rival, *sys.argv[1:]])
