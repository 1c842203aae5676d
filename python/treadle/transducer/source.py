"""The source of one Python function: its syntax tree with real file positions, its names, and errors that show it."""

from __future__ import annotations

import ast
import builtins
import inspect
import linecache
import sys
from collections.abc import Callable
from types import FunctionType, ModuleType
from typing import Any, NoReturn

from ..errors import Error, UnsupportedError
from .nodes import Place
from .ranges import prange

MISSING = object()


def plain(value: Any) -> Any:
    """The function behind a compiled one."""
    return getattr(value, "__treadle_function__", value)


def is_user_function(value: Any) -> bool:
    """A function whose source can be compiled along: of the user, not of a library."""
    function = plain(value)
    if not isinstance(function, FunctionType) or function is prange:
        return False
    top = (function.__module__ or "").partition(".")[0]
    return top not in sys.stdlib_module_names or top == "__main__"


class Source:
    def __init__(self, function: FunctionType) -> None:
        self.function = function
        self.file = inspect.getsourcefile(function) or "<unknown>"
        if function.__name__ == "<lambda>":
            raise UnsupportedError(
                "a lambda cannot be compiled by itself: write a def",
                file=self.file,
                line=function.__code__.co_firstlineno,
                column=1,
            )
        if hasattr(function, "__treadle_received__"):
            raise UnsupportedError(
                f"{function.__name__} came from another process as a compiled function, and cannot become a part of"
                " another one: send that one, which calls it",
                file=self.file, line=function.__code__.co_firstlineno, column=1,
            )  # fmt: skip
        if hasattr(function, "__wrapped__"):
            raise UnsupportedError(
                f"{function.__name__} is wrapped by another decorator, which would be lost: put td.jit below it",
                file=self.file, line=function.__code__.co_firstlineno, column=1,
            )  # fmt: skip
        try:
            lines, first = inspect.getsourcelines(function)
        except OSError as error:
            raise Error(
                f"the source of {function.__qualname__} is not available ({error}): put it into a file"
            ) from None
        # An indented definition (a nested function, a method) parses below an `if`, which keeps every column.
        indented = lines[0][:1].isspace()
        module = ast.parse(("if 1:\n" if indented else "") + "".join(lines))
        first_statement = module.body[0]
        node = (
            first_statement.body[0] if isinstance(first_statement, ast.If) and indented else first_statement
        )
        self.first = first - indented
        if not isinstance(node, ast.FunctionDef):
            kind = "an async function" if isinstance(node, ast.AsyncFunctionDef) else "this"
            raise UnsupportedError(
                f"{kind} cannot be compiled: write a plain def", file=self.file, line=first, column=1
            )
        self.node = node
        try:
            cells = inspect.getclosurevars(function).nonlocals
        except ValueError:  # a cell is still empty: the enclosing function has not bound it yet
            cells = {
                n: c.cell_contents
                for n, c in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
                if _is_bound(c)
            }
        self.scopes: tuple[dict[str, Any], ...] = (dict(cells), function.__globals__, vars(builtins))

    def place(self, node: ast.AST) -> Place:
        line, column = getattr(node, "lineno", 1) + self.first - 1, getattr(node, "col_offset", 0)
        text = linecache.getline(self.file, line)
        return Place(line, len(text.encode()[:column].decode(errors="replace")) + 1 if text else column + 1)

    def unsupported(self, node: ast.AST, message: str) -> NoReturn:
        place = self.place(node)
        line = linecache.getline(self.file, place.line).rstrip()
        raise UnsupportedError(message, file=self.file, line=place.line, column=place.column, source=line)

    def refuse_packed(self, args: ast.arguments | None = None) -> None:
        args = args or self.node.args
        for packed in (args.vararg, args.kwarg):
            if packed:
                self.unsupported(
                    packed, "functions with *args or **kwargs are not supported: name the parameters"
                )

    def resolve(self, node: ast.expr, is_local: Callable[[str], bool]) -> Any:
        """The Python object that a name or dotted path means outside of the function; MISSING for a local value."""
        if isinstance(node, ast.Name):
            if is_local(node.id):
                return MISSING
            for scope in self.scopes:
                if node.id in scope:
                    return scope[node.id]
            self.unsupported(node, f"name '{node.id}' is not defined")
        if isinstance(node, ast.Attribute):
            owner = (
                self.resolve(node.value, is_local)
                if isinstance(node.value, ast.Name | ast.Attribute)
                else MISSING
            )
            if not isinstance(owner, ModuleType):
                return MISSING
            found = getattr(owner, node.attr, MISSING)
            if found is MISSING:
                self.unsupported(node, f"module {owner.__name__} has no '{node.attr}'")
            return found
        return MISSING


def _is_bound(cell: Any) -> bool:
    try:
        cell.cell_contents  # noqa: B018
    except ValueError:
        return False
    return True
