"""Where two names may mean the same memory in NumPy, found before anything runs.

Values of an execution tree never change: assigning to an item makes a new value for that one variable. NumPy changes
the memory, which every other name of it sees. Both agree unless a variable that is changed in place shares memory with
another one; those programs are refused here and told to copy. Where sharing depends on a type (row = x[i] shares
memory, number = v[i] does not), the compiled program checks it when it runs.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .scope import COMPREHENSIONS, target_names, walk_own
from .source import MISSING

VIEW_METHODS = {"reshape", "transpose", "ravel", "squeeze", "swapaxes", "view", "diagonal"}
VIEW_FUNCTIONS = {
    np.reshape, np.transpose, np.ravel, np.squeeze, np.expand_dims, np.swapaxes, np.asarray, np.diagonal, np.diag,
    np.broadcast_to, np.atleast_1d, np.atleast_2d,
}  # fmt: skip
GROWING_METHODS = {"append"}
CHANGING_METHODS = GROWING_METHODS | {
    "sort",
    "fill",
    "extend",
    "insert",
    "pop",
    "clear",
    "reverse",
    "remove",
    "update",
}

Resolve = Callable[[ast.expr], Any]  # the Python object behind an expression; MISSING for a local value


@dataclass
class Sharing:
    """What the analysis found about one function."""

    changed: dict[str, ast.AST] = field(default_factory=dict)  # name -> first place it is changed in place
    updated: set[str] = field(
        default_factory=set
    )  # targets of op=, which changes arrays in place and rebinds numbers
    edges: list[tuple[str, str, bool, ast.AST, int]] = field(
        default_factory=list
    )  # (a, b, surely a view, where, statement)
    nested: set[str] = field(default_factory=set)  # containers whose items are changed: x[i][j] = value
    iterated: list[tuple[ast.AST, str]] = field(default_factory=list)  # changes of what a loop goes over
    held: list[tuple[str, str, ast.AST]] = field(default_factory=list)  # container, name it holds, where


def elementwise_index(index: ast.expr) -> bool | None:
    """True: only single positions, so the result may be one element; False: a view; None: a gather, which copies."""
    parts = index.elts if isinstance(index, ast.Tuple) else [index]
    if any(isinstance(p, ast.List | ast.Compare | ast.BoolOp | ast.ListComp) or _is_invert(p) for p in parts):
        return None
    return not any(
        isinstance(p, ast.Slice) or (isinstance(p, ast.Constant) and p.value in (None, ...)) for p in parts
    )


def _is_invert(node: ast.expr) -> bool:
    return isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Invert)


class Analysis:
    def __init__(
        self,
        params: list[str],
        body: list[ast.stmt],
        resolve: Resolve,
        returns_argument: Callable[[ast.Call], bool],
    ) -> None:
        self._resolve, self.returns_argument = resolve, returns_argument
        self.params, self.found = list(params), Sharing()
        self.inner: set[str] = set()  # variables of the comprehensions being looked at
        self.returned: set[str] = set()  # names whose memory the result may share
        self.cleared: dict[str, int] = {}  # parameter -> statement that rebinds it to memory of its own
        self.changed_at: dict[str, int] = {}
        for index, statement in enumerate(body):
            for node in walk_own([statement]):
                self._visit(node, index, node is statement)

    def resolve(self, node: ast.expr) -> Any:
        """As given, but knowing the variables of comprehensions."""
        root = node
        while isinstance(root, ast.Attribute):
            root = root.value
        return MISSING if isinstance(root, ast.Name) and root.id in self.inner else self._resolve(node)

    # --- which names an expression shares memory with -------------------------------------------------------------
    def sources(self, node: ast.expr | None) -> Iterator[tuple[str, bool]]:
        """Pairs (name, surely a view)."""
        if isinstance(node, ast.Name):
            if self._shared_name(node):
                yield node.id, True
        elif isinstance(node, ast.Subscript):
            single = elementwise_index(node.slice)
            if single is not None:
                for name, sure in self.sources(node.value):
                    yield name, sure and not single
        elif isinstance(node, ast.Attribute):
            if node.attr in ("T", "real"):
                yield from self.sources(node.value)
        elif isinstance(node, ast.IfExp):
            yield from self.sources(node.body)
            yield from self.sources(node.orelse)
        elif isinstance(node, ast.BoolOp):
            for value in node.values:
                yield from self.sources(value)
        elif isinstance(node, ast.Call):
            yield from self._call_sources(node)
        elif isinstance(node, ast.Tuple | ast.List):
            for element in node.elts:
                yield from ((name, False) for name, _ in self.sources(element))
        elif isinstance(node, COMPREHENSIONS) and not isinstance(node, ast.DictComp):
            inner = {n.id for g in node.generators for n in target_names(g.target)}
            self.inner |= inner
            for name, _ in list(self.sources(node.elt)):
                if name in inner:
                    for generator in node.generators:
                        yield from ((n, False) for n, _ in self.sources(generator.iter))
                else:
                    yield name, False
            self.inner -= inner

    def _shared_name(self, node: ast.Name) -> bool:
        """A local, or a global container, which belongs to somebody else just as an argument does."""
        meaning = self.resolve(node)
        if isinstance(meaning, np.ndarray | list | dict) and node.id not in self.params:
            self.params.append(node.id)
        return meaning is MISSING or isinstance(meaning, np.ndarray | list | dict)

    def _call_sources(self, node: ast.Call) -> Iterator[tuple[str, bool]]:
        callee = self.resolve(node.func)
        if callee is MISSING and isinstance(node.func, ast.Attribute):
            if node.func.attr in VIEW_METHODS:
                yield from self.sources(node.func.value)
            return
        try:
            views = callee in VIEW_FUNCTIONS or callee in (zip, enumerate, reversed, list, tuple)
        except TypeError:  # not hashable, so not one of them
            views = False
        if views or (not self._calls_inner(node) and self.returns_argument(node)):
            for argument in [*node.args, *(k.value for k in node.keywords)]:
                yield from ((name, False) for name, _ in self.sources(argument))

    def _calls_inner(self, node: ast.Call) -> bool:
        return isinstance(node.func, ast.Name) and node.func.id in self.inner

    # --- statements ---------------------------------------------------------------------------------------------
    def _visit(self, node: ast.AST, index: int, top: bool) -> None:
        if isinstance(node, ast.Assign):
            for target in node.targets:
                self._assign(target, node.value, node, index, top)
            for other in node.targets[1:]:  # a = b = value makes a and b one
                if isinstance(other, ast.Name) and isinstance(node.targets[0], ast.Name):
                    self._edge(node.targets[0].id, other.id, True, node, index)
        elif isinstance(node, ast.AnnAssign) and node.value:
            self._assign(node.target, node.value, node, index, top)
        elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Subscript):
            self._change(node.target.value, node.target, index)
        elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            self.found.updated.add(node.target.id)
        elif isinstance(node, ast.For):
            self._refuse_changing_what_is_iterated(node)
            for target in target_names(node.target):
                for name, _ in self.sources(node.iter):
                    self._edge(target.id, name, False, node, index)
        elif isinstance(node, ast.Return):
            self.returned |= {name for name, _ in self.sources(node.value)}
        elif (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in CHANGING_METHODS
            and isinstance(node.func.value, ast.Name)
            and self.resolve(node.func.value) is MISSING
        ):
            self._change(node.func.value, node, index)
            for argument in node.args:
                self._hold(node.func.value.id, argument, node)

    def _refuse_changing_what_is_iterated(self, loop: ast.For) -> None:
        """A tree's loop goes over the value from before; Python's would meet the changes."""
        iterated = {name for name, _ in self.sources(loop.iter)}
        for node in walk_own(loop.body):
            targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
            changed = [t.value for t in targets if isinstance(t, ast.Subscript)]
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and node.func.attr in CHANGING_METHODS
            ):
                changed = [node.func.value]
            for owner in changed:
                if isinstance(owner, ast.Name) and owner.id in iterated:
                    self.found.iterated.append((node, owner.id))

    def _assign(self, target: ast.expr, value: ast.expr, where: ast.AST, index: int, top: bool) -> None:
        if isinstance(target, ast.Subscript):
            self._change(target.value, target, index)
            if isinstance(target.value, ast.Name):
                self._hold(target.value.id, value, where)
            return
        if isinstance(target, ast.Tuple | ast.List):
            pairwise = isinstance(value, ast.Tuple | ast.List) and len(value.elts) == len(target.elts)
            for i, element in enumerate(target.elts):
                self._assign(element, value.elts[i] if pairwise else value, where, index, top)  # type: ignore[attr-defined]
            return
        if not isinstance(target, ast.Name):
            return
        found = list(self.sources(value))
        if top and target.id in self.params and all(name != target.id for name, _ in found):
            self.cleared.setdefault(target.id, index)
        if isinstance(value, ast.Tuple | ast.List):
            for element in value.elts:
                self._hold(target.id, element, where)
            return
        for name, sure in found:
            self._edge(target.id, name, sure, where, index)

    def _edge(self, a: str, b: str, sure: bool, where: ast.AST, index: int) -> None:
        if a != b:
            self.found.edges.append((a, b, sure, where, index))

    def _hold(self, container: str, value: ast.expr, where: ast.AST) -> None:
        for name, _ in self.sources(value):
            if name != container:
                self.found.held.append((container, name, where))

    def _change(self, target: ast.expr, where: ast.AST, index: int) -> None:
        nested = isinstance(target, ast.Subscript)
        while isinstance(target, ast.Subscript):
            target = target.value
        if isinstance(target, ast.Name):
            if nested:
                self.found.nested.add(target.id)
            self.found.changed.setdefault(target.id, where)
            self.changed_at.setdefault(target.id, index)

    # --- verdict ------------------------------------------------------------------------------------------------
    def _owned(self, name: str) -> bool:
        """A parameter that was rebound to memory of its own before it is changed."""
        return name in self.cleared and self.cleared[name] <= self.changed_at.get(name, -1)

    def group(self, name: str, only_sure: bool = False) -> set[str]:
        """Every name that shares memory with `name` through some chain of views."""
        seen, todo = {name}, [name]
        while todo:
            current = todo.pop()
            for a, b, sure, _, index in self.found.edges:
                if (only_sure and not sure) or current not in (a, b):
                    continue
                if any(self._owned(n) and index < self.cleared[n] for n in (a, b)):
                    continue
                other = b if current == a else a
                if other not in seen:
                    seen.add(other)
                    todo.append(other)
        return seen

    def conflicts(self) -> Iterator[tuple[ast.AST, str]]:
        """Places that must be refused, with the advice."""
        for where, name in self.found.iterated:
            yield (
                where,
                f"'{name}' is changed while the loop goes over it: loop over {name}.copy() or over range",
            )
        for name, where in self.found.changed.items():
            group = self.group(name, only_sure=True)
            for parameter in [p for p in self.params if p in group and not self._owned(p)]:
                if parameter == name:
                    yield (
                        where,
                        f"'{name}' is an argument and would be changed for the caller: "
                        f"write {name} = {name}.copy() first",
                    )
                else:
                    yield (
                        where,
                        (
                            f"'{name}' shares memory with the argument '{parameter}', which would be changed for the "
                            f"caller: make it a copy with .copy() where '{name}' is assigned"
                        ),
                    )
            for other in sorted(group - {name}):
                yield (
                    where,
                    (
                        f"'{name}' and '{other}' share memory, and '{name}' is changed here: make one a copy with "
                        ".copy() where it is assigned"
                    ),
                )
            for container, held, place in self.found.held:
                if (held == name and container != name) or (container == name and name in self.found.nested):
                    yield (
                        place,
                        f"'{container}' would hold '{held}' itself, which is changed elsewhere: write {held}.copy()",
                    )

    def guarded(self) -> dict[ast.AST, str]:
        """Bindings that share memory only if their value is an array, with the name that is changed."""
        result: dict[ast.AST, str] = {}
        for a, b, sure, where, index in self.found.edges:
            if sure or any(self._owned(n) and index < self.cleared[n] for n in (a, b)):
                continue
            changed = sorted((self.group(a) | self.group(b)) & (set(self.found.changed) | self.found.updated))
            if changed:
                result[where] = changed[0]
        return result

    def shares_when_array(self, name: str) -> bool:
        """Whether `name op= value` would be seen elsewhere, were it an array. Doubtful sharing is guarded already."""
        group = self.group(name, only_sure=True)
        return len(group) > 1 or any(p in self.params and p not in self.cleared for p in group)
