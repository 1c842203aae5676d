"""What an iteration of a loop over prange may read and write: it must not matter which one runs first."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .ranges import prange
from .readers import Readers
from .scope import COMPREHENSIONS, bound_names, comprehension_names, parameters, target_names, walk_own
from .source import Source


@dataclass(frozen=True)
class Iteration:
    """The body of one loop, in the function around it."""

    source: Source
    function: ast.FunctionDef
    params: list[str]
    names: set[str]  # the variables of the function
    resolve: Callable[[ast.expr], Any]
    loop: ast.For

    @property
    def private(self) -> list[str]:
        """Variables that each iteration has for itself, the counter first."""
        if not isinstance(self.loop.target, ast.Name):
            self.source.unsupported(self.loop.target, "prange counts one variable")
        return list(dict.fromkeys([self.loop.target.id, *bound_names(self.loop.body)]))

    def writes(self) -> list[ast.Assign | ast.AugAssign]:
        """The statements that write items of outer variables, once all that is not allowed has been refused."""
        private = set(self.private)
        self._check_private(private)
        for statement in self.loop.body:
            self._check_jumps(statement)
        writes = [
            s
            for s in self.loop.body
            if isinstance(s, ast.Assign | ast.AugAssign) and _is_outer_write(s, private)
        ]
        self._check_written(private, writes)
        return writes

    def _check_private(self, private: set[str]) -> None:
        """Variables of the body belong to one iteration: they may not come from before or be read after."""
        for argument in self.params:
            if argument in private:
                self.source.unsupported(
                    self.loop,
                    f"'{argument}' is an argument and is assigned in a prange loop: use another name",
                )
        for inner in walk_own(self.loop.body):
            if isinstance(inner, ast.Return):
                self.source.unsupported(inner, "return cannot leave a prange loop: use range")
            if isinstance(inner, ast.AugAssign) and isinstance(inner.target, ast.Name):
                first = next((s for s in self.loop.body if inner.target.id in bound_names([s])), None)
                if first is inner:
                    self.source.unsupported(
                        inner,
                        "an iteration of prange cannot add to a variable of the loop: write items of an array and "
                        "sum it",
                    )
        # Where each may appear: here, in loops like this, and where another variable has its name.
        own: dict[str, set[int]] = {name: set() for name in private}
        for other in ast.walk(self.function):
            if other is not self.function:
                names, parts = self._own_variables(other)
                for name in names & private:
                    own[name] |= {id(n) for part in parts for n in ast.walk(part)}
        for other in ast.walk(self.function):
            if isinstance(other, ast.Name) and other.id in private and id(other) not in own[other.id]:
                self.source.unsupported(
                    other,
                    f"'{other.id}' is assigned in a prange loop, so each iteration has its own: use another name here, "
                    "or collect results in the items of an array",
                )

    def _own_variables(self, node: ast.AST) -> tuple[set[str], list[ast.AST]]:
        """Variables that are bound before they are read in a part of the function, whatever they were before."""
        if isinstance(node, ast.For):
            names = {n.id for n in target_names(node.target)}
            if node is self.loop or self._counts_with_prange(node):
                names |= set(bound_names(node.body))
            elif any(n is self.loop for n in ast.walk(node)):
                return set(), []
            return names, [node.target, *node.body]
        if isinstance(node, COMPREHENSIONS):
            first, *rest = node.generators
            names = set(comprehension_names(node))
            element = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
            return names, [*element, first.target, *first.ifs, *rest]
        if isinstance(node, ast.Lambda):
            return {a.arg for a in parameters(node.args)}, [node.body]
        if isinstance(node, ast.FunctionDef):
            return {a.arg for a in parameters(node.args)} | set(bound_names(node.body)), [*node.body]
        return set(), []

    def _counts_with_prange(self, loop: ast.For) -> bool:
        return isinstance(loop.iter, ast.Call) and self.resolve(loop.iter.func) is prange

    def _check_jumps(self, statement: ast.AST) -> None:
        if isinstance(statement, ast.For | ast.While | ast.FunctionDef | ast.Lambda):
            for after in getattr(statement, "orelse", []):  # of an inner loop: no part of it
                self._check_jumps(after)
            return
        if isinstance(statement, ast.Break | ast.Continue):
            self.source.unsupported(
                statement, "break and continue cannot leave an iteration of prange: use range"
            )
        for child in ast.iter_child_nodes(statement):
            self._check_jumps(child)

    def _check_written(self, private: set[str], writes: list[ast.Assign | ast.AugAssign]) -> None:
        written = {owner(t) for s in writes for t in item_targets(s)}
        targets = {id(t.value) for s in writes for t in item_targets(s)}
        for statement in writes:
            for target in item_targets(statement):
                if isinstance(statement, ast.Assign) and len(statement.targets) > 1:
                    self.source.unsupported(statement, "one assignment at a time in a prange loop")
                if owner(target) not in self.names:
                    self.source.unsupported(
                        target, "only variables of this function can be written in a prange loop"
                    )
        for inner in walk_own(self.loop.body):
            if (
                inner not in writes
                and isinstance(inner, ast.Assign | ast.AugAssign)
                and _is_outer_write(inner, private)
            ):
                self.source.unsupported(
                    inner,
                    "items are written by statements of the prange loop itself, not below an if or a loop",
                )
        own = Readers(self.function, private)
        for statement in writes:
            if statement.value and own.may_hold(statement.value):
                self.source.unsupported(
                    statement,
                    f"a function that reads '{min(private)}' cannot leave an iteration of prange, where Python has one "
                    "variable for all: use range",
                )
        readers = Readers(self.function, written).found - written
        for inner in (n for statement in self.loop.body for n in ast.walk(statement)):
            if isinstance(inner, ast.Name) and inner.id in written and id(inner) not in targets:
                self.source.unsupported(
                    inner,
                    f"'{inner.id}' is written by other iterations of this prange loop: read from a copy, or use range",
                )
            if isinstance(inner, ast.Name) and inner.id in readers:
                self.source.unsupported(
                    inner,
                    f"'{inner.id}' may read '{min(written)}', which other iterations of this prange loop write: "
                    "read from a copy, or use range",
                )


def item_targets(statement: ast.Assign | ast.AugAssign) -> list[ast.Subscript]:
    targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
    return [t for t in targets if isinstance(t, ast.Subscript)]


def owner(target: ast.Subscript) -> str:
    return target.value.id if isinstance(target.value, ast.Name) else ""


def _is_outer_write(statement: ast.Assign | ast.AugAssign, private: set[str]) -> bool:
    return any(owner(t) not in private for t in item_targets(statement))
