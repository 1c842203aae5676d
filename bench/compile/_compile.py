"""What it costs to compile a small program: the time, and the lines that the compiler sees after preprocessing.

An untimed compilation comes first, so that the system has read the compiler and the headers.
"""

import json
import os
import subprocess
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
COMPILER = ("g++", "-std=c++20", "-O2", "-Wall", f"-I{ROOT}/include")


def main(source: str) -> None:
    environment = {**os.environ, "CCACHE_DISABLE": "1"}
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder, "hello.cpp")
        program.write_text(source)
        compilation = (*COMPILER, "-c", program, "-o", f"{folder}/hello.o")
        subprocess.run(compilation, env=environment)
        start = time.perf_counter()
        done = subprocess.run(compilation, env=environment)
        seconds = time.perf_counter() - start
        text = subprocess.run(
            (*COMPILER, "-E", "-P", program), env=environment, capture_output=True, text=True
        )
    verified = done.returncode == 0 and text.returncode == 0
    lines = len(text.stdout.splitlines())
    print(json.dumps({"workload": "compile", "value": seconds, "unit": "s", "verified": verified}))
    print(json.dumps({"workload": "compile_lines", "value": lines, "unit": "lines", "verified": verified}))
