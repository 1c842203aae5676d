"""Knobs and sessions; the command `treadle tune` on a store as the C++ library leaves it
(src/control/store_file.cpp)."""

import gc
import json
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from threading import Thread, Timer
from weakref import ref

import pytest

from treadle.tune import Knob, Session, Store, StoreError, standard_path

TREADLE = str(Path(sys.executable).with_name("treadle"))
ROOT = Path(__file__).resolve().parents[2]
SIMULATED = {
    "window": 0,
    "budget": 0,
}  # costs that take no time: each measurement is a window, and tries cost nothing


def treadle(*arguments):
    run = subprocess.run([TREADLE, "tune", *map(str, arguments)], capture_output=True, text=True, timeout=60)
    return run.returncode, run.stdout, run.stderr


@pytest.fixture
def store(tmp_path):
    """With the schema of the library itself, so that the two do not part."""
    source = (ROOT / "src/control/store_file.cpp").read_text()
    schema = source.split('R"(')[1].split(')"')[0]
    path = tmp_path / "tuning.sqlite"
    with sqlite3.connect(path) as db:
        db.executescript(schema)
        db.execute("PRAGMA user_version = 2")
        for number, session, context in (1, "step", "n=20"), (2, "step", "n=21"), (3, "it's, other", ""):
            db.execute(
                "INSERT INTO search VALUES (?, 'session', ?, 'grain: 1 .. 8 (4, 00)', ?, 'demo', 'a machine', "
                "'2030-01-02', 90, 1, 0)",
                (number, session, context),
            )
            db.execute("INSERT INTO point VALUES (?, 0, '1', 1.5, 0.1, 20)", (number,))
            db.execute("INSERT INTO point VALUES (?, 3, '8', 0.5, 0.1, 70)", (number,))
    db.close()
    return path


def test_list(store):
    code, text, _ = treadle("list", "--store", store)
    assert code == 0 and text.count("step") == 2 and "n=21" in text and "1.649" in text
    found = json.loads(treadle("list", "--store", store, "--json")[1])
    assert [one["instance"] for one in found] == ["it's, other", "step", "step"]
    assert {one["best"] for one in found} == {"8"}


def test_show(store):
    code, text, _ = treadle("show", "step", "--store", store)
    assert code == 0 and text.index("1.649") < text.index("4.482") and "2.72" in text
    code, text, error = treadle("show", "stop", "--store", store)
    assert code == 1 and "there are it's, other, step" in error and "Traceback" not in error


def test_export(store):
    code, text, _ = treadle("export", "--store", store)
    assert code == 0 and len(text.splitlines()) == 7 and text.startswith("kind,instance,choices,")
    lines = treadle("export", "step", "--json", "--store", store)[1].splitlines()
    assert [json.loads(line)["points"][0]["values"] for line in lines] == ["8", "8"]


def test_forget_waits_for_a_program_that_saves(store):
    with closing(sqlite3.connect(store, isolation_level=None, check_same_thread=False)) as db:
        db.execute("BEGIN IMMEDIATE")
        saving = Timer(0.2, lambda: db.execute("COMMIT"))
        saving.start()
        Store(store).forget([1, 2, 3])
        saving.join()
    assert Store(store).searches() == []


def test_forget(store):
    assert treadle("forget", "--store", store)[0] == 2
    assert treadle("forget", "step", "--all", "--store", store)[0] == 2
    assert treadle("forget", "step", "--store", store)[1] == "2 searches forgotten\n"
    assert [one.instance for one in Store(store).searches()] == ["it's, other"]
    assert treadle("forget", "--all", "--store", store)[1] == "1 search forgotten\n"
    with sqlite3.connect(store) as db:
        assert db.execute("SELECT count(*) FROM point").fetchone() == (0,)
    db.close()


def test_after_a_crash_in_the_middle_of_a_write(store):
    """With a journal that must be played back, and with a name that is no text."""
    with sqlite3.connect(store) as db:
        db.execute("UPDATE search SET instance = CAST(x'ff41' AS TEXT) WHERE id = 3")
    db.close()
    crash = (
        "import os, sqlite3, sys\n"
        "db = sqlite3.connect(sys.argv[1])\n"
        "db.execute('PRAGMA cache_size = 1')\n"  # writes before the commit
        "db.execute('DELETE FROM point')\n"
        "db.executemany('INSERT INTO point VALUES (1, ?, ?, 0, 0, 1)', [(i, 'x' * 99) for i in range(9999)])\n"
        "os._exit(0)"
    )
    subprocess.run([sys.executable, "-c", crash, str(store)], check=True)
    assert store.with_name(store.name + "-journal").stat().st_size > 0
    code, text, _ = treadle("list", "--store", store)
    assert code == 0 and "\ufffdA" in text and "1.649" in text


def test_what_is_not_there_is_empty(tmp_path):
    code, text, _ = treadle("list", "--store", tmp_path / "none")
    assert code == 0 and "nothing is stored" in text
    assert Store(tmp_path / "none").searches() == []


def test_what_is_damaged_or_newer_is_refused(tmp_path, store):
    (tmp_path / "damaged").write_text("x" * 3000)
    code, _, error = treadle("list", "--store", tmp_path / "damaged")
    assert code == 1 and "damaged" in error and "Traceback" not in error
    with sqlite3.connect(store) as db:
        db.execute("PRAGMA user_version = 7")
    db.close()
    with pytest.raises(StoreError, match="version 7"):
        Store(store).searches()


def test_the_standard_place(monkeypatch):
    monkeypatch.setenv("TREADLE_STORE", "/somewhere")
    assert standard_path() == Path("/somewhere")
    monkeypatch.delenv("TREADLE_STORE")
    monkeypatch.setenv("XDG_STATE_HOME", "/state")
    assert standard_path() == Path("/state/treadle/tuning-2.sqlite")
    monkeypatch.delenv("XDG_STATE_HOME")
    monkeypatch.setenv("HOME", "/someone")
    assert standard_path() == Path("/someone/.local/state/treadle/tuning-2.sqlite")


def test_a_session_finds_the_cheapest_values():
    size, kind = Knob("size", [1, 2, 4, 8, 16], 16), Knob("kind", ["a", "b", "c"], ordered=False)
    tuning = Session("test", size, kind, **SIMULATED)
    for _ in range(1500):
        with tuning.trial() as trial:
            trial.report(1 + 0.3 * abs(size.values.index(size.value) - 1) + 0.5 * (kind.value != "c"))
    status = tuning.status()
    assert status.best == {"size": 2, "kind": "c"}
    assert status.windows == 1500 and status.known[0].values == "2, c" and status.tuner_ns > 0
    assert tuning.status("unknown").best == {}


def test_a_trial_that_raises_says_nothing():
    knob = Knob("k", range(4))
    tuning = Session("test", knob, **SIMULATED)
    with pytest.raises(RuntimeError), tuning.trial():
        raise RuntimeError
    with tuning.trial() as trial:
        trial.units = 0
    assert tuning.status().voids == 2 and tuning.status().windows == 0
    with tuning.trial():
        pass
    assert tuning.status().windows == 1


def test_refusals():
    knob = Knob("k", [1, 2])
    with pytest.raises(ValueError, match="'k' cannot be 3"):
        knob.value = 3
    with pytest.raises(ValueError, match="no values"):
        Knob("none", [])
    for twice in ([1, 1], [1, 2, 1], ["a", "b", "a"], [1, "1"], [1, 1.0], [[1], [1]]):
        with pytest.raises(ValueError, match="knob 'twice': a value is there twice"):
            Knob("twice", twice)
    first = Session("first", knob)
    with pytest.raises(ValueError, match="'first' already"):
        Session("second", knob)
    with pytest.raises(ValueError, match="nelder-mead"):
        Session("third", Knob("x", [1]), strategy="fastest")
    with pytest.raises(ValueError, match="budget"):
        Session("fourth", Knob("x", [1]), budget=-0.5)
    with pytest.raises(ValueError, match="window_ns"):
        Session("fifth", Knob("x", [1]), window=-1)
    assert first.name == "first"


def test_only_what_is_allowed_is_chosen():
    workers = 9
    a, b = Knob("a", range(10), 9), Knob("b", range(10), 9)
    tuning = Session("farm", a, b, allowed=lambda a, b: a + b <= workers, **SIMULATED)

    def work(trials):
        for _ in range(trials):
            with tuning.trial() as trial:
                assert a.value + b.value <= workers
                trial.report(1 + 0.1 * abs(a.value - 7) + 0.2 * abs(b.value - 5))

    work(1000)
    assert tuning.status().best == {"a": 4, "b": 5}
    workers = 6
    work(500)
    assert tuning.status().best == {"a": 1, "b": 5}
    workers = 3
    tuning.pause()
    assert a.value + b.value <= 3
    tuning.resume()
    workers = -1
    with pytest.raises(ValueError, match="'farm'.*'a'.*'b'"), tuning.trial():
        pass


def test_what_a_constraint_raises_is_raised_and_nothing_is_chosen():
    text, number = Knob("text", ["x", "y"]), Knob("number", [1, 2, 3])
    limits = {"x": 1}
    tuning = Session("test", text, number, allowed=lambda t, n: n <= limits[t], **SIMULATED)
    with pytest.raises(KeyError, match="y"):
        for _ in range(100):
            with tuning.trial() as trial:
                trial.report(1)
    windows = tuning.status().windows
    limits["y"] = 3
    for _ in range(300):
        with tuning.trial() as trial:
            assert number.value <= limits[text.value]
            trial.report(5 - number.value)
    assert tuning.status().best == {"text": "y", "number": 3}
    assert tuning.status().windows == windows + 300
    with pytest.raises(TypeError, match="function"):
        Session("other", Knob("k", [1]), allowed=True)
    wrong = Session("wrong", Knob("k", [1]), allowed=lambda a, b: True)
    with pytest.raises(TypeError, match="argument"), wrong.trial():
        pass


def test_a_constraint_may_know_its_session():
    class Farm:
        def __init__(self):
            self.knob = Knob("k", range(4))
            self.tuning = Session("farm", self.knob, allowed=self.allows)

        def allows(self, k):
            return k < 3 and self.tuning.status() is not None

    farm = Farm()
    with farm.tuning.trial():
        pass
    knob, gone = farm.knob, ref(farm)
    del farm
    gc.collect()
    assert gone() is None
    Session("next", knob)  # which the first one has left


def test_threads_may_share_a_constrained_session():
    a, b = Knob("a", range(10)), Knob("b", range(10))
    tuning = Session("test", a, b, allowed=lambda x, y: x + y <= 9, **SIMULATED)

    def work():
        for _ in range(300):
            with tuning.trial() as trial:
                trial.report(20 - a.value - b.value)
            tuning.status()

    threads = [Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(tuning.status().best.values()) <= 9


def test_what_was_found_is_found_again(tmp_path):
    path = tmp_path / "t.sqlite"
    for run in range(2):
        knob = Knob("k", list(range(10)))
        tuning = Session("kept", knob, store=path, **SIMULATED)
        for _ in range(300 if run == 0 else 1):
            with tuning.trial("here") as trial:
                if run == 1:
                    assert knob.value == 7
                trial.report(1 + 0.2 * abs(knob.value - 7))
        del tuning
    (kept,) = Store(path).searches()
    assert kept.context.startswith("here") and kept.best.values == "7"
    assert "kept" in treadle("list", "--store", path)[1]


REMEMBERING = """
import sys
import numpy as np
import treadle as td
from treadle.tune import Knob, Session, remember

if len(sys.argv) > 1:
    remember(sys.argv[1])


@td.jit
def work(n):
    total = 0.0
    for i in range(n):
        a = np.sum(np.sqrt(np.arange(20000.0) + i))
        b = np.sum(np.sin(np.arange(20000.0) + i))
        total += a + b
    return total


work(300)
knob = Knob("k", list(range(10)))
tuning = Session("process", knob, window=0, budget=0)
first = None
best = 0  # trials of the best value, one after the other: until then the loop above may have its turn
while best < 100:
    with tuning.trial() as trial:
        first = knob.value if first is None else first
        best = best + 1 if knob.value == 7 else 0
        trial.report(1 + 0.2 * abs(knob.value - 7))
print(first)
print(any(d.kind == "splitting" and d.windows > 0 for d in td.explain().decisions))
"""


@pytest.mark.parametrize("by_environment", [True, False])
def test_all_of_a_process_is_found_again(tmp_path, by_environment):
    script, path = tmp_path / "script.py", tmp_path / "t.sqlite"
    script.write_text(REMEMBERING)
    environment = os.environ | ({"TREADLE_REMEMBER": str(path)} if by_environment else {})
    told = [
        subprocess.run(
            [sys.executable, script, *([] if by_environment else [path])],
            env=environment, check=True, capture_output=True, text=True, timeout=120,
        ).stdout.split()
        for _ in range(2)
    ]  # fmt: skip
    assert [first for first, _ in told] == ["0", "7"]
    kept = Store(path).searches()
    assert {one.kind for one in kept} >= {"session"} | ({"splitting"} if told[0][1] == "True" else set())
    assert {one.program for one in kept} == {str(script)}


def test_scripts_are_kept_apart(tmp_path):
    """A session of the same name in another script begins without what the first one has found."""
    path = tmp_path / "t.sqlite"
    (tmp_path / "package").mkdir()
    (tmp_path / "package/__init__.py").write_text("import treadle\n")
    for name in ("a.py", "b.py", "package/__main__.py"):
        (tmp_path / name).write_text(KEEPING)

    def first_value(*command, told=True, **variables):
        given = [path] if told else []
        return subprocess.run(
            [*command, *given], env=os.environ | variables, cwd=tmp_path, check=True, capture_output=True, text=True,
            timeout=120,
        ).stdout.splitlines()[0]  # fmt: skip

    python = sys.executable
    scripts = ([python, "a.py"], [python, "b.py"], [python, "-m", "package"], [python, "-c", KEEPING])
    assert [first_value(*command) for command in scripts] == ["0"] * 4
    assert [first_value(*command) for command in scripts] == ["7"] * 4
    assert first_value(TREADLE, "explain", "a.py") == "7"
    assert first_value(python, "-m", "b", told=False, TREADLE_REMEMBER=str(path)) == "7"
    programs = {one.program for one in Store(path).searches()}
    assert programs - {Path(sys.executable).resolve().name} == {
        str(tmp_path / name) for name in ("a.py", "b.py", "package/__main__.py")
    }


KEEPING = """
import sys
import treadle as td
from treadle.tune import Knob, Session

if len(sys.argv) > 1:
    td.tune.remember(sys.argv[1])

td.physl.run("1 + 1")
knob = Knob("k", list(range(10)))
tuning = Session("process", knob, window=0, budget=0)
for i in range(300):
    with tuning.trial() as trial:
        if i == 0:
            print(knob.value)
        trial.report(1 + 0.2 * abs(knob.value - 7))
"""


def test_what_was_decided_without_a_runtime_is_explained_at_the_end():
    script = """
from treadle.tune import Knob, Session
size = Knob("size", [1, 2])
session = Session("alone", size, window=0)
for _ in range(20):
    with session.trial() as trial:
        trial.report(size.value)
"""
    found = subprocess.run(
        [sys.executable, "-c", script], env={**os.environ, "TREADLE_EXPLAIN": "1"},
        capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert "session of alone" in found.stderr, found.stderr
