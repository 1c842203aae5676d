"""The decorator, settings, futures, profiles and errors."""

import asyncio
import concurrent.futures
import csv
import functools
import os
import re
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import treadle as td
from treadle.config import POLICIES


@td.jit
def distance(a, b, *, scale=1.0):
    """How far apart."""
    return np.sqrt(np.sum((a - b) ** 2)) * scale


@td.jit
def spin(n):
    s = 0
    for i in range(n):
        s = (s * 31 + i) % 1000003
    return s


@td.jit
def fail(x):
    y = x + 1
    return inner_fail(y)


def inner_fail(y):
    return y + np.ones(5)


WEIGHT = 3.0


@td.jit
def weighted(x):
    return x * WEIGHT


def test_decorated_functions_look_like_themselves():
    assert distance.__name__ == "distance" and distance.__doc__ == "How far apart."
    assert "distance(a, b, *, scale=1.0)" in repr(distance)


def test_arguments_bind_as_in_python():
    a, b = np.zeros(2), np.array([3.0, 4.0])
    assert distance(a, b) == 5.0
    assert distance(b=b, a=a, scale=2.0) == 10.0
    with pytest.raises(TypeError, match="distance: missing a required argument: 'b'"):
        distance(a)
    with pytest.raises(TypeError, match="unexpected keyword argument 'c'"):
        distance(a, b, c=1)


def test_options_are_checked():
    with pytest.raises(TypeError, match="no option 'polcy'; there are policy, name"):
        td.jit(polcy="always-inline")
    with pytest.raises(ValueError, match="no policy 'never'; there are adaptive, always-async"):
        td.jit(policy="never")
    with pytest.raises(TypeError, match="config\\(\\) has no setting 'worker'"), td.config(worker=2):
        pass
    with pytest.raises(ValueError, match="workers is a number"), td.config(workers=-1):
        pass
    with pytest.raises(TypeError, match="decorates functions, not type"):
        td.jit(dict)
    assert td.jit(policy="always-inline", name="other")(spin.__treadle_function__).__name__ == "other"


def test_decorating_compiles_nothing():
    @td.jit
    def bad(x):
        return x.unknown

    with pytest.raises(td.UnsupportedError):
        bad(1)


def test_module_values_are_taken_at_the_first_call():
    global WEIGHT
    assert weighted(2) == 6.0
    WEIGHT = 100.0
    assert weighted(2) == 6.0
    assert td.jit(weighted.__treadle_function__)(2) == 200.0
    WEIGHT = 3.0


def test_config_nests_and_disabled_is_plain_python():
    with td.config(policy="always-inline") as outer:
        with td.config(enabled=False):
            calls = []

            @td.jit
            def plain(x):
                calls.append(x)
                return np.einsum("i->", x)

            assert plain(np.ones(3)) == 3 and len(calls) == 1
        assert outer.policy == "always-inline" and outer.enabled


def test_workers_can_change():
    for workers in (1, 3, 2):
        with td.config(workers=workers, policy="always-async"):
            assert spin(50) == spin.__treadle_function__(50)
            assert td.info()["runtime"]["workers"] == workers


def test_lowered_forms():
    low = distance.lower(np.zeros(2), np.zeros(2))
    line = distance.__treadle_function__.__code__.co_firstlineno + 3
    assert f"sqrt${line}$12(" in low.as_text("physl") and low.as_text() == low.as_text("physl")
    assert low.as_text("dot").startswith("graph ") and " -- " in low.as_text("dot")
    assert low.as_text("newick").rstrip().endswith(";")
    with pytest.raises(ValueError, match="physl, dot, newick"):
        low.as_text("svg")
    with pytest.raises(TypeError):
        distance.lower(1)


def test_submit_gives_a_future():
    futures = [spin.submit(n) for n in range(20)]
    assert [f.result(timeout=60) for f in futures] == [spin.__treadle_function__(n) for n in range(20)]
    assert all(isinstance(f, concurrent.futures.Future) and f.done() and not f.cancel() for f in futures)
    called = threading.Event()
    spin.submit(3).add_done_callback(lambda f: called.set())
    assert called.wait(60)
    failed = fail.submit(np.ones(2))
    assert isinstance(failed.exception(timeout=60), td.PhyslError)
    assert set(concurrent.futures.wait([spin.submit(5), failed], timeout=60).done) >= {failed}


def test_futures_can_be_awaited():
    async def both():
        return await asyncio.gather(spin.submit(10), spin.submit(20))

    assert asyncio.run(both()) == [spin.__treadle_function__(10), spin.__treadle_function__(20)]


def test_futures_can_be_cancelled_and_stopped():
    # The one worker is busy with the first run and, as that spawns nothing, does not change to the second.
    with td.config(workers=1, policy="always-inline"):
        first = spin.submit(10**12)
        waiting = spin.submit(5)
        assert waiting.cancel() and waiting.cancelled() and waiting.cancel()
        with pytest.raises(concurrent.futures.CancelledError):
            waiting.result(timeout=10)
        first.stop()
        with pytest.raises(td.PhyslError, match="cancel"):
            first.result(timeout=60)
        assert not first.cancel()


def test_calls_from_many_threads():
    results = {}

    def call(k):
        results[k] = spin(200 + k)

    threads = [threading.Thread(target=call, args=(k,)) for k in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert results == {k: spin.__treadle_function__(200 + k) for k in range(8)}


def test_errors_show_the_python_source():
    with pytest.raises(td.PhyslError) as caught:
        fail(np.ones(2))
    error = caught.value
    line = inner_fail.__code__.co_firstlineno + 1
    assert error.file == __file__ and error.line == line and error.column == 12
    assert "return y + np.ones(5)" in str(error) and "(2,)" in error.message and "(5,)" in error.message
    assert [entry[0] for entry in error.back_trace][:1] == ["inner_fail"]


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (np.ones(2, dtype=complex), "distance: argument 'a' is an array of complex128"),
        (np.array([object()]), "distance: argument 'a' is an array of object"),
        (np.array(["x"]), "distance: argument 'a' is an array of <U1"),
        (np.ones(2, dtype="u8"), "distance: argument 'a' is an array of uint64"),
        (object(), "distance: argument 'a' is of type object"),
        (1 + 2j, "distance: argument 'a' is of type complex"),
        ({1, 2}, "distance: argument 'a' is of type set"),
        ([1, {2: object()}], r"distance: argument 'a'\[1\]\[2\] is of type object"),
        (np.ma.masked_array([1.0], [True]), "MaskedArray"),
        (np.datetime64("2020-01-01"), "argument 'a' is of type|argument 'a'"),
    ],
)
def test_wrong_types_are_named(value, message):
    with pytest.raises(TypeError, match=message):
        distance(value, 1.0)


def test_impossible_values_are_named():
    with pytest.raises(OverflowError, match="argument 'a' does not fit into 64 bits"):
        distance(2**80, 1)
    with pytest.raises(ValueError, match="argument 'a' has 5 dimensions; there are at most 4"):
        distance(np.ones((1,) * 5), 1)
    endless = []
    endless.append(endless)
    with pytest.raises(ValueError, match="nested too deeply"):
        distance(endless, 1)


def test_functions_cannot_be_results():
    @td.jit
    def closure(x):
        return lambda y: x + y

    with pytest.raises(TypeError, match="the result is a function"):
        closure(1)


def test_methods_are_refused():
    class Holder:
        @td.jit
        def method(self, x):
            return x

    with pytest.raises(TypeError, match="does not compile methods"):
        Holder().method(1)


def test_profile_counts_what_ran():
    with td.profile() as p:
        spin(100)
    with td.profile() as q:
        spin(10)
    counts = {r.primitive: r.count for r in q.key_averages(group_by="primitive")}
    assert counts["__pymod"] == 10
    assert {r.primitive: r.count for r in p.key_averages("primitive")}["__pymod"] == 100
    assert all(r.inlined + r.spawned == r.count for r in p.to_rows())
    assert all(r.inclusive_ns >= 0 and r.self_ns >= 0 for r in p.to_rows())
    lines = p.key_averages(group_by="line")
    busy = max(lines, key=lambda r: r.count)
    assert busy.file == __file__ and "for i in range(n)" in busy.source or "s * 31" in busy.source
    text = p.table(sort_by="count")
    assert "pymod" in text and "inclusive ms" in text
    with pytest.raises(ValueError, match="line, primitive|node, line"):
        p.key_averages(group_by="colour")


def test_profile_of_decisions(tmp_path):
    with td.config(policy="always-async"), td.profile(timeline=500) as p:
        spin(30)
    with td.config(policy="always-inline"), td.profile() as q:
        spin(30)
    assert sum(r.spawned for r in p.rows) > 0 and sum(r.spawned for r in q.rows) == 0
    assert 0 < len(p.slices) <= 500 and all(s.end_ns >= s.start_ns for s in p.slices)
    p.to_csv(tmp_path / "rows.csv")
    with open(tmp_path / "rows.csv") as file:
        assert len(list(csv.DictReader(file))) == len(p.rows)


def test_visualize_writes_every_form(tmp_path):
    spin(10)
    for name, start in (("t.html", "<!doctype html>"), ("t.dot", "graph "), ("t.newick", "(")):
        assert td.visualize(spin, tmp_path / name).read_text().startswith(start)
    with td.profile() as p:
        spin(10)
    page = td.visualize(p, tmp_path / "p.html").read_text()
    assert "s = (s * 31 + i) % 1000003" in page
    with pytest.raises(ValueError, match=".html, .dot, .newick"):
        td.visualize(spin, tmp_path / "t.svg")
    with pytest.raises(TypeError):
        td.visualize(3, tmp_path / "t.dot")


def test_printing_goes_to_pythons_stdout(capsys):
    @td.jit
    def talk(n):
        for i in range(n):
            print("line", i)
        return n

    talk(3)
    assert capsys.readouterr().out == "line 0\nline 1\nline 2\n"


def test_deep_recursion_does_not_overflow():
    @td.jit
    def depth(n):
        if n == 0:
            return 0
        return 1 + depth(n - 1)

    for policy in POLICIES:
        with td.config(policy=policy):
            assert depth(5000) == 5000
            with pytest.raises(td.PhyslError, match="deep"):
                depth(10**7)


def script(text, **environment):
    run = subprocess.run(
        [sys.executable, "-c", text],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, **environment},
    )
    return run.returncode, run.stdout, run.stderr


def test_environment_sets_defaults():
    text = "import treadle as td; print(td.info()['runtime']['workers'], td.info()['defaults']['policy'])"
    assert script(text, TREADLE_WORKERS="3", TREADLE_INLINING="always-inline")[1] == "3 always-inline\n"
    code, _, err = script(text, TREADLE_INLINING="sometimes")
    assert code == 1 and "no policy 'sometimes'" in err


FORKED = """
import os, sys, tempfile, importlib.util, pathlib
folder = tempfile.mkdtemp()
pathlib.Path(folder, "m.py").write_text("import treadle as td\\n@td.jit\\ndef f(x):\\n    return x + 1\\n")
sys.path.insert(0, folder)
import treadle as td, m
BEFORE
child = os.fork()
if child == 0:
    with td.config(policy="always-async"):
        print(m.f(1), m.f.submit(2).result(), flush=True)
    os._exit(0)
os.waitpid(child, 0)
"""


def test_the_child_of_a_fork_has_a_runtime_of_its_own():
    for before in ("", "with td.config(policy='always-async'): m.f(1)", "m.f.submit(1).result()"):
        assert script(FORKED.replace("BEFORE", before))[1] == "2 3\n", before


def test_process_ends_with_work_in_flight(tmp_path):
    (tmp_path / "endless.py").write_text(
        "import treadle as td\n@td.jit\ndef f(n):\n    s = 0\n    while s < n:\n        s = s + 1\n    return s\n"
        "f.submit(10**15)\nprint('done')\n"
    )
    run = subprocess.run(
        [sys.executable, tmp_path / "endless.py"], capture_output=True, text=True, timeout=60
    )
    assert run.returncode == 0 and run.stdout == "done\n" and run.stderr == ""


def test_interrupt_stops_a_run(tmp_path):
    (tmp_path / "endless.py").write_text(
        "import treadle as td, threading, os, signal\n@td.jit\ndef f(n):\n    s = 0\n    while s < n:\n        s = s + 1\n"
        "    return s\nthreading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()\n"
        "try:\n    f(10**15)\nexcept KeyboardInterrupt:\n    print('interrupted')\n"
    )
    run = subprocess.run(
        [sys.executable, tmp_path / "endless.py"], capture_output=True, text=True, timeout=60
    )
    assert run.stdout == "interrupted\n"


def test_stub_names_everything():
    from treadle import _native

    stub = Path(td.__file__).with_name("_native.pyi").read_text()
    missing = [
        n
        for n in dir(_native)
        if not n.startswith("_") and f"def {n}(" not in stub and f"class {n}:" not in stub
    ]
    assert missing == []


def test_other_decorators_are_not_lost():
    def doubling(f):
        @functools.wraps(f)
        def wrapped(x):
            return 2 * f(x)

        return wrapped

    @doubling
    @td.jit
    def fine(x):
        return x + 1

    @td.jit
    @doubling
    def lost(x):
        return x + 1

    assert fine(1) == 4
    with pytest.raises(td.UnsupportedError, match="put td.jit below it"):
        lost(1)


def test_every_mapped_primitive_exists():
    known = set(td.physl.primitives())
    from treadle.transducer import expressions

    used = {*expressions.BINARY.values(), *expressions.COMPARE.values()}
    text = "".join(file.read_text() for file in Path(expressions.__file__).parent.glob("*.py"))
    used |= set(re.findall(r'[cC]all\("(\w+)"', text))
    assert used - known == set()


@pytest.mark.parametrize("policy", ["always-inline", "always-async"])
def test_variables_without_a_value_are_named(policy):
    @td.jit
    def one_branch(x):
        if x > 5:
            y = 1
        return y

    @td.jit
    def no_turn(n):
        for k in range(n):
            n = k
        return k

    @td.jit
    def later():
        def inner():
            return w

        r = inner()
        w = 1
        return r, w

    with td.config(policy=policy):
        for function, arguments, name in ((one_branch, (1,), "y"), (no_turn, (0,), "k"), (later, (), "w")):
            with pytest.raises(td.PhyslError, match=f"'{name}' is used before it is defined"):
                function(*arguments)
        assert (one_branch(6), no_turn(3)) == (1, 2)


def test_text_that_is_no_utf8():
    assert td.physl.run(r'"a\xff"') == r"a\xff"
    with pytest.raises(ValueError, match="argument 1.* is text that UTF-8 cannot express"):
        td.physl.run("lambda(x, x)", "\udc80")
