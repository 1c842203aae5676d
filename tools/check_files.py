"""No file outgrows one concept, has comments that are too wide, names a place on somebody's machine, or leaves a note
for later."""

import re
import subprocess
import sys
from pathlib import Path

SOURCES = {".hpp", ".cpp", ".py", ".pyi", ".cmake", ".js", ".css", ".physl"}
LIMIT, TEST_LIMIT = 600, 800
# Formatters see to the width of comments in C++ and Python. In other sources, by suffix, this begins a comment:
WIDTH = 120
SLASHES = {".c", ".css", ".go", ".h", ".inc", ".js", ".physl", ".rs"}
HASHES = {"", ".apt", ".cmake", ".in", ".sh", ".toml", ".txt"}
COMMENT = {
    **dict.fromkeys(SLASHES, re.compile(r"(?:^|\s)(?://[/!]?|/\*+)(?:\s|$)|^\s*\*\s")),
    **dict.fromkeys(HASHES, re.compile(r"(?:^|\s)#\s")),
}
MACHINE_PATH = re.compile(r"(?<![\w./*<>:-])/(?:home|root|work|Users|mnt|media)/\w")
LATER = re.compile(r"\b(?:TO" r"DO|FIX" r"ME|XX" r"X)\b")


def is_test(path: str) -> bool:
    return path.startswith("tests/") or Path(path).stem.endswith("_test")


def check_file(path: str, text: str) -> list[str]:
    found = []
    lines = text.splitlines()
    limit = TEST_LIMIT if is_test(path) else LIMIT
    if Path(path).suffix in SOURCES and len(lines) > limit:
        found.append(f"{path}:{limit}: {len(lines)} lines, the limit is {limit}: split it by concept")
    comment = COMMENT.get(Path(path).suffix)
    for number, line in enumerate(lines, 1):
        if comment and len(line) > WIDTH and comment.search(line):
            found.append(f"{path}:{number}: comment of {len(line)} columns, the limit is {WIDTH}")
        if MACHINE_PATH.search(line):
            found.append(f"{path}:{number}: path of one machine")
        if LATER.search(line):
            found.append(f"{path}:{number}: note for later; do it now or drop it")
    return found


def check(root: Path) -> list[str]:
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=root, capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    found = []
    for path in sorted(filter(None, listed.split("\0"))):
        file = root / path
        if not file.is_file() or path.startswith("bench/results/"):
            continue
        try:
            found += check_file(path, file.read_text(encoding="utf-8"))
        except UnicodeDecodeError:
            continue  # a binary file: test data, an image
    return found


if __name__ == "__main__":
    found = check(Path(__file__).resolve().parent.parent)
    print("\n".join(found))
    sys.exit(bool(found))
