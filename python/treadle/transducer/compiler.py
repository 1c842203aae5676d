"""What every part of the compiler of one function has: its source, its names, and places in both."""

from __future__ import annotations

import ast
import copy
from types import ModuleType
from typing import Any, Self

import numpy as np

from .nodes import FALSE, NIL, TRUE, Name, Node, Place, call, number, string
from .scope import Scope
from .signatures import DTYPES
from .source import Source, is_user_function, plain
from .temporaries import Temporaries
from .unit import Unit

SPAN_LIMIT = (
    64  # items of a captured sequence that are written into the program; longer ones are passed to it
)
UNSUPPORTED: dict[type[ast.AST], str] = {
    ast.NamedExpr: "the walrus operator is not supported: assign in a statement before",
    ast.JoinedStr: "f-strings are not supported: print(a, b) prints several values",
    ast.Await: "await is not supported: a compiled function is a task already",
    ast.Yield: "generators are not supported: return a list",
    ast.YieldFrom: "generators are not supported: return a list",
    ast.Set: "sets are not supported: use a list or a boolean mask",
    ast.SetComp: "sets are not supported: use a list or a boolean mask",
    ast.Starred: "unpacking with * is not supported: write the items out",
}


class Compiler:
    """Expressions and statements are compiled by the method that is called as their type: _BinOp, _For."""

    def __init__(self, source: Source, unit: Unit, scope: Scope) -> None:
        self.source, self.unit, self.scope = source, unit, scope
        self.scalars: set[str] = set()  # names that are surely numbers

    def place(self, node: ast.AST) -> Place:
        return self.unit.shifted(self.source.place(node), self.source.file)

    def resolve(self, node: ast.expr) -> Any:
        return self.source.resolve(node, self.scope.is_local)

    def temporaries(self) -> Temporaries:
        return Temporaries(self.scope)

    def function(self, value: Any) -> str:
        """The name of another function of the user, which is compiled along."""
        return self.unit.function(plain(value), self.source.function)

    def known(self, node: ast.AST, primitive: str) -> str:
        """Refuse what this build's execution tree does not offer."""
        if primitive not in self.unit.names.reserved:
            self.source.unsupported(node, f"the execution tree has no primitive '{primitive}' for this")
        return primitive

    def expression(self, node: ast.expr) -> Node:
        handler = getattr(self, f"_{type(node).__name__}", None)
        if handler is None:
            self.source.unsupported(
                node, UNSUPPORTED.get(type(node), f"{type(node).__name__} is not supported")
            )
        result: Node = handler(node)
        return result

    def truth(self, node: ast.expr) -> Node:
        """An expression of which only the truth matters; `and` and `or` are conditions, which ask one after the
        other."""
        if not isinstance(node, ast.BoolOp):
            return self.expression(node)
        *first, result = [self.truth(v) for v in node.values]
        for value in reversed(first):
            rest = (result, FALSE) if isinstance(node.op, ast.And) else (TRUE, result)
            result = call("if", value, *rest, place=self.place(node))
        return result

    def inner(self, names: list[str]) -> Self:
        """For the body of a lambda or comprehension that binds `names`."""
        compiler = copy.copy(self)
        compiler.scope = Scope(names, self.scope, self.unit.names)
        compiler.scalars = self.scalars - set(names)
        return compiler

    def constant(self, node: ast.expr, value: Any, name: str = "constant") -> Node:
        """A Python object from outside of the function, taken by value."""
        if isinstance(value, np.bool_ | np.int64 | np.float64):
            number_of_array = self.constant(node, value.item(), name)
            return call(DTYPES[type(value)], number_of_array, place=self.place(node))
        if value is None:
            return NIL
        if isinstance(value, bool | int | float):
            try:
                return number(value)
            except OverflowError as error:
                self.source.unsupported(node, f"{error}: integers have 64 bits")
        if isinstance(value, str):
            return string(value)
        kind = type(value)  # subclasses, such as named tuples and defaultdict, may do other things
        spelled_out = kind is tuple or (kind is list and not _is_data(value))
        if spelled_out and len(value) <= SPAN_LIMIT:
            return call(kind.__name__, *(self.constant(node, v, name) for v in value), place=self.place(node))
        if isinstance(value, np.ndarray) or kind in (tuple, list, dict):
            return Name(self.unit.capture(name, value), self.place(node))
        if is_user_function(value):
            if plain(value).__code__.co_kwonlyargcount:
                self.source.unsupported(
                    node, f"'{name}' has keyword-only parameters, so it can only be called, by its name"
                )
            return Name(self.function(value), self.place(node))
        shown = (
            f"module {value.__name__}"
            if isinstance(value, ModuleType)
            else f"{kind.__module__}.{kind.__qualname__}"
        )
        self.source.unsupported(
            node,
            f"'{ast.unparse(node)}' is a {shown}: only numbers, text, arrays, lists and functions can be used",
        )


def _is_data(value: Any) -> bool:
    """Whether a run takes this as an argument, rather than functions in it being compiled along."""
    if isinstance(value, list | tuple):
        return all(_is_data(v) for v in value)
    return not callable(value)
