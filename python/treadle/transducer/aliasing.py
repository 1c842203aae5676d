"""Names of one function that may mean the same memory.

Whether a change in place would show under another name is found when it happens: the compiled program refuses to change
what somebody else holds (docs/design/aliasing.md). What is found here, before anything runs, adds two things. Changes
that are surely shared are refused at once, with advice. And variables that may hold what is changed, but are not read
any more, are named to the program, which may then drop them instead of refusing.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from .liveness import Liveness
from .scope import COMPREHENSIONS, comprehension_names, target_names
from .source import MISSING

VIEW_METHODS = {"reshape", "transpose", "ravel", "squeeze", "swapaxes", "diagonal", "values", "items"}
KEEPING_FUNCTIONS = (
    np.reshape, np.transpose, np.ravel, np.squeeze, np.expand_dims, np.swapaxes, np.asarray, np.diagonal, np.diag,
    np.broadcast_to, np.flip, np.real, np.float64, np.int64, np.bool_,
    zip, enumerate, reversed, list, tuple, dict, min, max, sorted,
)  # fmt: skip

Resolve = Callable[[ast.expr], Any]  # the Python object behind an expression; MISSING for a local value
Held = Callable[[Any, ast.Call], list[ast.expr]]  # the arguments that the result of a call may hold
Position = tuple[tuple[int, int], ...]  # the blocks around a statement, and its index in each


@dataclass(frozen=True)
class Edge:
    """`a` may be `b`, or a view of it, or hold it."""

    a: str
    b: str
    sure: bool
    held: bool
    where: ast.AST
    position: Position


@dataclass(frozen=True)
class Change:
    name: str
    where: ast.AST
    statement: ast.stmt
    position: Position


def dominates(first: Position, second: Position) -> bool:
    """Whether every way to the second place leads through the first: it stands before it, in a block around it."""
    depth = len(first) - 1
    return (
        len(second) > depth
        and first[:depth] == second[:depth]
        and first[depth][0] == second[depth][0]
        and first[depth][1] < second[depth][1]
    )


def root_name(target: ast.expr) -> str | None:
    while isinstance(target, ast.Subscript):
        target = target.value
    return target.id if isinstance(target, ast.Name) else None


def elementwise_index(index: ast.expr) -> bool | None:
    """True: only single positions, so the result may be one element; False: a view; None: a gather, which copies."""
    parts = index.elts if isinstance(index, ast.Tuple) else [index]
    if any(isinstance(p, ast.List | ast.Compare | ast.BoolOp | ast.ListComp) or _is_invert(p) for p in parts):
        return None
    return not any(
        isinstance(p, ast.Slice) or (isinstance(p, ast.Constant) and p.value in (None, ...)) for p in parts
    )


def gives_new_memory(callee: Any, node: ast.Call) -> bool:
    """Whether a function of Python or NumPy gives something that holds none of its arguments."""
    if callee is MISSING or any(callee is f for f in KEEPING_FUNCTIONS):
        return False
    if callee is sum and len(node.args) + len(node.keywords) > 1:  # of lists, to a list
        return False
    return (getattr(callee, "__module__", None) or "").partition(".")[0] in ("numpy", "builtins")


def _is_invert(node: ast.expr) -> bool:
    return isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Invert)


class Analysis:
    def __init__(
        self, params: list[str], body: list[ast.stmt], resolve: Resolve, bound: dict[str, int], held: Held
    ) -> None:
        self._resolve, self._held, self.params = resolve, held, params
        self.bindings = {name: bound.get(name, 0) + (name in params) for name in {*params, *bound}}
        self.liveness = Liveness(body)
        self.edges: list[Edge] = []
        self.changes: list[Change] = []
        self._inner: set[str] = set()  # variables of the comprehensions being looked at
        self._block(body, ())

    # --- which names an expression may share memory with ----------------------------------------------------------
    def sources(self, node: ast.expr | None) -> Iterator[tuple[str, bool]]:
        """Pairs (name, surely the same memory)."""
        if isinstance(node, ast.Name):
            if node.id not in self._inner and self._resolve(node) is MISSING:
                yield node.id, True
        elif isinstance(node, ast.Subscript):
            single = elementwise_index(node.slice)
            if single is not None:
                copied_if_list = isinstance(node.slice, ast.Slice)
                for name, sure in self.sources(node.value):
                    yield name, sure and not single and not copied_if_list
        elif isinstance(node, ast.Attribute):
            if node.attr == "T":
                yield from self.sources(node.value)
        elif isinstance(node, ast.Call):
            yield from self._call_sources(node)
        elif isinstance(node, ast.BinOp):
            if any(isinstance(side, ast.List | ast.Tuple | ast.ListComp) for side in (node.left, node.right)):
                yield from self._unsure(node.left, node.right)
        elif isinstance(node, ast.IfExp):
            yield from self._unsure(node.body, node.orelse)
        elif isinstance(node, ast.BoolOp):
            yield from self._unsure(*node.values)
        elif isinstance(node, ast.Tuple | ast.List):
            yield from self._unsure(*node.elts)
        elif isinstance(node, ast.Dict):
            yield from self._unsure(*node.values)
        elif isinstance(node, COMPREHENSIONS):
            inner = set(comprehension_names(node))
            element = node.value if isinstance(node, ast.DictComp) else node.elt
            first, *rest = (g.iter for g in node.generators)
            yield from self._unsure(first)
            outer, self._inner = self._inner, self._inner | inner
            yield from list(self._unsure(*rest, element))
            self._inner = outer

    def _unsure(self, *nodes: ast.expr) -> Iterator[tuple[str, bool]]:
        for node in nodes:
            yield from ((name, False) for name, _ in self.sources(node))

    def _call_sources(self, node: ast.Call) -> Iterator[tuple[str, bool]]:
        """A function of the user may give those of its arguments that it returns; one of NumPy, those that are
        views."""
        callee = MISSING if self._is_inner(node.func) else self._resolve(node.func)
        if callee is MISSING and isinstance(node.func, ast.Attribute):
            if node.func.attr in VIEW_METHODS:
                yield from self._unsure(node.func.value)
            return
        if callee is MISSING:  # a local function, which may give what it finds around it
            yield from ((name, False) for name in sorted(self.liveness.pinned) if name in self.bindings)
        if not gives_new_memory(callee, node):
            yield from self._unsure(*self._held(callee, node))

    def _is_inner(self, node: ast.expr) -> bool:
        root = node
        while isinstance(root, ast.Attribute):
            root = root.value
        return isinstance(root, ast.Name) and root.id in self._inner

    # --- statements -----------------------------------------------------------------------------------------------
    def _block(self, body: list[ast.stmt], around: Position) -> None:
        for index, statement in enumerate(body):
            position = (*around, (id(body), index))
            self._statement(statement, position)
            for inner in (getattr(statement, name, []) for name in ("body", "orelse")):
                if not isinstance(statement, ast.FunctionDef | ast.ClassDef):
                    self._block(inner, position)

    def _statement(self, node: ast.stmt, position: Position) -> None:
        if isinstance(node, ast.Assign):
            for target in node.targets:
                self._assign(target, node.value, node, position)
            first = node.targets[0]
            for other in node.targets[1:]:  # a = b = value makes a and b one
                if isinstance(other, ast.Name) and isinstance(first, ast.Name):
                    self.edges.append(Edge(first.id, other.id, True, False, node, position))
        elif isinstance(node, ast.AnnAssign) and node.value:
            self._assign(node.target, node.value, node, position)
        elif isinstance(node, ast.AugAssign):
            self._change(node.target, node, position)
            if isinstance(node.target, ast.Subscript | ast.Name) and (name := root_name(node.target)):
                self._keep(name, node.value, node, position)
        elif isinstance(node, ast.For):
            body = (*position, (id(node.body), -1))
            for target in target_names(node.target):
                for name, _ in self._unsure(node.iter):
                    self.edges.append(Edge(target.id, name, False, False, node, body))
        elif isinstance(node, ast.Expr) and (appended := appends_to(node.value)) is not None:
            self._change(appended, node, position)
            if name := root_name(appended):
                for argument in node.value.args:  # type: ignore[attr-defined]
                    self._keep(name, argument, node, position)

    def _assign(self, target: ast.expr, value: ast.expr, node: ast.stmt, position: Position) -> None:
        if isinstance(target, ast.Subscript):
            self._change(target, node, position)
            if name := root_name(target):
                self._keep(name, value, node, position, sure=False)
        elif isinstance(target, ast.Tuple | ast.List):
            pairwise = isinstance(value, ast.Tuple | ast.List) and len(value.elts) == len(target.elts)
            for i, element in enumerate(target.elts):
                self._assign(element, value.elts[i] if pairwise else value, node, position)  # type: ignore[attr-defined]
        elif isinstance(target, ast.Name):
            if isinstance(value, ast.Tuple | ast.List):
                for element in value.elts:
                    self._keep(target.id, element, node, position)
                return
            for name, sure in self.sources(value):
                if name != target.id:
                    self.edges.append(Edge(target.id, name, sure, False, node, position))

    def _keep(
        self, container: str, value: ast.expr, node: ast.stmt, position: Position, sure: bool = True
    ) -> None:
        for name, same in self.sources(value):
            if name != container:
                self.edges.append(Edge(container, name, sure and same, True, node, position))

    def _change(self, target: ast.expr, statement: ast.stmt, position: Position) -> None:
        if name := root_name(target):
            where = target if isinstance(target, ast.Subscript) else statement
            self.changes.append(Change(name, where, statement, position))

    # --- what follows ---------------------------------------------------------------------------------------------
    def group(self, name: str, edges: Iterable[Edge] | None = None) -> set[str]:
        """Every name that may share memory with `name` through some chain."""
        seen, todo = {name}, [name]
        chosen = self.edges if edges is None else list(edges)
        while todo:
            current = todo.pop()
            for edge in chosen:
                other = edge.b if edge.a == current else edge.a if edge.b == current else None
                if other is not None and other not in seen:
                    seen.add(other)
                    todo.append(other)
        return seen

    def conflicts(self) -> Iterator[tuple[ast.AST, str]]:
        """Changes that another name surely shows, with the advice."""
        replaced = {
            c.name for c in self.changes if isinstance(c.where, ast.Subscript)
        }  # perhaps what they hold
        for change in self.changes:
            if isinstance(change.statement, ast.AugAssign) and isinstance(change.statement.target, ast.Name):
                continue  # x += 1 changes arrays and rebinds numbers: only the running program knows
            name = change.name
            once = [
                e
                for e in self.edges
                if e.sure
                and self.bindings.get(e.a) == self.bindings.get(e.b) == 1
                and dominates(e.position, change.position)
            ]
            same = self.group(name, (e for e in once if not e.held))
            for other in sorted(same):
                if other in self.params and self.bindings[other] == 1:
                    if other == name:
                        what = (
                            f"'{name}' is an argument and would be changed for the caller: "
                            f"write {name} = {name}.copy() first"
                        )
                    else:
                        what = (
                            f"'{name}' shares memory with the argument '{other}', which would be changed for the "
                            f"caller: make it a copy with .copy() where '{name}' is assigned"
                        )
                    yield change.where, what
            for other in sorted(same - {name}):
                if not self.liveness.dead_after(change.statement, [other]):
                    yield (
                        change.where,
                        f"'{name}' and '{other}' share memory, and '{name}' is changed here: make one a copy with "
                        ".copy() where it is assigned",
                    )
            for edge in once:
                certain = edge.held and edge.b in same and edge.a not in replaced
                if certain and not self.liveness.dead_after(change.statement, [edge.a]):
                    yield (
                        edge.where,
                        f"'{edge.a}' would hold '{edge.b}' itself, which is changed elsewhere: write {edge.b}.copy()",
                    )

    def others(self, statement: ast.stmt, name: str) -> tuple[list[str], list[str]]:
        """Variables that may hold what a change of `name` concerns: those not read afterwards, and the rest."""
        group = sorted(self.group(name) - {name})
        dead = self.liveness.dead_after(statement, group)
        return dead, [n for n in group if n not in dead]


def appends_to(node: ast.expr) -> ast.expr | None:
    """The list of a call x.append(...)."""
    is_append = (
        isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "append"
    )
    return node.func.value if is_append else None  # type: ignore[attr-defined]
