"""Every operator, index, method and function that takes a value, and every kind of value for it to take."""

import math
from types import FunctionType

import numpy as np
from source_text import function_of_text


def operands():
    """Fresh values, by what they are."""
    return {
        "0": 0, "3": 3, "-2": -2, "2**53 + 1": 2**53 + 1, "2**63 - 1": 2**63 - 1,
        "0.0": 0.0, "-0.0": -0.0, "2.5": 2.5, "-8.0": -8.0, "2.0**53": 2.0**53, "inf": math.inf, "nan": math.nan,
        "True": True, "False": False, "None": None, "text beyond ASCII": "héé", "text": "abc", "no text": "",
        "np.int64": np.int64(3), "np.int64(0)": np.int64(0), "np.float64": np.float64(2.5),
        "np.float64(0)": np.float64(0.0), "np.True_": np.True_, "np.False_": np.False_,
        "integer without axes": np.array(3), "float without axes": np.array(2.5), "truth without axes": np.array(True),
        "one float": np.array([2.0]), "one integer": np.array([1]), "one truth": np.array([True]),
        "no floats": np.array([]), "no integers": np.zeros(0, dtype=int), "2 x 0": np.zeros((2, 0)),
        "integers": np.array([1, 0, 2]), "floats": np.array([1.5, -0.0, 2.0]), "truths": np.array([True, False, True]),
        "matrix": np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]), "row": np.array([[1, 2, 3]]),
        "list": [1, 2, 0], "list of floats": [1.0, 2, 0.0], "lists": [[1, 2, 3], [4, 5, 6]], "[]": [],
        "tuple": (1, 2, 0), "()": (), "(1,)": (1,), "list of text": ["a", "abc"],
        "list with an array": [np.array([1.0, 2.0]), 1], "list of NumPy's": [np.float64(1.5), 2], "range": range(3),
        "dict": {"a": 1, 2: [3]}, "equal dict": {"a": 1.0, 2.0: [3.0]}, "dict of a tuple": {(1, 2): 3},
    }  # fmt: skip


ONE = """
-a | +a | ~a | not a | abs(a) | len(a) | int(a) | float(a) | bool(a) | round(a) | sum(a) | min(a) | max(a) | any(a)
all(a) | list(a) | tuple(a) | sorted(a) | range(a) | a.copy() | a.sum() | a.mean() | a.max() | a.T | a.shape | a.size
a.ndim | a.item() | a.astype(int) | a.astype(float) | a.astype(bool) | a.ravel() | a.flatten() | a.squeeze() | a.any()
a.argmax() | a.cumsum() | a.transpose() | a.round() | a.nonzero() | a.trace() | np.abs(a) | np.sqrt(a) | np.exp(a)
np.floor(a) | np.rint(a) | np.isnan(a) | np.sign(a) | np.square(a) | np.logical_not(a) | np.negative(a) | np.sum(a)
np.prod(a) | np.mean(a) | np.std(a) | np.max(a) | np.any(a) | np.all(a) | np.argmin(a) | np.cumsum(a) | np.cumprod(a)
np.sort(a) | np.argsort(a) | np.unique(a) | np.flip(a) | np.copy(a) | np.array(a) | np.asarray(a) | np.zeros(a)
np.ones_like(a) | np.shape(a) | np.size(a) | np.ndim(a) | np.count_nonzero(a) | np.nonzero(a) | np.where(a)
np.transpose(a) | np.ravel(a) | np.squeeze(a) | np.diag(a) | np.trace(a) | np.eye(a) | np.identity(a) | np.arange(a)
np.linalg.norm(a) | np.linalg.det(a) | np.linalg.inv(a) | np.float64(a) | np.int64(a) | np.bool_(a) | np.round(a)
np.real(a) | np.imag(a) | np.hstack(a) | np.vstack(a) | np.stack(a) | np.concatenate(a) | np.bincount(a)
np.outer(a, a) | a[0] | a[-1] | a[1:] | a[::-1] | a[0, 1] | a[None] | a[...] | a[:, 0] | a[[0]] | a[[True]] | a['a']
a[True] | [v for v in a] | [v + 1 for v in a] | (a, a) | {'k': a} | a is None | a is not None | [a, 1] == [a, 1]
a * 2 - a | a == a | a in (1, 2.5) | a in [a] | 1 in a | [i for i, v in enumerate(a)]
"""
TWO = """
a + b | a - b | a * b | a / b | a // b | a % b | a ** b | a @ b | a & b | a | b | a ^ b | a == b | a != b | a < b
a <= b | a > b | a >= b | a in b | a not in b | a and b | a or b | a[b] | min(a, b) | max(a, b) | pow(a, b)
sum(a, b) | a if b else 0 | {a: b} | [a, b] | (a, b)[0] | [a] * b | (a,) + b | [a, b][a] | b is None or a
np.add(a, b) | np.subtract(a, b) | np.multiply(a, b) | np.true_divide(a, b) | np.floor_divide(a, b)
np.remainder(a, b) | np.power(a, b) | np.maximum(a, b) | np.minimum(a, b) | np.equal(a, b) | np.less(a, b)
np.logical_and(a, b) | np.logical_xor(a, b) | np.dot(a, b) | np.outer(a, b) | np.where(a, b, b) | np.clip(a, b, 2)
np.take(a, b) | np.repeat(a, b) | np.tile(a, b) | np.sum(a, b) | np.max(a, b) | np.argmax(a, b) | np.cumsum(a, b)
np.round(a, b) | np.concatenate((a, b)) | np.stack([a, b]) | np.array([a, b]) | np.full(a, b) | np.array_equal(a, b)
np.allclose(a, b) | np.sort(a, b) | np.flip(a, b) | np.expand_dims(a, b) | np.reshape(a, b) | np.squeeze(a, b)
np.transpose(a, b) | np.broadcast_to(a, b) | np.linspace(a, b, 3) | np.arange(a, b) | np.full_like(a, b)
np.hstack((a, b)) | np.insert(a, 0, b) | np.diag(a, b) | np.trace(a, b) | a.sum(b) | a.reshape(b) | a.dot(b)
a.take(b) | a[b:] | a[:b] | a[::b] | a[b, 0] | a[0, b] | a[..., b] | a[b, :] | range(a, b) | (a, b) == (b, a)
[a] == [b] | a < b < 3 | sorted(a, reverse=b) | sorted([a, b]) | max((a, 1), (b, 2))
"""
CHANGES = """
a += b | a -= b | a *= b | a /= b | a //= b | a **= b | a %= b | a &= b | a |= b | a[0] = b | a[1:] = b | a[:] = b
a[b] = 7 | a[0] += b | a['a'] = b | a[0, 1] = b | a[b, 0] = 5 | a[:, 0] = b | a[a > 1] = b | a[b > 1] = 0
a.append(b) | a[1:2] = b | a, c = b
"""


def templates(table: str) -> list[str]:
    lines = table.replace("a | b | a ^", "a BAR b | a ^").replace("a |= b", "a BAR= b").strip().splitlines()
    return [t.replace("BAR", "|") for line in lines for t in line.split(" | ")]


def function_of(template: str) -> FunctionType:
    """The template as a function of a and b. A change is made to a copy, and shown together with what held the
    value."""
    if template in templates(ONE):
        source = f"def f(a):\n    return {template}\n"
    elif template in templates(TWO):
        source = f"def f(a, b):\n    return {template}\n"
    elif "[" in template or "append" in template:
        source = f"def f(a, b):\n    a = a.copy()\n    {template}\n    return a\n"
    else:
        source = f"def f(a, b):\n    t = (a, 1)\n    {template}\n    return a, t[0]\n"
    return function_of_text(source, template)
