"""Programs that belong to this package."""

from __future__ import annotations

from pathlib import Path

from . import _native


def find(name: str) -> Path | None:
    """Where the program is; None when it was not built."""
    for folder in (Path(_native.__file__).parent, Path(__file__).parent):
        found = folder / "bin" / name
        if found.is_file():
            return found
    return None


def program(name: str) -> Path:
    """FileNotFoundError that says how to build it."""
    if found := find(name):
        return found
    raise FileNotFoundError(
        f"the program {name} is not part of this installation: build it with TREADLE_APPS=ON"
    )
