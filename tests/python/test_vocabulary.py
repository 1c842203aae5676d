"""Every function of the vocabulary against NumPy and SciPy, with generated arguments: value, type and shape agree, or
both refuse. TREADLE_SEED and TREADLE_DRAWS replay and widen the search."""

import inspect
import os
import re
import warnings
import zlib

import numpy as np
import pytest
from conftest import ROOT
from vocabulary import CASES, FORMS, WITHOUT_TWIN, Case, Draw

import treadle as td
from treadle.transducer.functions import FUNCTIONS

SEED = int(os.environ.get("TREADLE_SEED", "0"))
DRAWS = int(os.environ.get("TREADLE_DRAWS", "60"))
KNOWN = (bool, np.int64, np.float64)
MOST_AXES = 4
programs = {}


def program(name, count, temporaries):
    """The function as a program; with temporaries, kernels may overwrite the arguments."""
    key = name, count, temporaries
    if key not in programs:
        names = [f"x{i}" for i in range(count)]
        given = [f"copy({n})" for n in names] if temporaries else names
        call = f"{name}({', '.join(given)})"
        text = f"lambda({', '.join([*names, call])})"
        programs[key] = td.physl.load(text)
    return programs[key]


def widened(x, kind):
    """Booleans as numbers: where NumPy computes with small types, PhySL has int64 and float64."""
    if isinstance(x, bool | np.bool_):
        return kind(x)
    if isinstance(x, np.ndarray) and x.dtype == bool:
        return x.astype(kind)
    if isinstance(x, list | tuple):
        return type(x)(widened(v, kind) for v in x)
    return x


def expected_of(case, arguments):
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        result = case.twin(*arguments)
        dtype = getattr(result, "dtype", None)
        if dtype is not None and dtype not in KNOWN and dtype.kind in "iuf":
            result = case.twin(*(widened(x, int if dtype.kind in "iu" else float) for x in arguments))
    if getattr(dtype, "kind", "f") in "cO":
        raise ValueError("PhySL has no such type")
    return result


def difference(actual, expected, case):
    """What is different, or nothing."""
    if isinstance(expected, list | tuple | dict):
        if type(actual) is not type(expected) or len(actual) != len(expected):
            return f"{actual!r} instead of {expected!r}"
        if isinstance(expected, dict):
            actual, expected = list(actual.items()), list(expected.items())
        return next(filter(None, (difference(a, e, case) for a, e in zip(actual, expected, strict=True))), "")
    if isinstance(expected, str):
        return "" if isinstance(actual, str) and actual == expected else f"{actual!r} instead of {expected!r}"
    a, e = np.asarray(actual), np.asarray(expected)
    if a.shape != e.shape:
        return f"shape {a.shape} instead of {e.shape}"
    if a.dtype != e.dtype:
        return f"{a.dtype} instead of {e.dtype}"
    if e.dtype != np.float64 or not case.ulps:
        equal = np.array_equal(a, e, equal_nan=e.dtype == np.float64) and (case.ulps is None or signs(a, e))
        return "" if equal else f"{a} instead of {e}"
    with np.errstate(all="ignore"):
        size = np.abs(e)
        if case.scaled and e.size:
            size = np.full(e.shape, max(size[np.isfinite(size)], default=0.0))
        near = (a == e) | (np.isnan(a) & np.isnan(e)) | (np.abs(a - e) <= case.ulps * np.spacing(size))
    return "" if near.all() else f"{a} instead of {e}"


def signs(a, e):
    return e.dtype != np.float64 or np.array_equal(np.signbit(a) & (a == 0), np.signbit(e) & (e == 0))


def compare(name, case: Case, arguments, temporaries):
    """The first disagreement of one call, as text; nothing when both agree."""
    try:
        expected, refused = expected_of(case, arguments), None
    except Exception as error:
        expected, refused = None, error
    copies = [np.copy(x) if isinstance(x, np.ndarray) else x for x in arguments]
    try:
        actual = program(name, len(arguments), temporaries)(*arguments)
    except td.PhyslError as error:
        if refused is not None or len(getattr(expected, "shape", ())) > MOST_AXES:
            return ""
        return f"refused ({error.args[0].splitlines()[0]}), expected {expected!r}"
    for given, copy in zip(arguments, copies, strict=True):
        if isinstance(copy, np.ndarray) and given.tobytes() != copy.tobytes():
            return "an argument was changed"
    if refused is not None:
        return f"gave {actual!r}, expected {type(refused).__name__}: {refused}"
    return difference(actual, expected, case)


def disagreements(name, draws, seed):
    for i, case in enumerate(CASES[name]):
        for k in range(draws):
            draw = Draw([seed, zlib.crc32(name.encode()), i, k])
            arguments = case.generate(draw)
            found = compare(name, case, arguments, temporaries=k % 2 == 1)
            if found:
                yield f"{name}{arguments!r}: {found}"


@pytest.mark.parametrize("name", sorted(CASES))
def test_agrees_with_numpy(name):
    with td.config(policy="always-inline"):
        found = list(disagreements(name, DRAWS, SEED))
    assert not found, f"{len(found)} disagreements, the first: {found[0]}"


def test_arguments_stand_in_numpys_order():
    """Positional arguments of a NumPy call mean what NumPy means by them."""
    for function, known in FUNCTIONS.items():
        if getattr(function, "__module__", None) != "numpy" or isinstance(function, type | np.ufunc):
            continue
        kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
        theirs = [p.name for p in inspect.signature(function).parameters.values() if p.kind in kinds]
        ours = [name for name, _ in known.parameters]
        if function is not np.arange:  # whose first parameter has another name, which cannot be used
            assert ours[: len(theirs)] == theirs[: len(ours)], known.name


def test_reference_names_everything():
    page = (ROOT / "docs/reference/physl.md").read_text()
    words = set(re.findall(r"\w+", page))
    composed = {n for n in td.physl.primitives() if re.fullmatch("c[ad]{2,4}r", n)}
    assert set(td.physl.primitives()) - composed - words == set()


def test_every_name_has_a_twin_or_a_reason():
    assert set(td.physl.primitives()) == set(CASES) | WITHOUT_TWIN | FORMS
