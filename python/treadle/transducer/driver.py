"""From a Python function to the text of a program: the function and all that it reaches, compiled one after the
other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from types import FunctionType
from typing import Any

from ..errors import UnsupportedError
from .nodes import NIL, Call, Literal, Name, Node, call, definition, render
from .parallel import FunctionCompiler
from .results import Results
from .source import Source
from .unit import Unit


@dataclass(frozen=True)
class Program:
    """PhySL text with what it needs to run: values to append to the arguments, and the files its places mean."""

    text: str
    source_text: str
    files: tuple[tuple[str, int], ...]
    captured: tuple[Any, ...]


@dataclass(frozen=True)
class Compiled:
    name: Name
    params: list[Name]
    body: Node


def transduce(function: FunctionType) -> Program:
    """Compile a Python function to PhySL. Raises UnsupportedError."""
    source_of = cache(Source)
    unit = Unit(Results(function, source_of).held)
    unit.function(function)
    compiled: dict[FunctionType, Compiled] = {}
    while unit.pending:
        current = unit.pending.popleft()
        compiled[current] = _compile(current, unit, source_of)
    statements = _statements(unit, function, compiled)
    text = "\n".join(render(s) for s in statements) + "\n"
    return Program(text, unit.source_text(), tuple(unit.files), tuple(unit.captured.values()))


def _compile(function: FunctionType, unit: Unit, source_of: Callable[[FunctionType], Source]) -> Compiled:
    try:
        source = source_of(function)
        name = Name(unit.functions[function], unit.shifted(source.place(source.node), source.file))
        return Compiled(name, *FunctionCompiler(source, unit, source.node, None).compile())
    except RecursionError:
        raise UnsupportedError(f"{function.__qualname__} nests too deeply to be compiled") from None


def _statements(unit: Unit, entry: FunctionType, compiled: dict[FunctionType, Compiled]) -> list[Node]:
    """The program: names that must exist early, captured values, definitions, and what is called."""
    place = compiled[entry].name.place  # of everything that the program itself adds
    order, circular = unit.in_order(entry)
    result: list[Node] = [call("define", Name(unit.functions[f], place), NIL, place=place) for f in circular]
    first = entry.__code__.co_argcount + entry.__code__.co_kwonlyargcount
    for i, name in enumerate(unit.captured):
        passed = call("slice", Name("sys_argv", place), Literal(str(first + i)), place=place)
        result.append(call("define", Name(name, place), passed, place=place))
    for function in order:
        c = compiled[function]
        result.append(definition(c.name, c.params, c.body, stored=function in circular))
    name = unit.functions[entry]
    if not unit.captured:
        return [*result, Name(name, place)]
    # The entry takes the arguments alone: swallow the rest.
    params = tuple(Name(f"_t_a{i}") for i in range(first))
    rest = tuple(Name(f"_t_c{i}") for i in range(len(unit.captured)))
    return [*result, call("lambda", *params, *rest, Call(name, params, place), place=place)]
