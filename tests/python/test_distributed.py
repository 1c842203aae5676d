"""PhySL programs over localities, from Python and the command line."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import treadle as td

ROOT = Path(__file__).parents[2]
TREADLE = os.path.join(os.path.dirname(sys.executable), "treadle")


def run(ranks: int, *command: str, code: int = 0) -> str:
    done = subprocess.run(
        [TREADLE, "run", "-n", str(ranks), "--", *command],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout + done.stderr


def text_of(array: np.ndarray) -> str:
    return json.dumps(array.tolist())


@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_als_is_the_same_as_in_one_process(ranks: int) -> None:
    rng = np.random.default_rng(ranks)
    ratings = rng.integers(0, 3, (5, 4)) * rng.integers(0, 2, (5, 4)) * 1.0
    given = [
        text_of(ratings), "0.1", "4", "40.0", text_of(rng.standard_normal((5, 2))),
        text_of(rng.standard_normal((4, 2))),
    ]  # fmt: skip
    alone = subprocess.run(
        [TREADLE, "physl", "apps/physl/als_rows.physl", *given, "--json"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    said = run(ranks, TREADLE, "physl", "apps/physl/als_d.physl", *given, "--json")
    assert json.loads(re.sub(r"^\[0\] ", "", said))["result"] == json.loads(alone.stdout)["result"]


PROGRAM = """
import numpy as np, treadle as td

gather = td.physl.load("define(g, x, list(all_gather_d(x), find_here(), num_localities())) g")
for turn in range(3):
    joined, here, count = gather(np.arange(3.0) + 10 * td.mpi.rank())
    assert (here, count) == (td.mpi.rank(), td.mpi.size())
    assert joined.tolist() == [10 * r + i for r in range(count) for i in range(3)]
    assert td.mpi.all_gather(here) == list(range(count))  # both kinds in turn
there = td.physl.load("define(f, x, block(cout(find_here()), x * 2)) define(main, x, f{L#1}(x)) main")
assert there(np.ones(2)).tolist() == [2, 2]
if td.mpi.rank() == 1:
    raise SystemExit(0)  # the others learn that it does not come
try:
    gather(np.ones(1))
except td.Error as error:
    assert "locality 1 has ended without all_gather_d()" in str(error), error
    print("told")
"""


def test_programs_in_a_script(tmp_path) -> None:
    script = tmp_path / "script.py"
    script.write_text(PROGRAM)
    said = run(2, sys.executable, str(script))
    # What is printed there shows where it was asked for.
    assert "[0] told" in said and said.count("] 1\n") == 2


def test_a_failure_ends_all() -> None:
    said = run(3, TREADLE, "physl", "-c", 'if(find_here() == 1, 1 + "x", all_reduce_d(1))', code=1)
    assert "expected an array, found string" in said


def test_alone() -> None:
    assert td.physl.run("list(find_here(), num_localities(), all_reduce_d(5))") == [0, 1, 5]
    with pytest.raises(td.Error, match="there is no locality 1: the program has 1"):
        td.physl.run("sin{L#1}(1)")
