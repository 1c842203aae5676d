"""Comprehensions, and functions that use up a generator: loops that make items, in a function that is called at
once."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

from .emitters import sum_start
from .nodes import FALSE, NIL, TRUE, ZERO, Call, Name, Node, block, call
from .scope import comprehension_names, target_names
from .sequences import SequenceCompiler

# Variables of that function: what the outermost loop steps through, and what is made of the items.
ITEMS, RESULT = Name("_t_items"), Name("_t_result")
EMPTY = [call("define", RESULT, call("make_list"))]


class ComprehensionCompiler(SequenceCompiler):
    def _ListComp(self, node: ast.ListComp | ast.GeneratorExp) -> Node:
        return self._collected(node, lambda inner: inner.expression(node.elt))

    def _DictComp(self, node: ast.DictComp) -> Node:
        pairs = self._collected(
            node, lambda inner: call("list", inner.expression(node.key), inner.expression(node.value))
        )
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

            given = sum_start(self.expression(start), place) if start else ZERO
            return self._looped(node, node.generators, [], add, RESULT, given)
        if consumer in (min, max):
            best, better = ("__min", "__lt") if consumer is min else ("__max", "__gt")
            seen, new = Name("_t_seen"), Name("_t_new")

            def choose(inner: ComprehensionCompiler) -> Node:
                chosen = call("if", call(better, new, RESULT, place=place), new, RESULT)
                kept = call("store", RESULT, call("if", seen, chosen, new))
                return block([call("store", new, item(inner)), kept, call("store", seen, TRUE)])

            before = [call("define", seen, FALSE), call("define", new, NIL), call("define", RESULT, NIL)]
            found = call("if", seen, RESULT, call(best, call("make_list"), place=place))
            return self._looped(node, node.generators, before, choose, found)
        made = self._ListComp(node)
        return call("__tuple", made, place=place) if consumer is tuple else made

    def _collected(
        self,
        node: ast.ListComp | ast.DictComp | ast.GeneratorExp,
        element: Callable[[ComprehensionCompiler], Node],
    ) -> Node:
        """All items. Where there are no conditions that take turns with them, a call for each is all that is needed."""
        names = comprehension_names(node)
        closures = any(isinstance(n, ast.Lambda) for n in ast.walk(node))  # share the variables of all turns
        if len(node.generators) > 1 or node.generators[0].ifs or closures or len({*names}) < len(names):

            def add(inner: ComprehensionCompiler) -> Node:
                return call("__append", RESULT, element(inner), place=self.place(node))

            return self._looped(node, node.generators, EMPTY, add, RESULT)
        target, sequences = node.generators[0].target, self._columns(node.generators[0])
        inner = self.inner(names)
        parts = target.elts if len(sequences) > 1 and isinstance(target, ast.Tuple) else [target]
        params = [
            Name(inner.scope.names[part.id], self.place(part))
            if isinstance(part, ast.Name)
            else Name(f"_t_item{i}")
            for i, part in enumerate(parts)
        ]
        unpacked = [
            store
            for part, param in zip(parts, params, strict=True)
            if not isinstance(part, ast.Name)
            for store in inner.unpack(part, param)
        ]
        result = element(inner)
        below = [n.id for part in parts if not isinstance(part, ast.Name) for n in target_names(part)]
        body = block([*inner.definitions(below), *unpacked, result])
        function = Call("lambda", (*params, body), self.place(target))
        return Call("fmap", (function, *sequences), self.place(node))

    def _columns(self, generator: ast.comprehension) -> list[Node]:
        """What is stepped through: several sequences, where their items are unpacked as zip pairs them."""
        rows, target = generator.iter, generator.target
        if isinstance(rows, ast.Call) and self.resolve(rows.func) is zip and isinstance(target, ast.Tuple):
            made = self.sequence(rows)
            if isinstance(made, Call) and len(made.args) == len(target.elts) > 1:
                return list(made.args)
            return [made]
        return [self.sequence(rows)]

    def definitions(self, names: Sequence[str]) -> list[Node]:
        """Of variables and temporaries, at the beginning of a function."""
        return [
            *(call("define", Name(self.scope.names[n])) for n in dict.fromkeys(names)),
            *(call("define", Name(t), NIL) for t in self.scope.temporaries),
        ]

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
        body = block([*inner.definitions(names), *before, loop, result])
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
