"""Every public header compiles alone.

What compiled before is not compiled again: the cache keeps, per compiler and header, the digest of all files the
compiler read from include/.
"""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

COMPILERS = ("clang++-19", "g++")  # the first there is: tests and programs have all headers with the others
FLAGS = ("-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-x", "c++")


def digest(files: list[str]) -> str | None:
    try:
        return hashlib.sha256(b"\0".join(Path(f).read_bytes() for f in files)).hexdigest()
    except OSError:
        return None


def compile_alone(compiler: str, include: Path, header: str) -> tuple[str, list[str]]:
    """The compiler's complaint ('' when it compiles) and the files below include/ that it read."""
    with tempfile.NamedTemporaryFile(suffix=".d") as depfile:
        run = subprocess.run(
            [compiler, *FLAGS, "-I", str(include), "-MMD", "-MF", depfile.name, "-MT", "x", "-"],
            input=f'#include "{header}"\n', capture_output=True, text=True,
        )  # fmt: skip
        rule = Path(depfile.name).read_text().replace("\\\n", " ").partition(":")[2]
        read = [part.replace("\\ ", " ") for part in re.split(r"(?<!\\)\s+", rule.strip())]
    inside = sorted(f for f in read if f.startswith(str(include)))
    return run.stderr.strip() if run.returncode else "", inside


def check(root: Path, cache_file: Path | None = None) -> list[str]:
    include = root / "include"
    headers = [h.relative_to(include).as_posix() for h in sorted(include.rglob("*.hpp"))]
    cache = {}
    if cache_file and cache_file.is_file():
        cache = json.loads(cache_file.read_text())

    def one(job: tuple[str, str]) -> str:
        compiler, header = job
        key = f"{compiler} {header}"
        known = cache.get(key)
        if known and known["digest"] == digest(known["files"]):
            return ""
        complaint, files = compile_alone(compiler, include, header)
        if complaint:
            cache.pop(key, None)
            return f"include/{header}: does not compile alone with {compiler}\n{complaint}"
        cache[key] = {"files": files, "digest": digest(files)}
        return ""

    compiler = next((c for c in COMPILERS if shutil.which(c)), COMPILERS[-1])
    jobs = [(compiler, h) for h in headers]
    with ThreadPoolExecutor(min(os.cpu_count() or 1, 8)) as pool:
        found = [complaint for complaint in pool.map(one, jobs) if complaint]
    if cache_file:
        cache_file.parent.mkdir(parents=True, exist_ok=True)
        cache_file.write_text(json.dumps(cache))
    return found


if __name__ == "__main__":
    here = Path(__file__).resolve().parent.parent
    found = check(here, here / "build/lint/headers.json")
    print("\n".join(found))
    sys.exit(bool(found))
