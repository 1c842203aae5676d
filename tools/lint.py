"""All checks behind `./dev lint`, each under its name; run with the interpreter of .venv."""

import argparse
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import check_files
import check_headers
import check_imports
import check_layers

ROOT = Path(__file__).resolve().parent.parent
TOOLS = Path(sys.executable).parent
PYTHON = ["python", "tools", "tests", "bench", "apps"]


def tool(*command: str | Path) -> list[str]:
    """Run a formatter or type checker of the venv; its output is the finding."""
    name, *rest = command
    run = subprocess.run([TOOLS / name, *rest], cwd=ROOT, capture_output=True, text=True)
    return [run.stdout + run.stderr] if run.returncode else []


def sources() -> list[str]:
    folders = ("src", "include", "python/src", "apps", "bench", "tests")
    found = (f for folder in folders for f in (ROOT / folder).rglob("*") if f.suffix in {".cpp", ".hpp"})
    return sorted(str(f.relative_to(ROOT)) for f in found)


def python_folders() -> list[str]:
    return [folder for folder in PYTHON if (ROOT / folder).is_dir()]


def clang_format(fix: bool) -> list[str]:
    mode = ["-i"] if fix else ["--dry-run", "-Werror"]
    found = tool("clang-format", *mode, *files) if (files := sources()) else []
    wrong = re.findall(r"^([^:\s]+):(\d+):\d+: error", "".join(found), re.MULTILINE)
    lines: dict[str, list[str]] = {}
    for file, line in wrong:
        lines.setdefault(file, []).append(line)
    unformatted = [
        f"{file}: not formatted, lines {', '.join(dict.fromkeys(at))}" for file, at in lines.items()
    ]
    return unformatted or found


def ruff_format(fix: bool) -> list[str]:
    return tool("ruff", "format", "--quiet", *([] if fix else ["--diff"]), *python_folders())


def ruff(fix: bool) -> list[str]:
    return tool("ruff", "check", "--quiet", *(["--fix"] if fix else []), *python_folders())


CHECKS: dict[str, Callable[[bool], list[str]]] = {
    "layers": lambda fix: check_layers.check(ROOT),
    "imports": lambda fix: check_imports.check(ROOT),
    "files": lambda fix: check_files.check(ROOT),
    "clang-format": clang_format,
    "ruff-format": ruff_format,
    "ruff": ruff,
    "mypy": lambda fix: tool("mypy", "--no-error-summary"),
    "headers": lambda fix: check_headers.check(ROOT, ROOT / "build/lint/headers.json"),
}


def main() -> int:
    parser = argparse.ArgumentParser(prog="./dev lint", description=__doc__)
    parser.add_argument(
        "checks", nargs="*", metavar="CHECK", help=f"one of {', '.join(CHECKS)} (default: all)"
    )
    parser.add_argument("--fix", action="store_true", help="rewrite what a formatter can rewrite")
    options = parser.parse_args()
    if unknown := set(options.checks) - set(CHECKS):
        parser.error(f"no such check: {', '.join(sorted(unknown))}; there are {', '.join(CHECKS)}")
    failed = []
    for name in options.checks or CHECKS:
        start = time.monotonic()
        found = CHECKS[name](options.fix)
        print(
            f"{name:13} {f'{len(found)} found' if found else 'ok':10} {time.monotonic() - start:6.1f} s",
            flush=True,
        )
        if found:
            failed.append(name)
            print("\n".join(found))
    print(f"lint: {'failed: ' + ', '.join(failed) if failed else 'all checks passed'}")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
