"""Comprehensions, and functions that use up a generator: loops that make items, in a function that is called at once."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

from .nodes import FALSE, NIL, TRUE, ZERO, Call, Name, Node, block, call
from .scope import target_names
from .sequences import SequenceCompiler

# Variables of that function: what the outermost loop steps through, and what is made of the items.
ITEMS, RESULT = Name("_t_items"), Name("_t_result")
EMPTY = [call("define", RESULT, call("make_list"))]


class ComprehensionCompiler(SequenceCompiler):
    def _ListComp(self, node: ast.ListComp | ast.GeneratorExp) -> Node:
        def add(inner: ComprehensionCompiler) -> Node:
            return call("__append", RESULT, inner.expression(node.elt), place=self.place(node.elt))

        return self._looped(node, node.generators, EMPTY, add, RESULT)

    def _DictComp(self, node: ast.DictComp) -> Node:
        def add(inner: ComprehensionCompiler) -> Node:
            pair = call("list", inner.expression(node.key), inner.expression(node.value))
            return call("__append", RESULT, pair)

        pairs = self._looped(node, node.generators, EMPTY, add, RESULT)
        return call("dict", pairs, place=self.place(node))

    def _GeneratorExp(self, node: ast.GeneratorExp) -> Node:
        self.source.unsupported(
            node, "a generator that is not used at once is not supported: write a list [...]"
        )

    def used_up(self, node: ast.GeneratorExp, consumer: Any, start: ast.expr | None) -> Node:
        """What a function of Python makes of a generator, of which it asks for one item after the other."""
        place = self.place(node)

        def item(inner: ComprehensionCompiler) -> Node:
            return inner.expression(node.elt)

        if consumer in (any, all):
            decides = consumer is any

            def test(inner: ComprehensionCompiler) -> Node:
                found = call("return", TRUE if decides else FALSE)
                return call("if", inner.truth(node.elt), *((found,) if decides else (NIL, found)))

            return self._looped(node, node.generators, [], test, FALSE if decides else TRUE)
        if consumer is sum:

            def add(inner: ComprehensionCompiler) -> Node:
                return call("store", RESULT, call("__add", RESULT, item(inner), place=place))

            given = self.expression(start) if start else ZERO
            return self._looped(node, node.generators, [], add, RESULT, given)
        if consumer in (min, max):
            best = "__min" if consumer is min else "__max"

            def choose(inner: ComprehensionCompiler) -> Node:
                both = call("__add", RESULT, call("list", item(inner)))
                return call("store", RESULT, call("list", call(best, both, place=place)))

            return self._looped(node, node.generators, EMPTY, choose, call(best, RESULT, place=place))
        made = self._ListComp(node)
        return call("__tuple", made, place=place) if consumer is tuple else made

    def _looped(
        self,
        node: ast.expr,
        generators: Sequence[ast.comprehension],
        before: Sequence[Node],
        each: Callable[[ComprehensionCompiler], Node],
        result: Node,
        start: Node | None = None,
    ) -> Node:
        """`start` is what RESULT begins with, if it comes from around the comprehension."""
        items = self.sequence(generators[0].iter)  # outside of it
        targets = [g.target for g in generators]
        names = [n.id for target in targets for n in target_names(target)]
        inner = self.inner(names)
        loop = inner.nested_loops(generators, items=ITEMS, each=each)
        defined = [call("define", Name(inner.scope.names[n])) for n in dict.fromkeys(names)]
        defined += [call("define", Name(t), NIL) for t in inner.scope.temporaries]
        body = block([*defined, *before, loop, result])
        params, values = ((ITEMS, RESULT), (items, start)) if start else ((ITEMS,), (items,))
        function = Call("lambda", (*params, body), self.place(node))
        return call("apply", function, Call("list", values), place=self.place(node))

    def nested_loops(
        self,
        generators: Sequence[ast.comprehension],
        items: Node,
        each: Callable[[ComprehensionCompiler], Node],
    ) -> Node:
        first, *rest = generators
        if first.is_async:
            self.source.unsupported(first.target, "async for is not supported: use for")
        variable, bound = self.stepped(first.target, first.iter)
        conditions = [self.truth(c) for c in first.ifs]
        body = self.nested_loops(rest, self.sequence(rest[0].iter), each) if rest else each(self)
        for condition in reversed(conditions):
            body = call("if", condition, body)
        place = self.place(first.target)
        return call("for_in", variable, items, block([*bound, body]), place=place)
