"""Calls: of functions and methods that have a meaning here, and of the user's own functions."""

from __future__ import annotations

import ast
import difflib
import inspect
from types import FunctionType
from typing import Any

import numpy as np

from .emitters import of_object
from .functions import ADVICE, FUNCTIONS, METHODS, find
from .nodes import Call, Name, Node
from .signatures import Arguments, Specification, element_type
from .source import MISSING, Source, is_user_function, plain
from .subscripts import SubscriptCompiler

CONSUMERS = (min, max, sum, any, all, list, tuple)  # use up a generator at once


class CallCompiler(SubscriptCompiler):
    def _Call(self, node: ast.Call) -> Node:
        callee = self.resolve(node.func)
        if callee is not MISSING:
            return self._call_known(node, callee)
        if isinstance(node.func, ast.Attribute):
            return self._call_method(node, node.func)
        for keyword in node.keywords:
            self.source.unsupported(
                keyword.value, "a local function is called with positional arguments only"
            )
        arguments = tuple(self._plain(a) for a in node.args)
        if isinstance(node.func, ast.Name):
            return Call(self.scope.find(node.func.id) or node.func.id, arguments, self.place(node))
        t = self.temporaries()
        function = t.simple(self.expression(node.func))
        assert isinstance(function, Name)
        return t.finish(Call(function.name, arguments, self.place(node)))

    def _plain(self, node: ast.expr) -> Node:
        if isinstance(node, ast.Starred):
            self.source.unsupported(
                node, "argument unpacking with * is not supported: write the arguments out"
            )
        return self.expression(node)

    def _call_known(self, node: ast.Call, callee: Any) -> Node:
        spec = find(callee)
        if spec is not None:
            if spec.variadic and not node.args and callee is not print:
                self.source.unsupported(node, f"{spec.name} without arguments")
            return self._emitted(node, spec, callee in CONSUMERS)
        if is_user_function(callee):
            return self._call_user(node, callee)
        shown = ast.unparse(node.func)
        module = (getattr(callee, "__module__", None) or "").partition(".")[0]
        name = getattr(callee, "__name__", shown)
        if module == "math" and hasattr(np, name):
            self.source.unsupported(node, f"{shown} is not supported: use np.{name}")
        advice = ADVICE.get(name) if module == "numpy" else None
        self.source.unsupported(
            node, f"{shown} is not supported" + (f": {advice}" if advice else self._similar(shown))
        )

    def _similar(self, shown: str) -> str:
        known = [s.name for s in FUNCTIONS.values()]
        close = difflib.get_close_matches("np." + shown.rpartition(".")[2], known, 2, 0.6)
        return (
            f"; did you mean {' or '.join(close)}?"
            if close
            else ": compute it outside and pass the result in"
        )

    def _call_user(self, node: ast.Call, callee: Any) -> Node:
        name = self.function(callee)
        function: FunctionType = plain(callee)
        signature = inspect.signature(function)
        try:
            bound = signature.bind(*node.args, **{str(k.arg): k.value for k in node.keywords})
        except TypeError as error:
            self.source.unsupported(node, f"{function.__name__}: {error}")
        arguments = []
        for parameter in signature.parameters.values():
            if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
                Source(function).refuse_packed()
            if parameter.name in bound.arguments:
                arguments.append(self._plain(bound.arguments[parameter.name]))
            else:
                arguments.append(self.constant(node, parameter.default, parameter.name))
        return Call(name, tuple(arguments), self.place(node))

    def _call_method(self, node: ast.Call, function: ast.Attribute) -> Node:
        method = function.attr
        value = self.expression(function.value)
        if method in ("reshape", "transpose") and node.args:
            for keyword in node.keywords:
                self.source.unsupported(
                    keyword.value, f".{method}: argument '{keyword.arg}' is not supported"
                )
            many = len(node.args) > 1 or isinstance(node.args[0], ast.Constant)
            shape = (
                Call("list", tuple(self._plain(a) for a in node.args))
                if many
                else self.expression(node.args[0])
            )
            primitive = "__reshape" if method == "reshape" else method
            return Call(primitive, (value, shape), self.place(node), "method")
        if method == "transpose":
            return Call("transpose", (value,), self.place(node), "method")
        if method == "append":
            self.source.unsupported(node, "append is a statement of its own: it returns nothing")
        if method == "keys":
            self.source.unsupported(
                node, "keys() shows later changes of the dict: write list(d), or `for k in d.keys()`"
            )
        spec = METHODS.get(method)
        if spec is None:
            known = ", ".join(sorted([*METHODS, "reshape", "transpose", "append"]))
            self.source.unsupported(node, f"method .{method}() is not supported; supported: {known}")
        return self._emitted(node, spec, False, value)

    def consumed(self, node: ast.expr) -> Node:
        """An argument of a function that uses up a generator at once."""
        if isinstance(node, ast.GeneratorExp):
            node = ast.copy_location(ast.ListComp(node.elt, node.generators), node)
        return self.expression(node)

    def _emitted(
        self, node: ast.Call, spec: Specification, consumes: bool, value: Node | None = None
    ) -> Node:
        """What a call becomes; `value` is the object of a method."""
        written = spec.bind(self.source, node, method=value is not None)
        nodes = {} if value is None else {spec.parameters[0][0]: value}
        dtype = None
        for name, argument in written.items():
            if name == "dtype":
                dtype = element_type(self.source, argument, self.resolve)
            else:
                nodes[name] = self.consumed(argument) if consumes else self.expression(argument)
        rest = [self.consumed(a) if consumes else self.expression(a) for a in node.args if spec.variadic]
        result = spec.emit(
            Arguments(
                self.source, node, self.place(node), self.temporaries, nodes, tuple(rest), written, dtype
            )
        )
        if isinstance(result, Call):
            self.known(node, result.name)
        return result if value is None else of_object(result, value)
