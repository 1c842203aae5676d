"""Every NumPy function of the vocabulary on 10^5 elements: called in a loop by a compiled program, and by Python
itself."""

import argparse
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from statistics import median

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np  # noqa: E402
from stopwatch import timed  # noqa: E402

import treadle as td  # noqa: E402

random = np.random.default_rng(3)
N = 100_000
X = random.standard_normal(N)
P = random.random(N) + 0.5  # positive
U = random.random(N) * 1.8 - 0.9  # between -1 and 1
I = random.integers(-1000, 1000, N)  # noqa: E741
J = random.integers(1, 1000, N)
B = X > 0
A = X[:90_000].reshape(300, 300)
V = X[:300].copy()
S = A @ A.T + 300 * np.eye(300)
PLACES = random.integers(0, N, N)

# name: (program, the same for NumPy, arguments)
FUNCTIONS: dict[str, tuple[str, Callable, tuple]] = {}


def add(name, arguments, numpy=None, program=None, label=None):
    names = [f"x{i}" for i in range(len(arguments))]
    text = program or f"{name}({', '.join(names)})"
    FUNCTIONS[label or name.strip("_")] = text, numpy or getattr(np, name), arguments


for name in (
    "absolute square sign conj floor ceil trunc rint sin cos tan sinh cosh tanh exp exp2 expm1 cbrt arctan arcsinh radians"
    " degrees isnan isinf isfinite isneginf isposinf"
).split():
    add(name, (X,))
for name in "sqrt log log2 log10 log1p".split():
    add(name, (P,))
for name in "arcsin arccos arctanh".split():
    add(name, (U,))
add("arccosh", (P + 1,))
for name, operator in {"add": "+", "sub": "-", "mul": "*", "truediv": "/"}.items():
    add(f"__{name}", (X, P), eval(f"lambda a, b: a {operator} b"))
    add(f"__{name}", (X, 2.5), eval(f"lambda a, b: a {operator} b"), label=f"{name}-scalar")
for name, operator in {"add": "+", "sub": "-", "mul": "*", "floordiv": "//", "pymod": "%"}.items():
    add(f"__{name}", (I, J), eval(f"lambda a, b: a {operator} b"), label=f"{name}-int")
add("__floordiv", (X, P), lambda a, b: a // b)
add("__pymod", (X, P), lambda a, b: a % b)
add("__minus", (X,), lambda a: -a)
for name, operator in {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}.items():
    add(f"__{name}", (X, P), eval(f"lambda a, b: a {operator} b"))
for name in "maximum minimum".split():
    add(name, (X, P))
add("power", (P, U))
add("power", (P, 2), label="power-2")
add("power", (P, 0.5), label="power-half")
for name in "logical_and logical_or logical_xor".split():
    add(name, (B, ~B))
add("logical_not", (B,))
for name, operator in {"bitand": "&", "bitor": "|", "bitxor": "^"}.items():
    add(f"__{name}", (I, J), eval(f"lambda a, b: a {operator} b"))
add("__invert", (I,), lambda a: ~a)
add("where", (B, X, P))
add("nonzero", (B,))
add("round", (X,))
add("round", (X, 2), label="round-2")
add("clip", (X, -0.5, 0.5))
add("allclose", (X, X))
add("array_equal", (X, X))
for name in "sum prod amax amin mean var std cumsum cumprod argmax argmin all any count_nonzero".split():
    add(name, (P,))
for name in "sum amax mean std cumsum argmax".split():
    add(name, (A, 0), label=f"{name}-axis-0")
    add(name, (A, 1), label=f"{name}-axis-1")
add("sum", (I,), label="sum-int")
add("sum", (B,), label="sum-bool")
add("norm", (X,), np.linalg.norm)
add("norm", (X, 1), np.linalg.norm, label="norm-1")
add("norm", (A, np.inf), np.linalg.norm, label="norm-matrix")
add("sort", (X,))
add("sort", (I,), label="sort-int")
add("sort", (A, 0), label="sort-axis-0")
add("argsort", (X,))
add("unique", (I,))
add("bincount", (J,))
add("transpose", (A,), lambda a: a.T.copy(), "copy(transpose(x0))")
for name in "flatten ravel".split():
    add(name, (A, "F"), lambda a, order: a.flatten(order))
add("flip", (X,), lambda a: np.flip(a).copy(), "copy(flip(x0))")
add("astype", (X,), lambda a: a.astype(np.int64), 'astype(x0, "int")')
add("astype", (I,), lambda a: a.astype(float), 'astype(x0, "float")', "astype-float")
add("copy", (X,))
add("zeros", (N,))
add("ones", (N,))
add("full", (N, 2.5))
add("arange", (N,))
add("arange", (0.0, 1e5, 1.0), label="arange-float")
add("linspace", (0.0, 1.0, N))
add("eye", (300,))
add("diag", (V,))
add("indices", ((300, 300),))
add("concatenate", ([X, P],))
add("stack", ([X, P], 1))
add("hstack", ([X, P],))
add("vstack", ([X, P],))
add("column_stack", ([X, P],))
add("tile", (V, 300))
add("repeat", (V, 300))
add("insert", (X, 5, 1.0))
add("pad", (X, 3))
add("pad", (A, 3, "reflect"), label="pad-reflect")
add("take", (X, PLACES))
add("slice", (X, B), lambda a, b: a[b], label="mask")
add("slice", (X, PLACES), lambda a, b: a[b], label="gather")
add("slice", (A, B[:300]), lambda a, b: a[b], label="mask-rows")
add("dot", (X, P))
add("dot", (A, V), label="dot-vector")
add("__matmul", (A, A), lambda a, b: a @ b)
add("outer", (V, V))
add("tensordot", (A, A, 1))
add("trace", (A,))
add("inverse", (S,), np.linalg.inv)
add("determinant", (S,), np.linalg.det)
add("solve", (S, V), np.linalg.solve)


def compiled(text: str, count: int) -> td.physl.Program:
    names = [f"x{i}" for i in range(count)]
    loop = f"block(define(i, 0), define(r, nil), while(i < n, block(store(r, {text}), store(i, i + 1))), r)"
    return td.physl.load(f"lambda({', '.join([*names, 'n', loop])})")


def repeated(function: Callable, arguments: tuple, n: int):
    for _ in range(n):
        result = function(*arguments)
    return result


def agrees(name: str, answer, expected) -> bool:
    if isinstance(expected, tuple):
        return all(agrees(name, a, e) for a, e in zip(answer, expected, strict=True))
    return np.shape(answer) == np.shape(expected) and np.allclose(answer, expected, rtol=1e-9, equal_nan=True)


def calls_of(function: Callable, arguments: tuple) -> int:
    """How many calls take some milliseconds."""
    repeated(function, arguments, 3)
    seconds, *_ = timed(lambda: repeated(function, arguments, 3))
    return max(1, int(0.004 / (seconds / 3)))


def runner(text: str, function: Callable, arguments: tuple, n: int, is_compiled: bool) -> Callable:
    program = compiled(text, len(arguments))
    return (lambda: program(*arguments, n)) if is_compiled else (lambda: repeated(function, arguments, n))


def main(is_compiled: bool) -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=1)
    workers = parser.parse_args().workers
    np.seterr(all="ignore")
    with td.config(workers=workers):
        for name, (text, function, arguments) in FUNCTIONS.items():
            n = calls_of(function, arguments)
            run = runner(text, function, arguments, n, is_compiled)
            run()  # untimed
            found = [timed(run) for _ in range(3)]
            verified = not is_compiled or agrees(name, run(), function(*arguments))
            print(json.dumps({
                "workload": f"vocabulary_{name}", "value": median(seconds for seconds, _, _ in found) / n, "unit": "s",
                "verified": bool(verified), "operations": N, "faults": median(faults for _, faults, _ in found),
            }))  # fmt: skip
