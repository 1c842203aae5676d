"""What is said about decisions: td.explain() and the command `treadle explain`."""

import gc
import json
import linecache
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np

import treadle as td

TREADLE = str(Path(sys.executable).with_name("treadle"))
APPS = Path(__file__).resolve().parents[2] / "apps" / "physl"


def command(*arguments):
    run = subprocess.run(
        [TREADLE, "explain", *map(str, arguments)], capture_output=True, text=True, timeout=120
    )
    return run.returncode, run.stdout, run.stderr


@td.jit
def rows(x, turns):
    y = x.copy()
    for i in range(x.shape[0]):
        y[i, :] = np.sort(x[i, :]) * 2.0
    total = 0.0
    for _ in range(turns):
        total = total * 0.5 + 1.0
    return y, total


def test_loops_and_nodes_are_explained():
    x = np.random.default_rng(0).random((200, 1000))
    with td.config(policy="adaptive", workers=2):
        for _ in range(3):
            rows(x, 10)
        found = td.explain(rows)
    first, second = [r for r in found.regions if r.form == "for_in"]
    assert first.parallel and first.turns == 600 and first.mean_us > 1
    assert first.why == "parallel" if first.share else first.why.startswith("parallel; "), first.why
    assert not second.parallel and "'total'" in second.why
    assert (
        first.file.endswith("test_explain.py")
        and first.line == rows.__treadle_function__.__code__.co_firstlineno + 3
    )
    assert found.nodes[0].evaluations > 0 and found.tuner_us >= 0 and found.threshold_us > 0
    assert {n.why for n in found.nodes if n.name.startswith("mul")} and all(
        0 <= n.share <= 1 for n in found.nodes
    )
    assert "adaptive: parts from" in str(found) or "adaptive: no part is a task" in found._repr_html_()


def test_each_policy_has_its_reasons():
    for policy in ("always-async", "paper-baseline", "paper-adaptive", "adaptive"):
        program = td.physl.Program(
            "define(i, 0) define(s, 1) while(i < 30, block(store(s, s + i), store(i, i + 1))) i"
        )
        with td.config(policy=policy, workers=2):
            assert program() == 30
            found = td.explain(program)
        loop = found.regions[0]
        assert loop.form == "while" and not loop.parallel and "'s'" in loop.why
        why = {n.why.split(":")[0] for n in found.nodes}
        assert why <= {"always-async", "inlined", "spawned", "undecided", "inline"}, why


def test_reasons_are_those_of_the_run_that_decided():
    program = td.physl.Program("define(i, 0) while(i < 30, store(i, i + 1)) i")
    with td.config(policy="paper-baseline", workers=2, lower_ns=1_000, upper_ns=2_000):
        program()
    with td.config(policy="paper-baseline", lower_ns=900_000, upper_ns=1_000_000):
        (why,) = [n.why for n in td.explain(program).nodes if n.name.startswith("add")]
        assert why.endswith(" us against 1 and 2 us")
    with td.config(policy="always-inline"):
        program()
    assert "always-inline" in {n.why for n in td.explain(program).nodes}


def test_what_is_parallel_and_was_not_split_says_why():
    text = "define(x, constant(0.0, list(4))) for_in(i, range(4), store(slice(x, i), i * 2.0))"
    for policy, workers, why in (
        ("adaptive", 2, ("inline", "split")),
        ("adaptive", 1, "inline: one worker"),
        ("paper-baseline", 2, "paper-baseline splits nothing"),
        ("always-inline", 2, "always-inline"),
    ):
        program = td.physl.Program(text)
        with td.config(policy=policy, workers=workers, count_threshold=100):
            program()
        (loop,) = td.explain(program).regions
        assert loop.share or loop.why.removeprefix("parallel; ").startswith(why), loop.why


def test_what_was_not_executed():
    program = td.physl.Program("if(false, for_in(i, range(3), define(x, i)))")
    (loop,) = td.explain(program).regions
    assert loop.turns == 0 and "not executed" in loop.why


def test_the_command():
    arguments = [
        APPS / "als.physl",
        "[[0.0, 4.0], [1.0, 0.0]]",
        "0.1",
        "5",
        "40.0",
        "[[0.1], [0.2]]",
        "[[0.4], [0.5]]",
    ]
    code, text, error = command(*arguments)
    assert code == 0, error
    assert "loop or block" in text and "deciding took" in text
    loops = [line for line in text.splitlines() if line.startswith("while ")]  # "while/…" would be a node
    assert len(loops) == 3, text
    records = [json.loads(line) for line in command(*arguments, "--json")[1].splitlines()]
    assert sum(r.get("form") == "while" for r in records) == 3 and any("self_us" in r for r in records)
    assert {r["program"].endswith("als.physl") for r in records if "form" in r} == {True}
    code, _, error = command("-c", "1 +")
    assert code == 1 and "Traceback" not in error


def test_changes_in_place_leave_loops_parallel():
    def work(v):
        return v * 2

    @td.jit
    def counted(x, n):
        y, m, k = np.zeros(n), np.zeros((n, 3)), 0
        while k < n:
            y[k] = x[k] * 2
            y[k] += 1
            t = y[k]
            m[k] = x[k] + t
            m[k, 1:] *= 2
            m[k] = work(m[k])
            k += 1
        return y, m

    notes = [note for note in counted.native.parallelism() if note[0] == "while"]
    assert [(note[3], note[4]) for note in notes] == [(True, "parallel")]
    x = np.arange(200.0)
    for policy in ("always-async", "adaptive"):
        with td.config(policy=policy, workers=2):
            y, m = counted(x, 200)
        expected = counted.__treadle_function__(x, 200)
        np.testing.assert_array_equal(y, expected[0])
        np.testing.assert_array_equal(m, expected[1])


@td.jit
def halves(turns):
    total = 0.0
    for i in range(turns):
        a = np.sum(np.sqrt(np.arange(20000.0) + i))
        b = np.sum(np.sin(np.arange(20000.0) + i))
        total += a + b
    return total


@td.jit
def thirds(turns):
    total = 0.0
    for i in range(turns):
        a = np.sum(np.cos(np.arange(20000.0) + i))
        b = np.sum(np.exp(-np.arange(20000.0) - i))
        total += a - b
    return total


def test_decisions_of_functions_of_one_file_are_kept_apart():
    found = {}
    with td.config(policy="adaptive", workers=2):
        for function in (halves, thirds):
            for _ in range(50):
                function(100)
                if td.explain(function).decisions:
                    break
        for function in (halves, thirds):
            found[function] = {d.instance for d in td.explain(function).decisions}
    line = halves.__treadle_function__.__code__.co_firstlineno
    assert found[halves] == {f"{Path(__file__).resolve()}:{line} halves"}
    assert len(found[thirds]) == 1 and found[thirds].pop().endswith(" thirds")
    names = {d.instance: d.name for d in td.explain().decisions if d.kind == "splitting"}
    assert len(names) == len(set(names.values()))
    assert any(name.endswith(f"test_explain.py:{line} halves") for name in names.values())


def defined(text, file="<cell>"):
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    names = {"np": np}
    exec(compile(text, file, "exec"), names)
    return td.jit(names["f"])


def test_functions_of_one_name_are_told_apart():
    first = defined("def f(x):\n    return x + 1\n")
    assert first(1) == 2 and first.native.instance == "<cell>:1 f"
    again = defined("def f(x):\n    return x + 2\n")  # as a notebook or a reload does
    assert again(1) == 3 and again.native.instance == "<cell>:1 f #2"
    below = defined("\ndef f(x):\n    return x + 1\n")
    assert below(1) == 2 and below.native.instance == "<cell>:2 f"
    del first
    gc.collect()
    once_more = defined("def f(x):\n    return x + 3\n")
    assert once_more(1) == 4 and once_more.native.instance == "<cell>:1 f"
    named = td.jit(once_more.__treadle_function__, name="profiled")
    assert named(1) == 4 and named.native.instance == "<cell>:1 profiled"


def test_programs_of_one_name_are_told_apart():
    programs = [td.physl.Program("1 + 1", "same.physl") for _ in range(2)]
    assert [p.native.instance for p in programs] == ["same.physl", "same.physl #2"]


SCRIPT = """
import sys
import numpy as np
import treadle as td
from treadle.tune import Knob, Session

@td.jit
def doubled(x):
    y = x.copy()
    for i in range(x.shape[0]):
        y[i, :] = np.sort(x[i, :]) * 2.0
    return y

def main():
    for _ in range(3):
        doubled(np.ones((50, 100)))
    knob = Knob("k", [1, 2])
    session = Session("mine", knob, window=0, budget=0)
    for _ in range(20):
        with session.trial() as trial:
            trial.report(knob.value)
    return session

kept = main()
print("arguments", sys.argv[1:])
if "fail" in sys.argv:
    raise ValueError("on purpose")
"""


def test_a_script_is_explained(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    code, text, error = command("--workers", "2", script, "a", "b")
    assert code == 0, error
    assert "arguments ['a', 'b']" in text and "for_in" in text
    assert re.search(r"^\S*script\.py:7 doubled$", text, re.MULTILINE), text
    assert "session of mine" in text and "deciding took" in text
    lines = command("--json", script)[1].splitlines()
    records = [json.loads(line) for line in lines if line.startswith("{")]
    (decision,) = [r for r in records if r.get("kind") == "session"]
    assert decision["instance"] == "mine" and decision["chosen"] == "1" and decision["windows"] == 20
    assert [a["choice"] for a in decision["measured"]] == ["1", "2"]
    assert "2 were tried; the next, 2, costs 100.0 % more" in decision["why"]
    code, text, error = command(script, "fail")
    assert code == 1 and "ValueError: on purpose" in error and "doubled" in text
    code, _, error = command(tmp_path / "none.py")
    assert code == 1 and "none.py" in error and "Traceback" not in error


def test_what_stands_behind_a_script_is_for_the_script(tmp_path):
    script = tmp_path / "script.py"
    script.write_text("import sys\nprint(sys.argv[1:])\n")
    for given in (["a", "--x"], ["--workers", "many"], ["--", "--json"], ["--help"]):
        code, text, error = command("--policy", "adaptive", script, *given)
        assert code == 0 and text.splitlines()[0] == str(given), error
    code, text, error = command("--runs", "2", script)
    assert code == 2 and text == "" and "a script runs once: --runs is for PhySL programs" in error
    assert command("--runs", "2", "-c", "1 + 1")[0] == 0
    code, text, error = command("-c", "slice(sys_argv, 0)", "1", "--workers", "2", "s.py", "--x")
    assert code == 2 and "No such option: --x" in error  # options of a PhySL program are ours


TWO_OF_ONE_NAME = """
import treadle as td

def made(change):
    if change:
        @td.jit
        def work(x):
            return x + 1
    else:
        @td.jit
        def work(x):
            return x - 1
    return work

kept = [made(True), made(False), made(True)]
print([work(1) for work in kept])
"""


def test_functions_of_one_name_are_both_explained(tmp_path):
    (tmp_path / "script.py").write_text(TWO_OF_ONE_NAME)
    code, text, error = command(tmp_path / "script.py")
    assert code == 0, error
    heads = [line.rpartition("/")[2] for line in text.splitlines() if line.endswith(" work")]
    assert heads == ["script.py:6 work", "script.py:10 work"]  # the third shares the program of the first


def test_knobs_are_listed_and_set_by_the_user(tmp_path):
    def run(*arguments, **variables):
        found = subprocess.run(
            [sys.executable, "-c", KNOBS, *arguments], capture_output=True, text=True, timeout=120,
            env={**os.environ, **variables},
        )  # fmt: skip
        return found.stdout.splitlines(), found.stderr

    assert run()[0] == ["2000", "16", "128"]
    given = run("--treadle:knob=mine=64", "--treadle:knob", "runtime.loop-chunk-ns=3000")
    assert given[0] == ["3000", "64", "64"], given
    assert run(TREADLE_KNOB="mine=32;runtime.loop-chunk-ns=4000")[0] == ["4000", "32", "32"]
    assert (
        "--treadle:knob: knob 'mine' cannot be 65: its values are 16 to 128"
        in run("--treadle:knob=mine=65")[1]
    )
    assert "'runtime.loop-chunk-ns' cannot be 1" in run(TREADLE_KNOB="runtime.loop-chunk-ns=1")[1]
    assert (
        "no knob 'runtime.lop'; there are runtime.concurrency, runtime.loop-chunk-ns"
        in run("--treadle:knob=runtime.lop=1")[1]
    )
    assert "expected NAME=VALUE, got 'mine'" in run("--treadle:knob=mine")[1]
    listed = subprocess.run([TREADLE, "knobs", "--json"], capture_output=True, text=True, timeout=60)
    assert {json.loads(line)["name"] for line in listed.stdout.splitlines()} >= {
        "runtime.search-ns",
        "runtime.nap-ns",
    }


KNOBS = """
from treadle import _native
from treadle.tune import Knob, Session
print(dict(k[:2] for k in _native.knobs())["runtime.loop-chunk-ns"])
knob = Knob("mine", [16, 32, 64, 128], 16)
print(knob.value)
session = Session("s", knob, window=0, budget=0)
for _ in range(200):
    with session.trial() as trial:
        trial.report(1 / knob.value)
print(session.status().best["mine"])
"""


def test_decisions_print_and_show():
    from treadle.tune import Knob, Session

    knob = Knob("k", ["a", "<b>"], ordered=False)
    session = Session("shown <here>", knob, window=0, budget=0)
    for _ in range(10):
        with session.trial() as trial:
            trial.report(1 if knob.value == "a" else 2)
    found = td.explain()
    (decision,) = [d for d in found.decisions if d.instance == "shown <here>"]
    assert decision.kind == "session" and decision.chosen == "a" and decision.present
    assert "session of shown <here>" in str(found)
    assert "shown &lt;here&gt;" in found._repr_html_() and "<here>" not in found._repr_html_()
    del session
    assert not [d for d in td.explain().decisions if d.instance == "shown <here>"]


def test_a_threshold_is_named():
    found = td.Explanation(threshold_us=19.0, windows=3, splitting_us=20.0)
    assert str(found).splitlines()[0] == (
        "adaptive: parts from 19 us on are tasks; 3 windows were compared, deciding took 20 us"
    )
    found.threshold_us = float("inf")
    assert (
        "adaptive: no part is a task; 3 windows" in str(found) and "no part is a task" in found._repr_html_()
    )
    found.threshold_us = 0.0
    assert "adaptive" not in str(found)
