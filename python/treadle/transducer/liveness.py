"""Which variables of a function may still be read after a statement: the others may be dropped there."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from .scope import COMPREHENSIONS, FUNCTIONS, free_names, target_names, walk_own

Names = frozenset[str]


def uses(*nodes: ast.AST | None) -> Names:
    """Every name that appears, also inside of comprehensions and nested functions."""
    return frozenset(n.id for node in nodes if node for n in ast.walk(node) if isinstance(n, ast.Name))


class Liveness:
    """`after` holds the names that may be read later, by statement."""

    def __init__(self, body: list[ast.stmt]) -> None:
        self.after: dict[ast.stmt, Names] = {}
        # What nested functions use may be read whenever they are called.
        functions = [n for n in walk_own(body) if isinstance(n, FUNCTIONS)]
        for comprehension in (n for n in walk_own(body) if isinstance(n, COMPREHENSIONS)):
            functions += [n for n in ast.walk(comprehension) if isinstance(n, FUNCTIONS)]
        self.pinned = frozenset(name for f in functions for name in free_names(f))
        self._block(body, frozenset(), frozenset(), frozenset())

    def dead_after(self, statement: ast.stmt, names: Iterable[str]) -> list[str]:
        live = self.after[statement] | self.pinned
        return [n for n in names if n not in live]

    def _block(self, body: list[ast.stmt], after: Names, on_break: Names, on_continue: Names) -> Names:
        for statement in reversed(body):
            self.after[statement] = self.after.get(statement, frozenset()) | after
            after = self._statement(statement, after, on_break, on_continue)
        return after

    def _statement(self, node: ast.stmt, after: Names, on_break: Names, on_continue: Names) -> Names:
        if isinstance(node, ast.Assign):
            bound = frozenset(n.id for t in node.targets for n in target_names(t))
            items = [n for t in node.targets for n in ast.walk(t) if isinstance(n, ast.Subscript)]
            return (after - bound) | uses(node.value, *items)
        if isinstance(node, ast.AnnAssign) and node.value and isinstance(node.target, ast.Name):
            return (after - {node.target.id}) | uses(node.value)
        if isinstance(node, ast.Return):
            return uses(node.value)
        if isinstance(node, ast.Break):
            return on_break
        if isinstance(node, ast.Continue):
            return on_continue
        if isinstance(node, ast.If):
            branches = (self._block(b, after, on_break, on_continue) for b in (node.body, node.orelse))
            return uses(node.test).union(*branches)
        if isinstance(node, ast.While):
            return self._turns(node, after, on_break, on_continue, uses(node.test), frozenset())
        if isinstance(node, ast.For):
            targets = frozenset(n.id for n in target_names(node.target))
            return self._turns(node, after, on_break, on_continue, frozenset(), targets) | uses(node.iter)
        if isinstance(node, ast.FunctionDef):
            return after - {node.name}
        return after | uses(node)

    def _turns(
        self,
        node: ast.While | ast.For,
        after: Names,
        on_break: Names,
        on_continue: Names,
        test: Names,
        targets: Names,
    ) -> Names:
        """What is live where another turn begins, or none; the jumps are those of its `else`."""
        head = self._block(node.orelse, after, on_break, on_continue) | test
        while True:
            wider = head | (self._block(node.body, head, after, head) - targets)
            if wider == head:
                return head
            head = wider
