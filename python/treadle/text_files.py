"""Files that users name: what goes wrong with one is an error that begins with its name."""

from __future__ import annotations

import os
from pathlib import Path

from .errors import Error


def read_text(path: str | os.PathLike[str]) -> str:
    """UTF-8, also with a byte order mark."""
    try:
        return Path(path).read_text(encoding="utf-8-sig")
    except OSError as error:
        raise Error(f"{path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise Error(f"{path}: not a text in UTF-8") from None


def write_text(path: str | os.PathLike[str], text: str) -> None:
    try:
        Path(path).write_text(text, encoding="utf-8")
    except OSError as error:
        raise Error(f"{path}: {error.strerror}") from None
