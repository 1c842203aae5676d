"""Install what pyproject.toml lists (its dependencies and the named extras) without building the package itself."""

import subprocess
import sys
import tomllib
from pathlib import Path


def requirements(pyproject: dict, extras: list[str]) -> list[str]:
    wanted = list(pyproject["project"]["dependencies"])
    for extra in extras:
        wanted += (
            pyproject["build-system"]["requires"]
            if extra == "build"
            else pyproject["project"]["optional-dependencies"][extra]
        )
    return list(dict.fromkeys(wanted))


if __name__ == "__main__":
    root = Path(__file__).resolve().parent.parent
    wanted = requirements(tomllib.loads((root / "pyproject.toml").read_text()), sys.argv[1:])
    command = [sys.executable, "-m", "pip", "install", "--disable-pip-version-check", *wanted]
    sys.exit(subprocess.run(command).returncode)
