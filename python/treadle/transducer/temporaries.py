"""Names for values that an expression uses more than once."""

from __future__ import annotations

from .nodes import Call, Literal, Name, Node, Place, block, call
from .scope import Scope


class Temporaries:
    """Collects what must be stored before the expression that uses it."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope
        self.stores: list[Node] = []

    def simple(self, node: Node) -> Node:
        return self.keep(node, node.place) if isinstance(node, Call) else node

    def keep(self, node: Node, place: Place | str) -> Name:
        """The value as it is now, also of a name that changes."""
        name = Name(self._scope.temporary())
        self.stores.append(call("store", name, node, place=place))
        return name

    def in_order(self, *nodes: Node) -> list[Node]:
        """The same values, evaluated here if it shows in which order that happens: literals and one other do not
        tell."""
        if sum(not isinstance(n, Literal) for n in nodes) < 2 or not any(isinstance(n, Call) for n in nodes):
            return list(nodes)
        return [self._now(n) for n in nodes]

    def _now(self, node: Node) -> Node:
        if isinstance(node, Name):  # it only has to exist: nothing changes it before it is read
            self.stores.append(node)
        return self.simple(node)

    def finish(self, result: Node) -> Node:
        return block([*self.stores, result])
