"""What is said about decisions: td.explain() and the command `treadle explain`."""

import json
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
    assert first.parallel and first.turns == 600 and first.mean_us > 1 and "worth tasks" in first.why
    assert not second.parallel and "'total'" in second.why
    assert (
        first.file.endswith("test_explain.py")
        and first.line == rows.__treadle_function__.__code__.co_firstlineno + 3
    )
    assert found.nodes[0].evaluations > 0 and found.tuner_us >= 0 and found.threshold_us > 0
    assert {n.why for n in found.nodes if n.name.startswith("mul")} and all(
        0 <= n.share <= 1 for n in found.nodes
    )


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
    assert records[-1].keys() == {"threshold_us", "windows", "splitting_us"}
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
