"""Operators, conditions, containers and functions without a name."""

from __future__ import annotations

import ast
from typing import Any

from .calls import CallCompiler
from .functions import ATTRIBUTES, METHODS, TRUE_RESULTS
from .nodes import FALSE, NIL, TRUE, Call, Literal, Name, Node, block, call
from .scope import Scope, parameters, target_names
from .source import MISSING

BINARY: dict[type[ast.operator], str] = {
    ast.Add: "__add", ast.Sub: "__sub", ast.Mult: "__mul", ast.Div: "__truediv", ast.FloorDiv: "__floordiv",
    ast.Mod: "__pymod", ast.Pow: "power", ast.MatMult: "__matmul", ast.BitAnd: "__bitand", ast.BitOr: "__bitor",
    ast.BitXor: "__bitxor",
}  # fmt: skip
COMPARE: dict[type[ast.cmpop], str] = {
    ast.Eq: "__eq", ast.NotEq: "__ne", ast.Lt: "__lt", ast.LtE: "__le", ast.Gt: "__gt", ast.GtE: "__ge",
}  # fmt: skip


class ExpressionCompiler(CallCompiler):
    def truth(self, node: ast.expr) -> Node:
        """An expression of which only the truth matters; `and`, `or` and `not` become conditions."""
        if isinstance(node, ast.BoolOp):
            name = "__and" if isinstance(node.op, ast.And) else "__or"
            return Call(name, tuple(self.truth(v) for v in node.values), self.place(node))
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return self._UnaryOp(node)
        return self.expression(node)

    def _Constant(self, node: ast.Constant) -> Node:
        return self.constant(node, node.value)

    def _Name(self, node: ast.Name) -> Node:
        name = self.scope.find(node.id)
        if name is not None:
            return Name(name, self.place(node))
        return self.constant(node, self.resolve(node), node.id)

    def _Attribute(self, node: ast.Attribute) -> Node:
        meaning = self.resolve(node)
        if meaning is not MISSING:
            return self.constant(node, meaning, node.attr)
        if node.attr in ATTRIBUTES:
            return Call(ATTRIBUTES[node.attr], (self.expression(node.value),), self.place(node), "method")
        hint = (
            f"; call it: .{node.attr}()" if node.attr in METHODS else f"; supported: {', '.join(ATTRIBUTES)}"
        )
        self.source.unsupported(node, f"attribute .{node.attr} is not supported{hint}")

    # --- operators ----------------------------------------------------------------------------------------------
    def _BinOp(self, node: ast.BinOp) -> Node:
        return self.binary(node, node.op, self.expression(node.left), self.expression(node.right))

    def binary(self, node: ast.AST, operator: ast.operator, left: Node, right: Node) -> Node:
        name = BINARY.get(type(operator))
        if name is None:
            self.source.unsupported(
                node, "bit shifts are not supported: multiply or divide by a power of two"
            )
        return call(self.known(node, name), left, right, place=self.place(node))

    def _UnaryOp(self, node: ast.UnaryOp) -> Node:
        operand = node.operand
        if isinstance(node.op, ast.Not):
            inner = self.truth(operand)
            if self.is_boolean(inner):
                return call("__not", inner, place=self.place(node))
            return call("if", inner, FALSE, TRUE, place=self.place(node))
        inner = self.expression(operand)
        if isinstance(node.op, ast.USub):
            if (
                isinstance(inner, Literal)
                and isinstance(operand, ast.Constant)
                and not isinstance(operand.value, bool)
            ):
                return Literal("-" + inner.text)
            return call("__minus", inner, place=self.place(node))
        if isinstance(node.op, ast.Invert):
            return call(self.known(node, "__invert"), inner, place=self.place(node))
        return call("__plus", inner, place=self.place(node))

    def is_boolean(self, node: Node) -> bool:
        if isinstance(node, Literal):
            return node in (TRUE, FALSE)
        if isinstance(node, Call) and node.name == "if":
            return all(self.is_boolean(branch) for branch in node.args[1:])
        return isinstance(node, Call) and node.name in TRUE_RESULTS

    def _BoolOp(self, node: ast.BoolOp) -> Node:
        """`a and b` is if(a, b, a), evaluating a once: the right side only runs when it must."""
        values = [self.expression(v) for v in node.values]
        result = values[-1]
        for value in reversed(values[:-1]):
            t = self.temporaries()
            boolean = self.is_boolean(value)
            left = value if boolean else t.simple(value)
            if isinstance(node.op, ast.And):
                result = t.finish(
                    call("if", left, result, FALSE if boolean else left, place=self.place(node))
                )
            else:
                result = t.finish(call("if", left, TRUE if boolean else left, result, place=self.place(node)))
        return result

    def _Compare(self, node: ast.Compare) -> Node:
        if len(node.ops) == 1:
            return self._comparison(node, node.ops[0], node.left, node.comparators[0])
        t = self.temporaries()  # a < b < c: b is evaluated once, c only when a < b
        values = [t.simple(self.expression(v)) for v in (node.left, *node.comparators[:-1])]
        last = self.expression(node.comparators[-1])
        result: Node | None = None
        for i in reversed(range(len(node.ops))):
            right = last if i == len(node.ops) - 1 else values[i + 1]
            name = COMPARE.get(type(node.ops[i]))
            if name is None:
                self.source.unsupported(node, "only == != < <= > >= can be chained")
            here = call(name, values[i], right, place=self.place(node))
            result = here if result is None else call("if", here, result, FALSE, place=self.place(node))
        assert result is not None
        return t.finish(result)

    def _comparison(self, node: ast.Compare, operator: ast.cmpop, left: ast.expr, right: ast.expr) -> Node:
        if isinstance(operator, ast.Eq | ast.NotEq):
            for side in (left, right):
                if isinstance(side, ast.Constant) and side.value is None:
                    self.source.unsupported(
                        node, "an array would compare its elements with None: write `is None`"
                    )
        if type(operator) in COMPARE:
            return call(
                COMPARE[type(operator)], self.expression(left), self.expression(right), place=self.place(node)
            )
        if isinstance(operator, ast.Is | ast.IsNot):
            if not (isinstance(right, ast.Constant) and right.value is None):
                self.source.unsupported(node, "`is` compares only with None: use == for values")
            found = call("__is_none", self.expression(left), place=self.place(node))
        else:
            found = call("__contains", self.expression(right), self.expression(left), place=self.place(node))
        negated = isinstance(operator, ast.IsNot | ast.NotIn)
        return call("__not", found, place=self.place(node)) if negated else found

    def _IfExp(self, node: ast.IfExp) -> Node:
        return call(
            "if",
            self.truth(node.test),
            self.expression(node.body),
            self.expression(node.orelse),
            place=self.place(node),
        )

    # --- containers ---------------------------------------------------------------------------------------------
    def _Tuple(self, node: ast.Tuple | ast.List) -> Node:
        for element in node.elts:
            if isinstance(element, ast.Starred):
                self.source.unsupported(element, "unpacking with * is not supported: write the items out")
        # A list without items would be a constant of the program, which is shared by all runs.
        kind = "tuple" if isinstance(node, ast.Tuple) else "list" if node.elts else "make_list"
        return Call(kind, tuple(self.expression(e) for e in node.elts), self.place(node))

    _List = _Tuple

    def _Dict(self, node: ast.Dict) -> Node:
        pairs = []
        for key, value in zip(node.keys, node.values, strict=True):
            if key is None:
                self.source.unsupported(value, "unpacking with ** is not supported: write the entries out")
            pairs.append(call("list", self.expression(key), self.expression(value)))
        return call("dict", Call("list", tuple(pairs)), place=self.place(node))

    def _ListComp(self, node: ast.ListComp) -> Node:
        return self._comprehension(node, lambda inner: inner.expression(node.elt))

    def _GeneratorExp(self, node: ast.GeneratorExp) -> Node:
        self.source.unsupported(
            node, "a generator that is not used at once is not supported: write a list [...]"
        )

    def _DictComp(self, node: ast.DictComp) -> Node:
        pairs = self._comprehension(
            node, lambda c: call("list", c.expression(node.key), c.expression(node.value))
        )
        return call("dict", pairs, place=self.place(node))

    def _comprehension(self, node: ast.ListComp | ast.DictComp, element: Any) -> Node:
        if len(node.generators) != 1:
            self.source.unsupported(
                node, "a comprehension with several `for` is not supported: nest two comprehensions"
            )
        generator = node.generators[0]
        columns = self.columns(generator.iter)
        names = [n.id for n in target_names(generator.target)]
        if generator.ifs:
            condition = self._over(generator.target, names, len(columns), self._all_of(generator.ifs))
            if len(columns) > 1:  # filter takes one sequence: of rows
                columns = [call("fmap", self._row(len(columns)), *columns, place=self.place(node))]
                condition = self._over(generator.target, names, 1, self._all_of(generator.ifs))
            columns = [call("filter", condition, *columns, place=self.place(node))]
        return Call(
            "fmap", (self._over(generator.target, names, len(columns), element), *columns), self.place(node)
        )

    def _all_of(self, conditions: list[ast.expr]) -> Any:
        test = (
            conditions[0]
            if len(conditions) == 1
            else ast.copy_location(ast.BoolOp(ast.And(), conditions), conditions[0])
        )
        return lambda inner: call("if", inner.truth(test), TRUE, FALSE)

    def _row(self, width: int) -> Node:
        names = [Literal(f"_t_x{i}") for i in range(width)]
        return call("lambda", *names, Call("tuple", tuple(names)))

    def _over(self, target: ast.expr, names: list[str], columns: int, body: Any) -> Node:
        """lambda(targets, body) for one row of `columns` sequences."""
        inner = self.inner(names)
        targets = [target] if columns == 1 else target.elts if isinstance(target, ast.Tuple) else None
        if targets is None or len(targets) != columns:
            self.source.unsupported(target, f"this needs {columns} names to unpack into")
        params: list[Node] = []
        stores: list[Node] = []
        for i, part in enumerate(targets):
            if isinstance(part, ast.Name):
                params.append(Name(inner.scope.names[part.id], self.place(part)))
            else:
                params.append(Literal(f"_t_p{i}"))
                stores += inner.unpack(part, params[-1], define=True)
        result = body(inner)
        temporaries = [call("define", Name(t), NIL) for t in inner.scope.temporaries]
        return call("lambda", *params, block([*temporaries, *stores, result]), place=self.place(target))

    def unpack(self, target: ast.expr, value: Node, define: bool) -> list[Node]:
        """Statements that bind the names of a tuple target to the items of `value`, checking their number."""
        if not isinstance(target, ast.Tuple | ast.List):
            self.source.unsupported(target, "only names and tuples of names can be bound here")
        if any(isinstance(e, ast.Starred) for e in target.elts):
            self.source.unsupported(target, "unpacking with * is not supported: use slices")
        result: list[Node] = [
            call("__expect_items", value, Literal(str(len(target.elts))), place=self.place(target))
        ]
        for i, element in enumerate(target.elts):
            item = call("slice", value, Literal(str(i)), place=self.place(element))
            if isinstance(element, ast.Name):
                name = Name(
                    self.scope.names.get(element.id) or self.scope.find(element.id) or element.id,
                    self.place(element),
                )
                result.append(call("define" if define else "store", name, item, place=self.place(element)))
            elif define:
                self.source.unsupported(
                    element, "nested unpacking is not supported here: unpack in a second step"
                )
            else:
                inner = Name(self.scope.temporary())
                result.append(call("store", inner, item, place=self.place(element)))
                result += self.unpack(element, inner, define)
        return result

    def columns(self, node: ast.expr) -> list[Node]:
        """The sequences behind an iterable: several for zip. One sequence in zip gives tuples of one."""
        if isinstance(node, ast.Call) and self.resolve(node.func) is zip and not node.keywords:
            items = [self._plain(a) for a in node.args]
            if len(items) > 1:
                return items
        return [self.sequence(node)]

    def sequence(self, node: ast.expr) -> Node:
        """What a loop steps through."""
        if isinstance(node, ast.Call) and not node.keywords:
            callee = self.resolve(node.func)
            if callee in (zip, enumerate) and node.args:
                return Call(callee.__name__, tuple(self._plain(a) for a in node.args), self.place(node))
            if isinstance(node.func, ast.Attribute) and node.func.attr == "keys" and not node.args:
                return call("dict_keys", self.expression(node.func.value), place=self.place(node))
            if callee is reversed and len(node.args) == 1:
                backwards = call("list", NIL, NIL, Literal("-1"))
                return call("slice", self.expression(node.args[0]), backwards, place=self.place(node))
        return self.expression(node)

    def inner(self, names: list[str]) -> ExpressionCompiler:
        """For the body of a lambda or comprehension that binds `names`."""
        compiler = ExpressionCompiler(self.source, self.unit, Scope(names, self.scope, self.unit.names))
        compiler.scalars = self.scalars - set(names)
        return compiler

    def _Lambda(self, node: ast.Lambda) -> Node:
        return self.closure(node, node.args, lambda inner: inner.expression(node.body))

    def closure(self, node: ast.AST, args: ast.arguments, body: Any) -> Node:
        self.source.refuse_packed(args)
        if args.defaults or any(args.kw_defaults):
            self.source.unsupported(
                node, "default values of nested functions are not supported: pass the argument"
            )
        names = [a.arg for a in parameters(args)]
        inner = self.inner(names)
        result = body(inner)
        temporaries = [call("define", Name(t), NIL) for t in inner.scope.temporaries]
        params = [Name(inner.scope.names[a.arg], self.place(a)) for a in parameters(args)]
        return call("lambda", *params, block([*temporaries, result]), place=self.place(node))
