"""td.mpi: ranks of a program, over shared memory and over MPI."""

import json
import os
import random
import shutil
import subprocess
import sys

import pytest

import treadle as td
from treadle.merged_traces import merged

TREADLE = os.path.join(os.path.dirname(sys.executable), "treadle")

PROGRAM = """
import os, sys
import numpy as np, treadle as td

rank, size = td.mpi.rank(), td.mpi.size()
LETTER = chr(ord("a") + rank)

@td.jit
def shifted(x):
    return np.sum(x) + 0.5

def where(n):
    return n, td.mpi.rank()

def fails(n):
    raise LookupError(f"no {n}")

class Odd(Exception):
    def __init__(self, one, two):
        super().__init__("odd")

def fails_oddly():
    raise Odd(1, 2)

def around(left):
    return [td.mpi.rank()] + (td.mpi.submit((td.mpi.rank() + 1) % size, around, left - 1).result() if left else [])

class Unloadable:
    def __reduce__(self):
        return (int, ("x",))

for root in range(size):
    assert td.mpi.broadcast({"from": LETTER} if rank == root else None, root) == {"from": chr(ord("a") + root)}
    gathered = td.mpi.gather(LETTER * (rank + 1), root)
    assert gathered == ([chr(ord("a") + i) * (i + 1) for i in range(size)] if rank == root else None)
    assert td.mpi.scatter([np.arange(i + 1) for i in range(size)] if rank == root else None, root).size == rank + 1
    joined = td.mpi.reduce(LETTER, root=root)
    assert joined == ("".join(chr(ord("a") + i) for i in range(size)) if rank == root else None)
assert td.mpi.all_gather(rank) == list(range(size))
assert td.mpi.all_reduce(rank, max) == size - 1
assert td.mpi.all_to_all([(rank, i) for i in range(size)]) == [(i, rank) for i in range(size)]
td.mpi.barrier()
for to in range(size):
    assert td.mpi.submit(to, where, 7).result() == (7, to)
    assert td.mpi.submit(to, shifted, np.ones(4)).result() == 4.5
    for function, kind in ((fails, LookupError), (fails_oddly, td.Error)):
        try:
            td.mpi.submit(to, function, *([3] if function is fails else [])).result()
            raise AssertionError
        except kind as error:
            assert error.__notes__ == [f"in rank {to}"], error.__notes__
            assert "no 3" in str(error) or "Odd: odd" in str(error)
    try:
        td.mpi.submit(to, Unloadable).result()
        raise AssertionError
    except ValueError as error:
        assert "invalid literal" in str(error)
assert td.mpi.submit(rank, around, 2 * size).result() == [(rank + i) % size for i in range(2 * size + 1)]
futures = [td.mpi.submit(i % size, where, i) for i in range(200)]
assert [f.result() for f in futures] == [(i, i % size) for i in range(200)]
for wrong in (-1, size):
    try:
        td.mpi.submit(wrong, where, 1)
        raise AssertionError
    except ValueError as error:
        assert f"there is no rank {wrong}" in str(error)
try:
    td.mpi.all_to_all([1] * (size + 1))
    raise AssertionError
except ValueError as error:
    assert f"expected {size} values" in str(error)
if rank == 0:
    for i in range(20):
        td.mpi.submit(size - 1, around, 3)  # nobody waits for these
print("done", rank, "of", size, flush=True)
"""


def started(tmp_path, *command, program=PROGRAM):
    script = tmp_path / "program.py"
    script.write_text(program)
    return subprocess.run(
        [*command, sys.executable, script], capture_output=True, text=True, timeout=120,
        env={
            **os.environ, "TREADLE_PUBLISH": "0", "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
            "PYTHONUNBUFFERED": "",  # else a line is written in pieces, which those of other ranks come between
        },
    )  # fmt: skip


@pytest.mark.parametrize("size", (1, 2, 3))
def test_everything_over_shared_memory(tmp_path, size):
    done = started(tmp_path, TREADLE, "run", "-n", str(size), "--no-tag", "--")
    assert done.returncode == 0, done.stderr + done.stdout
    assert sorted(done.stdout.splitlines()) == [f"done {i} of {size}" for i in range(size)]
    assert done.stderr == ""


@pytest.mark.parametrize("mpi", ("openmpi", "mpich"))
def test_everything_over_an_mpi(tmp_path, mpi):
    if shutil.which(f"mpirun.{mpi}") is None:
        pytest.skip(f"{mpi} is not installed")
    by_hand = (f"mpirun.{mpi}", *(("--oversubscribe",) if mpi == "openmpi" else ()), "-n", "2")
    for command in ((TREADLE, "run", "-n", "2", "--over", mpi, "--no-tag", "--"), by_hand):
        done = started(tmp_path, *command)
        assert done.returncode == 0, done.stderr + done.stdout
        assert sorted(done.stdout.splitlines()) == ["done 0 of 2", "done 1 of 2"]


def test_alone(tmp_path):
    done = started(tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "done 0 of 1\n"


def test_a_rank_that_dies_is_named(tmp_path):
    done = started(
        tmp_path, TREADLE, "run", "-n", "3", "--",
        program="""
import os, treadle as td
td.mpi.barrier()
if td.mpi.rank() == 1:
    os.kill(os.getpid(), 9)
try:
    td.mpi.all_gather(1)
except td.Error as error:
    print("told:", error, flush=True)
    raise
""",
    )  # fmt: skip
    assert done.returncode == 137
    ends = [line for line in done.stderr.splitlines() if line.startswith("treadle run: ")]
    assert len(ends) == 1 and "locality 1 (process " in ends[0] and "SIGKILL" in ends[0], done.stderr


def said_by(tmp_path, body, size=2, command=None):
    """What the ranks print, and the exit code: of a program that begins with `rank` and `size`."""
    begin = "import os, sys, time\nimport treadle as td\nrank, size = td.mpi.rank(), td.mpi.size()\n"
    return started(
        tmp_path, *(command or (TREADLE, "run", "-n", str(size), "--no-tag", "--")), program=begin + body
    )


def test_a_rank_that_has_ended_gives_nothing(tmp_path):
    """What ranks say to each other at the end is nobody's value."""
    done = said_by(tmp_path, """
td.mpi.barrier()
if rank == 1:
    sys.exit(0)
for call in (lambda: td.mpi.all_gather("x"), lambda: td.mpi.gather("x"), lambda: td.mpi.barrier()):
    try:
        print("wrong:", call())
    except td.Error as error:
        assert "rank 1 has ended" in str(error), error
print("right")
""")  # fmt: skip
    assert (done.returncode, done.stdout) == (0, "right\n"), done.stderr


def test_an_exception_in_one_rank_ends_all(tmp_path):
    done = said_by(tmp_path, """
if rank == 1:
    raise KeyError("mine")
print(td.mpi.scatter([1] * size))
td.mpi.all_gather(rank)
""")  # fmt: skip
    assert done.returncode != 0
    assert "KeyError: 'mine'" in done.stderr


def test_different_operations_are_told(tmp_path):
    done = said_by(tmp_path, """
try:
    td.mpi.broadcast(1) if rank == 0 else td.mpi.gather(2)
    td.mpi.barrier()
    print("wrong")
except td.Error as error:
    assert "broadcast from 0" in str(error) and "gather at 0" in str(error), error
    print("told")
""")  # fmt: skip
    assert done.stdout == "told\ntold\n", done.stderr


@pytest.mark.parametrize(
    "first, second",
    [
        ("gather(1)", "broadcast()"),
        ("gather(1)", "scatter()"),
        ("gather(1, 0)", "gather(1, 1)"),
        ("reduce(1)", "scatter()"),
    ],
)
@pytest.mark.parametrize("late", (0, 1))
def test_different_operations_in_which_nobody_gives_anything_are_told(tmp_path, first, second, late):
    done = said_by(tmp_path, f"""
td.mpi.barrier()
if rank == {late}:
    time.sleep(0.3)
try:
    td.mpi.{first} if rank == 0 else td.mpi.{second}
    print("wrong")
except td.Error as error:
    assert "rank 0" in str(error) and "rank 1" in str(error), error
    print("told")
""")  # fmt: skip
    assert (done.returncode, done.stdout) == (0, "told\n" * 2), done.stderr


def test_ranks_that_were_told_do_not_keep_others_waiting(tmp_path):
    """Also those who had nothing to do with it, and while the one that has noticed goes on."""
    done = said_by(tmp_path, f"""
told = {str(tmp_path / "told ")!r}
try:
    td.mpi.gather(2, 2) if rank == 2 else td.mpi.broadcast(1, 0)
    td.mpi.barrier()
    print("wrong")
except td.Error as error:
    assert "rank 2 calls gather at 2, and rank 0 broadcast from 0" in str(error), error
open(told + str(rank), "w").close()
while rank == 2 and not (os.path.exists(told + "0") and os.path.exists(told + "1")):
    time.sleep(0.01)
print("told")
""", size=3)  # fmt: skip
    assert (done.returncode, done.stdout) == (0, "told\n" * 3), done.stderr


def test_what_cannot_be_sent_is_told_everywhere(tmp_path):
    done = said_by(tmp_path, """
try:
    td.mpi.broadcast(lambda: 1)
    print("wrong")
except td.Error as error:
    assert rank == 1 and "has not given a value" in str(error)
    print("told")
except Exception as error:
    assert rank == 0 and "pickle" in str(error), error
    print("told")
assert td.mpi.all_reduce(1) == 2
""")  # fmt: skip
    assert (done.returncode, done.stdout) == (0, "told\ntold\n"), done.stderr


def test_a_part_that_is_too_large_is_told_to_those_who_wait_for_one(tmp_path):
    done = said_by(tmp_path, """
send = td.mpi._native.send_to
def limited(to, kind, number, value):
    if to == 1 and len(value) > 10000:
        raise OSError("too large")
    send(to, kind, number, value)
td.mpi._native.send_to = limited
try:
    print(len(td.mpi.broadcast("x" * 20000)))
except td.Error as error:
    assert ("too large" if rank == 0 else "has not given a value") in str(error), error
    print("told")
assert td.mpi.all_reduce(1) == 3
""", size=3)  # fmt: skip
    assert (done.returncode, done.stdout) == (0, "told\n" * 3), done.stderr


def test_what_waits_for_a_call_learns_of_trouble_on_a_thread_of_its_own(tmp_path):
    """And a call that never ends does not keep the program from its end."""
    done = said_by(tmp_path, f"""
import threading
told = {str(tmp_path / "told ")!r}
def asleep():
    time.sleep(3600)
def until_told():
    while not os.path.exists(told + str(1 - td.mpi.rank())):
        time.sleep(0.01)
td.mpi.barrier()  # both have defined what they are asked for
where = []
futures = [td.mpi.submit(1 - rank, asleep), td.mpi.submit(1 - rank, until_told)]
futures[0].add_done_callback(lambda f: (where.append(threading.current_thread().name), time.sleep(0.2)))
try:
    td.mpi.gather(1) if rank == 0 else td.mpi.broadcast()
except td.Error as error:
    pass
for f in futures:
    assert "rank 0" in str(f.exception(60))
while not where:
    time.sleep(0.01)
assert where == ["treadle-mpi-call"], where
open(told + str(rank), "w").close()
time.sleep(0.3)  # a result comes, which nobody waits for
print("ended", flush=True)
""")  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (0, "ended\n" * 2, "")


def test_calls_that_cannot_be_made_are_no_calls(tmp_path):
    done = said_by(tmp_path, """
class NoError(Exception):
    def __reduce__(self):
        return str, ("x",)
def odd():
    raise NoError
for wrong in (lambda: td.mpi.submit(0.0, print), lambda: td.mpi.submit(0, lambda: 1)):
    try:
        wrong()
        print("wrong")
    except Exception:
        pass
td.mpi.barrier()
try:
    td.mpi.submit((rank + 1) % size, odd).result()
except td.Error as error:
    assert "NoError" in str(error)
chained = td.mpi.submit((rank + 1) % size, pow, 2, 3)
got = []
chained.add_done_callback(lambda f: got.append(td.mpi.submit(rank, pow, f.result(), 2).result()))
while not got:
    time.sleep(0.01)
print(got[0])
""")  # fmt: skip
    assert (done.returncode, done.stdout) == (0, "64\n64\n"), done.stderr


def test_a_function_that_is_not_defined_yet(tmp_path):
    done = said_by(tmp_path, """
if rank == 0:
    def early():
        pass
    try:
        td.mpi.submit(1, early).result()
    except td.Error as error:
        assert "'early'" in str(error) and "before the first use of td.mpi" in str(error), error
        print("told")
""")  # fmt: skip
    assert (done.returncode, done.stdout) == (0, "told\n"), done.stderr


def test_it_ends_whole_every_time(tmp_path):
    for _ in range(4):
        done = said_by(tmp_path, "td.mpi.barrier()\ntd.mpi.submit(0, len, 'abc')\n")
        assert (done.returncode, done.stderr) == (0, "")
    for _ in range(4):
        done = said_by(tmp_path, "td.mpi.submit(0, len, 'abc')", command=("env",))
        assert (done.returncode, done.stderr) == (0, "")


def test_after_the_end_and_in_children(tmp_path):
    done = said_by(tmp_path, """
import concurrent.futures, weakref
def pooled():
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        return pool.submit(pow, 2, 5).result()
child = os.fork()
if child == 0:
    try:
        td.mpi.barrier()
    except td.Error as error:
        os._exit(7 if "child of a fork" in str(error) else 1)
    os._exit(2)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
def late():
    if td.mpi.rank() == 0:
        print("only rank 0", flush=True)
    try:
        td.mpi.barrier()
        print("wrong")
    except td.Error:
        pass
class Last:
    pass
last = Last()
weakref.finalize(last, late)
td.mpi.barrier()
if rank == 0:
    time.sleep(0.3)  # the other one's program is over
    assert td.mpi.submit(1, pooled).result() == 32
assert "TREADLE_LOCALITIES" not in os.environ
""")  # fmt: skip
    assert (done.returncode, done.stdout) == (0, "only rank 0\n"), done.stderr


def test_ctrl_c_ends_a_wait(tmp_path):
    """For a rank that comes only afterwards."""
    done = said_by(tmp_path, f"""
import signal, threading
flag = {str(tmp_path / "seen")!r}
if rank == 0:
    threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    try:
        td.mpi.barrier()
    except KeyboardInterrupt:
        print("seen", flush=True)
        open(flag, "w").close()
        os._exit(0)
while not os.path.exists(flag):
    time.sleep(0.01)
""")  # fmt: skip
    assert "seen\n" in done.stdout, done.stderr


def test_the_module_says_what_it_has():
    assert set(td.mpi.__all__) <= set(dir(td.mpi))


def test_each_rank_writes_files_of_its_own(tmp_path, monkeypatch):
    body = """
@td.jit
def total(n):
    s = 0.0
    for i in range(n):
        s = s + i * 0.5
    return s
assert total(1000) == 249750.0
td.mpi.submit((rank + 1) % size, total, 10).result()
td.mpi.barrier()
"""
    monkeypatch.setenv("TREADLE_TRACE", str(tmp_path / "run.json"))
    monkeypatch.setenv("TREADLE_PROFILE", str(tmp_path / "run.csv"))
    done = said_by(tmp_path, body)
    assert done.returncode == 0, done.stderr
    files = sorted(path.name for path in tmp_path.glob("run.*"))
    assert files == ["run.L0.csv", "run.L0.json", "run.L1.csv", "run.L1.json"]
    merge = [
        TREADLE,
        "merge-traces",
        *(tmp_path / f"run.L{i}.json" for i in (0, 1)),
        "-o",
        tmp_path / "all.json",
    ]
    subprocess.run(merge, check=True, timeout=120)
    whole = json.loads((tmp_path / "all.json").read_text())
    names = {event["args"]["name"] for event in whole["traceEvents"] if event["name"] == "process_name"}
    assert names == {"locality 0", "locality 1"}
    parts = [json.loads((tmp_path / f"run.L{i}.json").read_text()) for i in (0, 1)]
    assert whole["otherData"]["records"] == sum(part["otherData"]["records"] for part in parts)
    starts = [part["otherData"]["start_ns"] for part in parts]
    for i, part in enumerate(parts):
        before = [event["ts"] for event in part["traceEvents"] if "ts" in event]
        after = [event["ts"] for event in whole["traceEvents"] if event["pid"] == i and "ts" in event]
        shift = (starts[i] - min(starts)) / 1000
        assert after == pytest.approx([ts + shift for ts in before], abs=0.002)
    refused = subprocess.run(
        [*merge[:2], tmp_path / "run.L0.csv", *merge[-2:]], capture_output=True, text=True
    )
    assert refused.returncode == 1 and "run.L0.csv: Expecting value" in refused.stderr


def test_clocks_of_several_machines_are_put_together_by_parcels():
    chance = random.Random(4)
    ahead_us = {"a": 0.0, "b": 5_000.0, "c": -70_000.0}  # c knows only b
    begun_us = {"a": 10.0, "b": 900.0, "c": 400.0}  # of the true time
    events = {host: [] for host in ahead_us}
    number = dict.fromkeys(ahead_us, 0)
    true_times = []
    for here, there in [("a", "b"), ("b", "a"), ("b", "c"), ("c", "b")] * 200:
        left = chance.uniform(1_000, 90_000)
        arrived = left + chance.uniform(20, 400)
        name = f"{here}>{there}.{number[here]}"
        number[here] += 1
        events[here].append({"ph": "s", "cat": "parcel", "id": name, "ts": left - begun_us[here]})
        events[there].append({"ph": "f", "cat": "parcel", "id": name, "ts": arrived - begun_us[there]})
        true_times.append((name, left, arrived))

    def trace(process, host):
        start = round(1000 * (1e9 + begun_us[host] + ahead_us[host]))
        about = {"process": process, "host": host, "start_ns": 0, "start_system_ns": start}
        return {"traceEvents": events[host], "otherData": about | {"records": 0, "dropped": 0}}

    whole = merged([trace(i, host) for i, host in enumerate(ahead_us)])
    found = {(event["id"], event["ph"]): event["ts"] for event in whole["traceEvents"] if "id" in event}
    origin = found[true_times[0][0], "s"] - true_times[0][1]
    for name, left, arrived in true_times:
        assert found[name, "s"] - origin == pytest.approx(left, abs=25)
        assert found[name, "f"] - origin == pytest.approx(arrived, abs=25)
        assert found[name, "f"] > found[name, "s"]


def test_runs_of_a_process_are_named_when_traces_are_merged():
    def trace(process, start_ns, records):
        about = {"process": process, "host": "h", "start_ns": start_ns, "records": records, "dropped": 0}
        events = [{"ph": "X", "pid": process, "ts": 1.0, "name": str(records)}]
        events += [
            {"ph": "s", "pid": process, "cat": cat, "id": id}
            for cat, id in (("created", 3), ("parcel", "0>1.7"))
        ]
        return {"traceEvents": events, "otherData": about}

    whole = merged([trace(1, 2000, 1), trace(0, 9000, 2), trace(0, 1000, 3)])
    assert [event["args"]["name"] for event in whole["traceEvents"] if event["ph"] == "M"] == [
        "locality 0", "locality 0, run 2", "locality 1",
    ]  # fmt: skip
    events = [
        (event["pid"], event["name"], event["ts"]) for event in whole["traceEvents"] if event["ph"] == "X"
    ]
    assert events == [(0, "3", 1.0), (1, "2", 9.0), (2, "1", 2.0)]
    arrows = [event["id"] for event in whole["traceEvents"] if event["ph"] == "s"]
    assert arrows == [
        "0.3",
        "0>1.7",
        "1.3",
        "0>1.7",
        "2.3",
        "0>1.7",
    ]  # a parcel's other end is in another trace


def test_processes_that_are_no_ranks_write_files_of_their_own_too(tmp_path, monkeypatch):
    monkeypatch.setenv("TREADLE_TRACE", str(tmp_path / "run.json"))
    done = started(
        tmp_path, TREADLE, "run", "-n", "2", "--",
        program="import treadle as td\n@td.jit\ndef next(n):\n    return n + 1\nassert next(1) == 2\n",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert sorted(path.name for path in tmp_path.glob("run.*")) == ["run.L0.json", "run.L1.json"]
