"""What is compiled together: names of functions and of captured values, source files, and what is left to compile."""

from __future__ import annotations

import ast
import copy
import linecache
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from types import FunctionType
from typing import Any

from .nodes import Place
from .scope import Names

# Constants of PhySL, which no variable may be called; special forms and primitives are known by the native module.
CONSTANTS = (
    "nil true false inf ninf nan NZERO PZERO euler euler_gamma pi int float bool newaxis sys_argv".split()
)


@lru_cache(maxsize=1)
def primitives() -> frozenset[str]:
    from .. import _native

    return frozenset(_native.primitive_names())


@dataclass
class Unit:
    held: Callable[[Any, ast.Call], list[ast.expr]]  # the arguments that the result of a call may hold
    names: Names = field(default_factory=lambda: Names(frozenset(CONSTANTS) | primitives()))
    captured: dict[str, Any] = field(default_factory=dict)  # values passed to each run behind the arguments
    functions: dict[FunctionType, str] = field(default_factory=dict)
    pending: deque[FunctionType] = field(default_factory=deque)  # have a name, and are not compiled yet
    mentions: dict[FunctionType, dict[FunctionType, None]] = field(default_factory=dict)  # in order of use
    # (file, lines before it in the joint source text)
    files: list[tuple[str, int]] = field(default_factory=list)
    _capture_names: dict[int, tuple[str, Any]] = field(
        default_factory=dict
    )  # by identity, which the value keeps

    # --- functions ----------------------------------------------------------------------------------------------
    def function(self, function: FunctionType, user: FunctionType | None = None) -> str:
        """The PhySL name of a function that `user` mentions; it is noted for compilation when first asked for."""
        if user is not None:
            self.mentions.setdefault(user, {})[function] = None
        name = self.functions.get(function)
        if name is None:
            name = self.functions[function] = self.names.outer(function.__name__)
            self.pending.append(function)
        return name

    def in_order(self, entry: FunctionType) -> tuple[list[FunctionType], list[FunctionType]]:
        """All functions, each behind those that it mentions, and those for which that cannot be: calls in a circle."""
        done: dict[FunctionType, None] = {}
        circular: dict[FunctionType, None] = {}
        active = {entry: iter(self.mentions.get(entry, ()))}
        while active:
            user, rest = next(reversed(active.items()))
            for function in rest:
                if function in active:
                    if function is not user:
                        circular[function] = None
                elif function not in done:
                    active[function] = iter(self.mentions.get(function, ()))
                    break
            else:
                del active[user]
                done[user] = None
        return list(done), list(circular)

    # --- values -------------------------------------------------------------------------------------------------
    def capture(self, wanted: str, value: Any) -> str:
        known = self._capture_names.get(id(value))
        if known is None:
            known = self._capture_names[id(value)] = self.names.outer(wanted), value
            self.captured[known[0]] = copy.deepcopy(value)
        return known[0]

    # --- places -------------------------------------------------------------------------------------------------
    def shifted(self, place: Place, file: str) -> Place:
        """A place in the joint text of all source files, which tells the files apart by line."""
        for known, before in self.files:
            if known == file:
                return Place(place.line + before, place.column)
        before = sum(len(linecache.getlines(f)) for f, _ in self.files)
        self.files.append((file, before))
        return Place(place.line + before, place.column)

    def source_text(self) -> str:
        return "".join(
            line if line.endswith("\n") else line + "\n"
            for f, _ in self.files
            for line in linecache.getlines(f)
        )
