"""Operators, conditions, displays of containers, and functions without a name."""

from __future__ import annotations

import ast
from typing import Any

from .calls import CallCompiler
from .functions import ATTRIBUTES, METHODS, TRUE_RESULTS
from .nodes import FALSE, NIL, TRUE, Call, Literal, Name, Node, block, call, number
from .scope import default_values, parameters
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
    def _Constant(self, node: ast.Constant) -> Node:
        return self.constant(node, node.value)

    def _Name(self, node: ast.Name) -> Node:
        name = self.scope.find(node.id)
        if name is not None:
            signature = self.scope.signature(node.id)
            if signature and signature.kwonlyargs:
                self.source.unsupported(
                    node, f"'{node.id}' has keyword-only parameters, so it can only be called, by its name"
                )
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
        match node:
            case ast.UnaryOp(ast.USub(), ast.Constant(int(value))) if value == 2**63:
                return number(-value)
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
            return self._comparison(node)
        if any(type(operator) not in COMPARE for operator in node.ops):
            self.source.unsupported(node, "only == != < <= > >= can be chained")
        self._refuse_none(node)
        return self._chain(node, self.expression(node.left), 0)

    def _chain(self, node: ast.Compare, left: Node, at: int) -> Node:
        """a < b < c is `a < b and b < c`: b is evaluated once, c only when a < b."""
        name, right = COMPARE[type(node.ops[at])], self.expression(node.comparators[at])
        if at + 1 == len(node.ops):
            return call(name, left, right, place=self.place(node))
        t = self.temporaries()
        left, right = t.simple(left), t.simple(right)
        here = t.simple(call(name, left, right, place=self.place(node)))
        return t.finish(call("if", here, self._chain(node, right, at + 1), here, place=self.place(node)))

    def _refuse_none(self, node: ast.Compare) -> None:
        if any(
            isinstance(side, ast.Constant) and side.value is None for side in (node.left, *node.comparators)
        ):
            self.source.unsupported(node, "an array would compare its elements with None: write `is None`")

    def _comparison(self, node: ast.Compare) -> Node:
        operator, right = node.ops[0], node.comparators[0]
        if isinstance(operator, ast.Is | ast.IsNot):
            if not (isinstance(right, ast.Constant) and right.value is None):
                self.source.unsupported(node, "`is` compares only with None: use == for values")
            found: Node = call("__is_none", self.expression(node.left), place=self.place(node))
        elif isinstance(operator, ast.In | ast.NotIn):
            t = self.temporaries()
            item, container = t.in_order(self.expression(node.left), self.expression(right))
            found = t.finish(call("__contains", container, item, place=self.place(node)))
        else:
            if isinstance(operator, ast.Eq | ast.NotEq):
                self._refuse_none(node)
            values = self.expression(node.left), self.expression(right)
            return call(COMPARE[type(operator)], *values, place=self.place(node))
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

    def _Lambda(self, node: ast.Lambda) -> Node:
        return self.closure(node, node.args, lambda inner: inner.expression(node.body))

    def closure(self, node: ast.Lambda, args: ast.arguments, body: Any) -> Node:
        self.source.refuse_packed(args)
        names = [a.arg for a in parameters(args)]
        inner = self.inner(names)
        result = body(inner)
        temporaries = [call("define", Name(t), NIL) for t in inner.scope.temporaries]
        params = [Name(inner.scope.names[a.arg], self.place(a)) for a in parameters(args)]
        return self.function_value(node, args, params, block([*temporaries, result]))

    def function_value(
        self, node: ast.Lambda | ast.FunctionDef, args: ast.arguments, params: list[Name], body: Node
    ) -> Call:
        """A function, which keeps the default values as they are now."""
        if args.kwonlyargs and args not in self.scope.functions.values():
            self.source.unsupported(
                node, "a function with keyword-only parameters needs a name that is bound once"
            )
        given = {name: self.expression(value) for name, value in default_values(args).items()}
        kept = {name: Name(f"_t_default{i}") for i, name in enumerate(given)}
        accepted: list[Node] = []
        for argument, param in zip(parameters(args), params, strict=True):
            default = given.get(argument.arg)
            value = default if isinstance(default, Literal) else kept.get(argument.arg)
            accepted.append(call("__arg", param, value) if value else param)
        function = Call("lambda", (*accepted, body), self.place(node))
        held = [name for name in given if not isinstance(given[name], Literal)]
        if not held:
            return function
        maker = Call("lambda", (*(kept[name] for name in held), function), self.place(node))
        values = Call("list", tuple(given[name] for name in held))
        return call("apply", maker, values, place=self.place(node))
