"""What every function gives shares memory with its argument where NumPy's result does, or a change is refused."""

import itertools
import random
import re

import numpy as np
from source_text import function_of_text

import treadle as td

BASES = (
    "x * 1", "(x * 1).T", "(x * 1)[:, ::-1]", "(x * 2)[::1]", "np.zeros((6, 4))[::2]", "np.asarray(np.copy(x.T).T)",
    "(x.T + 1).T", "x.T + 1",
)  # fmt: skip
VIEWS = (
    "np.reshape(a, (2, 6))", "a.reshape(-1)", "a.reshape(12, 1)", "np.transpose(a)", "a.T", "np.ravel(a)", "a.ravel()",
    "np.squeeze(a)", "np.expand_dims(a, 0)", "np.expand_dims(a, 2)", "np.swapaxes(a, 0, 1)", "np.asarray(a)",
    "np.broadcast_to(a, (2,) + a.shape)", "np.flip(a)", "np.flip(a, 1)", "np.real(a)", "np.diag(a)", "np.float64(a)",
    "a[0]", "a[:, 1]", "a[::2]", "a[1:, 1:]", "a[..., 1]", "a[None]", "a[:, None]", "a[0][None]", "a[-1:]", "a[0, ::2]",
    "a.squeeze()", "a.swapaxes(0, 1)", "[r for r in a][0]", "[a][0]", "(a,)[0]", "{'k': a}['k']", "list(a)[1]",
    "tuple(a)[1]", "(a if a[0, 0] < 99 else a + 1)", "(len(a) and a)",
)  # fmt: skip
COPIES = (
    "a.flatten()", "np.array(a)", "np.copy(a)", "a.copy()", "a.astype(float)", "a.astype(int)", "np.conj(a)",
    "np.round(a)", "np.clip(a, 0, 5)", "np.sort(a)", "np.sort(a, axis=None)", "np.unique(a)", "np.repeat(a, 1, 0)",
    "np.tile(a, 1)", "np.take(a, 1, 0)", "np.take(a, [0], 0)", "np.hstack([a])", "np.vstack([a])",
    "np.concatenate([a])", "np.stack([a])[0]", "np.where(True, a, a)", "np.sum(a, axis=0)", "np.cumsum(a, 0)",
    "np.max(a, axis=0, keepdims=True)", "np.abs(a)", "+a", "-a", "a + 0", "a ** 1", "np.maximum(a, a)", "a[[0, 1]]",
    "a[a > 3]", "a[:, [0, 1]]", "a @ np.identity(a.shape[1])", "np.outer(a, a)", "np.full_like(a, 2.0)", "a.round()",
    "np.column_stack([a])", "np.dstack([a])", "a.repeat(1)", "a.take([0, 1])", "a.clip(0)", "[a, a + 1][1]",
    "np.floor(a)", "np.trunc(a)", "np.square(a)", "np.mean(a, axis=1)", "np.nonzero(a)[0]",
)  # fmt: skip
CHANGES = ("a[0, 0] = 77", "a += 1", "b[b.shape[0] - 1] = 55", "b += 3", "a[:] = 4", "b[:] = 9")


def outcome(function):
    """What a call gives, or None."""
    try:
        return function(np.arange(12.0).reshape(3, 4))
    except (td.Error, TypeError, ValueError, IndexError):
        return None


def compare_with_numpy(number, *lines):
    """Whether Treadle gives a value where Python does."""
    text = "def f(x):\n" + "".join(f"    {line}\n" for line in lines)
    function = function_of_text(text, f"sharing {number}")
    expected = outcome(function)
    with td.config(policy="always-inline"):
        found = outcome(td.jit(function))
    if found is None:
        return expected is None
    assert expected is not None, text
    for a, e in zip(found, expected, strict=True):
        np.testing.assert_array_equal(a, e, err_msg=text)
    return True


def test_results_share_what_numpys_share():
    programs = list(itertools.product(BASES, VIEWS + COPIES, CHANGES))
    for number, (base, expression, change) in enumerate(random.Random(1).sample(programs, 400)):
        given = compare_with_numpy(number, f"a = {base}", f"b = {expression}", change, "return a, b")
        assert given or expression not in COPIES


def test_views_of_views_share_what_numpys_share():
    of_c = [re.sub(r"\ba\b", "c", view) for view in VIEWS]
    changes = (
        *CHANGES,
        "c[:] = 5",
        "c += 2",
        "a = a * 1.0; b += 3",
        "a = c = 0; b[:] = 3",
        "c = 0; b += 3; a += 5",
    )
    programs = list(itertools.product(BASES, VIEWS, of_c, changes))
    for number, (base, view, second, change) in enumerate(random.Random(2).sample(programs, 600)):
        compare_with_numpy(number, f"a = {base}", f"c = {view}", f"b = {second}", change, "return a, b, c")
