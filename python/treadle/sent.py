"""Compiled functions that go to other processes: what pickle writes of them, and what it makes of that.

A function of an importable module goes by its name, as Python's own functions do: the other process has the module. Any
other one, of a script, a notebook or another function, goes by value: its program, as it was compiled here, with the
values that it took from its surroundings. What the other process gets runs as the one here; the Python function itself
does not go along.
"""

from __future__ import annotations

import inspect
import sys
from types import FunctionType
from typing import Any, NoReturn, cast

from . import _native
from .errors import Error

VERSION = 1


def contents(function: Any) -> tuple[Any, ...] | None:
    """What goes by value of a JitFunction; None: the name does."""
    if _is_importable(function):
        return None
    about = {
        "name": function.__name__, "qualname": qualified(function), "module": function.__module__,
        "doc": function.__doc__,
    }  # fmt: skip
    program = function.transduced
    return (
        VERSION, _library(), about, _without_annotations(function.signature), function.policy,
        (program.text, program.source_text, program.files, program.captured), function.instance(),
    )  # fmt: skip


def stub(version: int, library: str, about: dict[str, Any]) -> FunctionType:
    """The Python function of what has come. Raises Error where the versions of both processes differ."""
    if (version, library) != (VERSION, _library()):
        raise Error(
            f"{about['name']} was compiled by treadle {library} in another process, and this is {_library()}"
        )

    def function(*args: Any, **kwargs: Any) -> NoReturn:
        raise Error(
            f"{about['name']} came from another process as a compiled function: its Python code is not here"
        )

    function.__name__, function.__qualname__ = about["name"], about["qualname"]
    function.__module__, function.__doc__ = about["module"], about["doc"]
    function.__treadle_received__ = True  # type: ignore[attr-defined]
    return cast(FunctionType, function)


def qualified(function: Any) -> str:
    return str(vars(function)["__qualname__"])


def _library() -> str:
    return _native.build_info()["version"]


def _is_importable(function: Any) -> bool:
    """In any process that has the same modules: `__main__` is another one there."""
    if function.__module__ == "__main__":
        return False
    found: Any = sys.modules.get(function.__module__)
    for part in qualified(function).split("."):
        found = getattr(found, part, None)
    return found is function


def _without_annotations(signature: inspect.Signature) -> inspect.Signature:
    """They may be anything, and are not needed."""
    parameters = [p.replace(annotation=inspect.Parameter.empty) for p in signature.parameters.values()]
    return inspect.Signature(parameters)
