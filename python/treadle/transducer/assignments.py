"""Assignments and changes in place."""

from __future__ import annotations

import ast
from dataclasses import replace

from .aliasing import Analysis, appends_to, root_name
from .expressions import ExpressionCompiler
from .nodes import NIL, Call, Literal, Name, Node, Place, call
from .scalars import surely_scalars
from .scope import Scope, bound_names, local_functions, parameters, target_names, walk_own
from .source import MISSING, Source
from .temporaries import Temporaries
from .unit import Unit


class AssignmentCompiler(ExpressionCompiler):
    """The names of one def: where they are defined, what they may share, and which are numbers."""

    def __init__(
        self,
        source: Source,
        unit: Unit,
        node: ast.FunctionDef,
        parent: Scope | None,
        parent_scalars: set[str] | None = None,
    ) -> None:
        self.node = node
        self.params = [a.arg for a in parameters(node.args)]
        self.bound = bound_names(node.body)
        super().__init__(source, unit, Scope([*self.params, *self.bound], parent, unit.names))
        self.source.refuse_packed(node.args)
        known = {n: count + (n in self.params) for n, count in self.bound.items()}
        self.scope.functions = local_functions(node.body, known)
        for inner in walk_own(node.body):  # these bind names, which would seem undefined otherwise
            if isinstance(inner, ast.Starred | ast.NamedExpr):
                self.expression(inner)
        self.analysis = Analysis(self.params, node.body, self.resolve, self.bound, unit.held)
        self.scalars = surely_scalars(self.params, self.bound, node.body, self.resolve)
        self.scalars |= (parent_scalars or set()) - {*self.params, *self.bound}
        self.functions = {n.name for n in walk_own(node.body) if isinstance(n, ast.FunctionDef)}
        self.defined: set[str] = set(self.params)
        self.hoisted: list[str] = []
        self.finished: list[str] = []  # temporaries of statements that are complete
        self.positions: set[str] = set()  # temporaries that are numbers
        self.turns = 0  # loops around
        self.completed: list[
            Name | None
        ] = []  # by loop around: what tells its `else` that there was no break

    def _Expr(self, node: ast.Expr) -> list[Node]:
        value = node.value
        if isinstance(value, ast.Constant):
            return []
        target = appends_to(value)
        if isinstance(value, ast.Call) and target is not None and self.resolve(target) is MISSING:
            if len(value.args) != 1 or value.keywords:
                self.source.unsupported(value, "append takes one argument")
            item = self.expression(value.args[0])
            return [self.change("__append", self.writable(target), item, target, node)]
        return [self.expression(value)]

    def _Assign(self, node: ast.Assign) -> list[Node]:
        if len(node.targets) == 1:
            return self._assign(node.targets[0], node.value, node)
        t = self.temporaries()
        value = self._kept(self.expression(node.value), node.targets, t, self.place(node.value))
        return t.stores + [s for target in node.targets for s in self.bind(target, value, node)]

    def _AnnAssign(self, node: ast.AnnAssign) -> list[Node]:
        return self._assign(node.target, node.value, node) if node.value else []

    def _assign(self, target: ast.expr, value: ast.expr, node: ast.stmt) -> list[Node]:
        if isinstance(target, ast.Tuple | ast.List):
            t = self.temporaries()
            if isinstance(value, ast.Tuple | ast.List) and len(value.elts) == len(target.elts):
                self._refuse_moving_views(target, value)
                # All of the right side first: a, b = b, a.
                values: list[Node] = []
                for element in value.elts:
                    compiled = self.expression(element)
                    constant = isinstance(compiled, Literal)
                    values.append(compiled if constant else t.keep(compiled, self.place(element)))
                bound = [s for e, v in zip(target.elts, values, strict=True) for s in self.bind(e, v, node)]
                return t.stores + bound
            whole = self._kept(self.sequence(value), [target], t, self.place(value))
            return t.stores + self.unpack(target, whole, other=lambda e, v: self.bind(e, v, node))
        return self.bind(target, self.expression(value), node)

    def _kept(self, value: Node, targets: list[ast.expr], t: Temporaries, place: Place) -> Node:
        """The value for several stores, under a name that none of them changes."""
        stored = {self.scope.names.get(name.id) for target in targets for name in target_names(target)}
        if isinstance(value, Name) and value.name in stored:
            return t.keep(value, place)
        return t.simple(value)

    def _refuse_moving_views(self, target: ast.Tuple | ast.List, value: ast.Tuple | ast.List) -> None:
        """x[0], x[1] = x[1], x[0] swaps numbers; on rows NumPy would lose one: views move under the assignment."""
        changed = {
            e.value.id for e in target.elts if isinstance(e, ast.Subscript) and isinstance(e.value, ast.Name)
        }
        for element in value.elts:
            for name, sure in self.analysis.sources(element):
                if name in changed and sure:
                    self.source.unsupported(
                        element, f"a view of '{name}', which this statement changes: write .copy()"
                    )

    def bind(self, target: ast.expr, value: Node, node: ast.stmt) -> list[Node]:
        """target = value."""
        if isinstance(target, ast.Name):
            name = self.scope.names.get(target.id)
            if name is None:
                self.source.unsupported(
                    target, f"'{target.id}' belongs to the enclosing function: return the value instead"
                )
            verb = "store" if target.id in self.defined else "define"
            self.defined.add(target.id)
            return [call(verb, Name(name, self.place(target)), value, place=self.place(target))]
        if isinstance(target, ast.Subscript):
            return [self.change("__change", self.writable(target), value, target, node)]
        if isinstance(target, ast.Tuple | ast.List):
            t = self.temporaries()
            whole = t.simple(value)
            return t.stores + self.unpack(target, whole, other=lambda e, v: self.bind(e, v, node))
        what = (
            "attributes cannot be assigned to"
            if isinstance(target, ast.Attribute)
            else "this cannot be assigned to"
        )
        self.source.unsupported(target, f"{what}: assign to a variable or to x[...]")

    def writable(self, target: ast.expr) -> Node:
        """What a change concerns: a variable, or slice(x, indices...) of one. slice{2}(x, i, j, k) is x[i][j, k]."""
        if isinstance(target, ast.Name):
            if target.id not in self.scope.names:
                self.source.unsupported(
                    target,
                    f"'{target.id}' belongs to somebody else: copy it to a variable of this function first",
                )
            return self.expression(target)
        if not isinstance(target, ast.Subscript):
            self.source.unsupported(target, "only variables and their items can be changed")
        owner = self.writable(target.value)
        index = self.item(target, NIL).args[1:]
        single = isinstance(target.value, ast.Subscript) and self.is_one_position(target.value.slice)
        if isinstance(owner, Call) and single and self._stays_in_place(target.slice):  # x[i][j] is x[i, j]
            return Call("slice", (*owner.args, *index), self.place(target), str(len(index)))
        return Call("slice", (owner, *index), self.place(target))

    def _stays_in_place(self, index: ast.expr) -> bool:
        """Whether its axes keep their order behind a position: x[i, :, k] of an array k begins with those of k. A name
        may hold a tuple, which is one index per axis only where it is alone."""
        if not isinstance(index, ast.Tuple):
            return isinstance(index, ast.Slice | ast.List | ast.ListComp) or self.is_position(index)
        return all(isinstance(p, ast.Slice) or self.is_one_position(p) for p in index.elts)

    def is_one_position(self, index: ast.expr) -> bool:
        """Whether an index is one number, or text."""
        if isinstance(index, ast.Name):
            return index.id in self.scalars
        return isinstance(index, ast.Constant) and isinstance(index.value, int | str)

    def change(self, form: str, place: Node, value: Node, target: ast.expr, node: ast.stmt) -> Node:
        """A change in place, which the running program refuses where it would show elsewhere."""
        name = root_name(target)
        dead, live = self.analysis.others(node, name) if name else ([], [])
        dropped = [Name(self.scope.names[n]) for n in dead if self._may_hold(n)] + [
            Name(t) for t in self.finished
        ]
        watched = [Name(self.scope.names[n]) for n in live if self._may_hold(n)]
        lists = [Call("list", tuple(names)) for names in (dropped, watched)]
        while lists and not lists[-1].args:
            lists.pop()
        return call(form, place, value, *lists, place=self.place(target))

    def _may_hold(self, name: str) -> bool:
        return name in self.scope.names and name not in self.scalars and name not in self.functions

    def _AugAssign(self, node: ast.AugAssign) -> list[Node]:
        target = node.target
        if isinstance(target, ast.Name):
            if target.id not in self.scope.names:
                self.source.unsupported(
                    target, f"'{target.id}' belongs to the enclosing function: return the value instead"
                )
            name = Name(self.scope.names[target.id], self.place(target))
            if target.id in self.scalars:
                value = self.binary(node, node.op, name, self.expression(node.value))
                return [call("store", name, value, place=self.place(node))]
            return [self.change("__update", name, self.updated(node, name), target, node)]
        if not isinstance(target, ast.Subscript):
            self.source.unsupported(target, "only variables and items can be updated in place")
        t = self.temporaries()
        place = self.writable(target)
        assert isinstance(place, Call)
        item = self._once(t, place)
        return [
            *t.stores,
            self.change("__update", item, self.updated(node, self._item_at(item)), target, node),
        ]

    def updated(self, node: ast.AugAssign, old: Node) -> Node:
        """What `target op= value` gives. Lists take any sequence."""
        value = self.expression(node.value)
        if isinstance(node.op, ast.Add):
            return call("__iadd", old, value, place=self.place(node))
        return self.binary(node, node.op, old, value)

    def _once(self, t: Temporaries, place: Call) -> Call:
        """A place that is read and written: its indices are evaluated once."""
        owner, *indices = place.args
        if isinstance(owner, Call):
            owner = self._once(t, owner)
        simple: list[Node] = []
        for index in indices:
            if isinstance(index, Call) and index.name == "list":
                index = Call("list", tuple(t.simple(a) for a in index.args), index.place)
            else:
                number = isinstance(index, Call) and index.name != "__index"
                index = t.simple(index)
                if number and isinstance(index, Name):
                    self.positions.add(index.name)
            simple.append(index)
        return replace(place, args=(owner, *simple))

    def _item_at(self, place: Node) -> Node:
        """What is read there, one pair of brackets after the other."""
        if not isinstance(place, Call):
            return place
        owner, *indices = place.args
        item = self._item_at(owner)
        last = len(indices) - int(place.attribute or len(indices))
        for index in indices[:last]:
            item = call("slice", item, index, place=place.place)
        return Call("slice", (item, *indices[last:]), place.place)
