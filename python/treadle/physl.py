"""Programs in PhySL, the language of execution trees."""

from __future__ import annotations

import os
from typing import Any

from . import _native, mpi, session
from .config import Config
from .errors import Error
from .observed import observe
from .text_files import read_text


def prints(text: str) -> bool:
    return "cout" in text or "debug" in text or "__print" in text


class Program:
    """A compiled PhySL program that can be run many times."""

    def __init__(self, text: str, name: str = "<physl>", source_text: str = "") -> None:
        try:
            text.encode()
        except UnicodeEncodeError:  # how Python shows bytes that are no UTF-8
            raise Error(f"{name}: not a text in UTF-8") from None
        self.native = _native.Program(text, name, source_text)
        self.name, self._prints = name, prints(text)

    def __call__(self, *arguments: Any, config: Config | None = None) -> Any:
        """The value of the last expression; if that is a function, it is called with the arguments. What uses
        localities runs in all ranks of the program (td.mpi): `name{L#1}(...)` is computed by rank 1, and the primitives
        that end in _d, but those that only make a tile, are collective."""
        if self.spans_ranks():
            mpi.rank()  # now all ranks are there
        with observe(self.native, [(self.name, 0)]) as timeline:
            return session.run(self.native, arguments, [], session.settings(config, timeline), self._prints)

    def spans_ranks(self) -> bool:
        """Whether it does something with other ranks of the program, which this process is one of."""
        return self.native.uses_localities() and mpi.started_as_several()

    def text(self) -> str:
        return self.native.text()

    def dot(self) -> str:
        return self.native.dot()

    def newick(self) -> str:
        return self.native.newick()

    def counters_csv(self) -> str:
        return self.native.counters_csv()


def load(text_or_path: str | os.PathLike[str]) -> Program:
    """Compile PhySL: the contents of a file, given as a Path or a name that ends in .physl, or the text itself."""
    if isinstance(text_or_path, os.PathLike) or (
        text_or_path.endswith(".physl") and "\n" not in text_or_path
    ):
        path = os.fspath(text_or_path)
        return Program(read_text(path), path)
    return Program(text_or_path)


def run(text_or_path: str | os.PathLike[str], *arguments: Any) -> Any:
    """Compile and run PhySL once.

    >>> td.physl.run("define(f, x, x * 2 + 1) f", 20)
    41
    """
    return load(text_or_path)(*arguments)


def format(text: str) -> str:
    """The same program in canonical form."""
    return _native.format(text, "<physl>")


def primitives() -> list[str]:
    """Every primitive and special form, sorted."""
    return _native.primitive_names()
