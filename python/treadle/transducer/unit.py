"""One PhySL program: a compiled function, all functions it calls, and the arrays it found in their modules."""

from __future__ import annotations

import ast
import linecache
import sys
from dataclasses import dataclass, field
from functools import lru_cache
from types import FunctionType
from typing import Any

from ..errors import UnsupportedError
from .nodes import NIL, Call, Literal, Name, Node, Place, call, definition, render
from .source import Source
from .statements import FunctionCompiler

# Constants of PhySL, which no variable may be called; special forms and primitives are known by the native module.
CONSTANTS = (
    "nil true false inf ninf nan NZERO PZERO euler euler_gamma pi int float bool newaxis sys_argv".split()
)


@lru_cache(maxsize=1)
def primitives() -> frozenset[str]:
    from .. import _native

    return frozenset(_native.primitive_names())


def prange(*bounds: int) -> range:
    """Like range, and promises that the iterations of the loop do not depend on each other: they run in parallel.

    A compiled loop evaluates all iterations as tasks, each with variables of its own, and then assigns the items they
    wrote, in order: the result is that of the sequential loop, always. Undecorated it simply is range.
    """
    return range(*bounds)


@dataclass
class Unit:
    """Collects definitions while functions are compiled; `text` and `captured` are the result."""

    reserved: frozenset[str] = field(default_factory=lambda: frozenset(CONSTANTS) | primitives())
    definitions: list[Node] = field(default_factory=list)
    captured: list[Any] = field(default_factory=list)  # values passed to each run behind the arguments
    capture_names: dict[int, str] = field(default_factory=dict)
    functions: dict[FunctionType, str] = field(default_factory=dict)
    returning: dict[FunctionType, bool] = field(default_factory=dict)
    active: list[FunctionType] = field(default_factory=list)
    forward: list[str] = field(default_factory=list)
    files: list[tuple[str, int]] = field(
        default_factory=list
    )  # (file, lines before it in the joint source text)
    names: set[str] = field(default_factory=set)

    prange = staticmethod(prange)

    # --- functions ----------------------------------------------------------------------------------------------
    @staticmethod
    def plain(value: Any) -> FunctionType:
        function: FunctionType = getattr(value, "__treadle_function__", value)
        return function

    def is_function(self, value: Any) -> bool:
        """A function whose source can be compiled along: of the user, not of a library."""
        function = self.plain(value)
        if not isinstance(function, FunctionType) or function is prange:
            return False
        top = (function.__module__ or "").partition(".")[0]
        return top not in sys.stdlib_module_names or top == "__main__"

    def function(self, value: Any) -> str:
        """The PhySL name of a function, which is compiled when first asked for."""
        function = self.plain(value)
        name = self.functions.get(function)
        if name is None:
            name = self._unique(function.__name__)
            self.functions[function] = name
            self._compile(function, name)
        elif function in self.active and function is not self.active[-1] and name not in self.forward:
            self.forward.append(name)  # calls in a circle: the name must exist before both
        return name

    def may_return_argument(self, value: Any) -> bool:
        self.function(value)
        return self.returning.get(self.plain(value), False)

    def _compile(self, function: FunctionType, name: str) -> None:
        source = Source(function)
        self.active.append(function)
        try:
            compiler = FunctionCompiler(source, self, source.node, None)
            params, body = compiler.compile()
        finally:
            self.active.pop()
        self.returning[function] = bool(compiler.analysis.returned & set(compiler.params))
        place = self.shifted(source.place(source.node), source.file)
        self.definitions.append(definition(Name(name, place), params, body, stored=name in self.forward))

    def _unique(self, wanted: str) -> str:
        name = wanted if wanted.isascii() else "f"
        while name in self.reserved or name in self.names or name.startswith("__"):
            name = f"{name.lstrip('_') or 'f'}_"
        self.names.add(name)
        return name

    def capture(self, wanted: str, value: Any) -> str:
        name = self.capture_names.get(id(value))
        if name is None:
            name = self._unique(wanted)
            self.capture_names[id(value)] = name
            self.captured.append(value.copy() if hasattr(value, "copy") else value)
        return name

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

    # --- primitives ---------------------------------------------------------------------------------------------
    def known(self, source: Source, node: ast.AST, primitive: str) -> str:
        """Refuse what this build's execution tree does not offer."""
        if primitive not in self.reserved:
            source.unsupported(node, f"the execution tree has no primitive '{primitive}' for this")
        return primitive

    def checked(self, source: Source, node: ast.AST, result: Node) -> Node:
        if isinstance(result, Call):
            self.known(source, node, result.name)
        return result


@dataclass(frozen=True)
class Program:
    """PhySL text with what it needs to run: values to append to the arguments, and the files its places mean."""

    text: str
    source_text: str
    files: tuple[tuple[str, int], ...]
    captured: tuple[Any, ...]


def transduce(function: FunctionType) -> Program:
    """Compile a Python function to PhySL. Raises UnsupportedError."""
    unit = Unit()
    try:
        entry = unit.function(function)
    except RecursionError:
        raise UnsupportedError(f"{function.__qualname__} nests too deeply to be compiled") from None
    source = Source(function)
    place = unit.shifted(source.place(source.node), source.file)  # of everything that the program itself adds
    statements: list[Node] = [call("define", Name(n, place), NIL, place=place) for n in unit.forward]
    first = function.__code__.co_argcount + function.__code__.co_kwonlyargcount
    for i, name in enumerate(unit.capture_names.values()):
        passed = call("slice", Name("sys_argv", place), Literal(str(first + i)), place=place)
        statements.append(call("define", Name(name, place), passed, place=place))
    statements += unit.definitions
    result: Node = Name(entry, place)
    if unit.captured:  # the entry takes the arguments alone: swallow the rest
        params = tuple(Name(f"_t_a{i}") for i in range(first))
        rest = tuple(Name(f"_t_c{i}") for i in range(len(unit.captured)))
        result = call("lambda", *params, *rest, Call(entry, params, place), place=place)
    statements.append(result)
    text = "\n".join(render(s) for s in statements) + "\n"
    return Program(text, unit.source_text(), tuple(unit.files), tuple(unit.captured))
