"""Functions with loops over prange: all iterations as tasks, with the result of the sequential loop."""

from __future__ import annotations

import ast
import copy

from .iterations import Iteration, item_targets
from .nodes import NIL, Call, Literal, Name, Node, block, call
from .ranges import prange
from .scope import Scope
from .statements import StatementCompiler


class FunctionCompiler(StatementCompiler):
    def _For(self, node: ast.For) -> list[Node]:
        if isinstance(node.iter, ast.Call) and self.resolve(node.iter.func) is prange:
            loop = self._parallel_loop(node, node.iter)
            return [*loop, *(n for s in node.orelse for n in self.statement(s))]  # no break can leave it
        return super()._For(node)

    def _parallel_loop(self, node: ast.For, iterable: ast.Call) -> list[Node]:
        """The iterations compute, each with variables of its own, what is to be written; the writes follow in order."""
        iteration = Iteration(self.source, self.node, self.params, set(self.scope.names), self.resolve, node)
        writes = iteration.writes()
        counter, *names = iteration.private
        inner = self._of_one_iteration(counter, names)
        statements: list[Node] = []
        shipped: list[Node] = []  # what one iteration hands out: index parts and value of each write
        # (variable, index with positions in `shipped`, value, statement)
        recipe: list[tuple[Node, list[Node], Node, ast.stmt]] = []
        record = Name(self.scope.temporary())

        def ship(value: Node) -> Node:
            if isinstance(value, Literal):
                return value
            name = Name(inner.scope.temporary())
            statements.append(call("store", name, value))
            shipped.append(name)
            return call("slice", record, Literal(str(len(shipped) - 1)))

        for statement in node.body:
            if not isinstance(statement, ast.Assign | ast.AugAssign) or statement not in writes:
                statements += inner.statement(statement)
                continue
            (target,) = item_targets(statement)
            place = inner.item(target, self.expression(target.value))
            index = [
                Call("list", tuple(ship(b) for b in i.args), i.place)
                if isinstance(i, Call) and i.name == "list"
                else ship(i)
                for i in place.args[1:]
            ]
            recipe.append((place.args[0], index, ship(inner.expression(statement.value)), statement))

        body = block(
            [*inner.definitions(names), *statements, Call("list", tuple(shipped)) if shipped else NIL]
        )
        position = Name(inner.scope.names[counter], self.place(node.target))
        steps = Call("range", tuple(self._plain(a) for a in iterable.args), self.place(iterable))
        task = call("lambda", position, body, place=self.place(node))
        mapped = call("parallel_map", task, steps, place=self.place(node))
        return self._write_back(node, mapped, record, recipe) if recipe else [mapped]

    def _of_one_iteration(self, counter: str, names: list[str]) -> FunctionCompiler:
        inner = copy.copy(self)
        inner.scope = Scope([counter, *names], self.scope, self.unit.names)
        inner.scope.functions = self.scope.functions
        inner.defined = {counter, *names}
        inner.finished, inner.turns = [], 0
        return inner

    def _write_back(
        self, node: ast.For, mapped: Node, record: Node, recipe: list[tuple[Node, list[Node], Node, ast.stmt]]
    ) -> list[Node]:
        """The writes of all iterations, in order."""
        records, position = Name(self.scope.temporary()), Name(self.scope.temporary())
        stores: list[Node] = [call("store", record, call("slice", records, position))]
        for variable, index, value, statement in recipe:
            item = Call("slice", (variable, *index), self.place(statement))
            form = "__change"
            if isinstance(statement, ast.AugAssign):
                form, value = "__update", self.binary(statement, statement.op, item, value)
            stores.append(call(form, item, value, place=self.place(statement)))
        loop = call(
            "for", call("store", position, Literal("0")), call("__lt", position, call("__len", records)),
            call("store", position, call("__add", position, Literal("1"))), block(stores), place=self.place(node),
        )  # fmt: skip
        return [call("store", records, mapped, place=self.place(node)), loop]
