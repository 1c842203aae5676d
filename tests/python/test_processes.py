"""Compiled functions in other processes: pickle, pools, joblib, Dask, MPI; and whose cores are whose."""

import concurrent.futures
import multiprocessing
import os
import pickle
import shutil
import subprocess
import sys
import time

import numpy as np
import pytest
from processes_module import adder, refuses, scaled_norm

import treadle as td
from treadle._native import usable_cores

START_METHODS = ("fork", "spawn", "forkserver")


def through_pickle(value):
    return pickle.loads(pickle.dumps(value))


def test_functions_of_modules_go_by_name():
    assert through_pickle(scaled_norm) is scaled_norm
    assert b"SCALE" not in pickle.dumps(scaled_norm)


def test_other_functions_go_with_what_they_have_captured():
    add = adder(10, np.array([0.25, 9.0]))
    sent = through_pickle(add)
    assert sent is not add
    assert (sent.__name__, sent.__qualname__, sent.policy) == (add.__name__, add.__qualname__, "always-async")
    for arguments, named in (((1,), {}), ((1, 2), {"more": 3}), ((), {"x": np.arange(3.0), "y": 7})):
        np.testing.assert_array_equal(sent(*arguments, **named), add(*arguments, **named))
    assert sent.submit(1).result() == add(1)
    np.testing.assert_array_equal(through_pickle(sent)(5), add(5))
    with pytest.raises(TypeError, match="add n: missing a required argument: 'x'"):
        sent()


def test_what_was_captured_is_what_it_was_when_it_was_compiled():
    offsets = np.array([1.0])
    add = adder(0, offsets)
    assert add(0) == 2.5
    offsets[0] = 100.0
    assert through_pickle(add)(0) == add(0) == 2.5


def test_errors_name_the_places_of_the_source():
    @td.jit
    def third(items):
        return items[2]

    sent = through_pickle(third)
    with pytest.raises(IndexError) as raised:
        sent([1])
    assert "test_processes.py" in str(raised.value) and "items[2]" in str(raised.value)


def test_the_python_function_does_not_go_along():
    sent = through_pickle(adder(1, [1.0]))
    with td.config(enabled=False), pytest.raises(td.Error, match="its Python code is not here"):
        sent(1)

    @td.jit
    def calls(x):
        return sent(x)

    with pytest.raises(td.UnsupportedError, match="came from another process"):
        calls(1)


def test_copies_are_the_function_itself():
    import copy
    import inspect

    add = adder(1, [1.0])
    assert copy.copy(add) is add and copy.deepcopy([add])[0] is add
    assert str(inspect.signature(through_pickle(add))) == "(x, y=1, *, more=0.5)"


def test_another_version_is_refused():
    rebuild, arguments = adder(1, [1.0]).__reduce__()
    with pytest.raises(td.Error, match="was compiled by treadle 0.0.0 in another process"):
        rebuild(arguments[0], "0.0.0", *arguments[2:])


@pytest.mark.parametrize("method", START_METHODS)
def test_process_pools(method):
    scaled_norm(np.ones(3))  # the parent's runtime is there
    context = multiprocessing.get_context(method)
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=context) as pool:
        values = [np.arange(float(n)) for n in range(1, 8)]
        assert list(pool.map(scaled_norm, values)) == [scaled_norm(v) for v in values]
        add = adder(10, np.array([0.5]))
        assert [f.result() for f in [pool.submit(add, i, more=2) for i in range(6)]] == [
            add(i, more=2) for i in range(6)
        ]
        with pytest.raises(td.PhyslError) as raised:
            pool.submit(refuses, np.ones(2)).result()
        assert isinstance(raised.value, IndexError) and "refuses" not in raised.value.message
    with context.Pool(2) as pool:
        assert pool.map(add, range(5)) == [add(i) for i in range(5)]


def test_a_fork_while_runs_go_on():
    """Other threads of the parent are inside of the same program."""
    context = multiprocessing.get_context("fork")
    busy = [scaled_norm.submit(np.ones(200_000)) for _ in range(50)]
    for n in range(5):
        with concurrent.futures.ProcessPoolExecutor(1, mp_context=context) as pool:
            assert pool.submit(scaled_norm, np.ones(n + 1)).result() == scaled_norm(np.ones(n + 1))
    assert len({f.result() for f in busy}) == 1


def test_children_of_a_fork_do_not_wait_for_the_parents_threads(tmp_path):
    body = """import threading, os
@td.jit
def loop(n):
    s = 0
    for i in range(n):
        s = s + i
    return s
stop = False
def busy():
    while not stop:
        loop(200)
threads = [threading.Thread(target=busy) for _ in range(2)]
for t in threads: t.start()
loop(10)
for _ in range(40):
    child = os.fork()
    if child == 0:
        os._exit(0 if loop(100) == 4950 else 1)
    assert os.waitpid(child, 0)[1] == 0
stop = True
for t in threads: t.join()
print("all")"""
    assert run_script(tmp_path, body) == "all\n"


def workers_after(seconds):
    time.sleep(seconds)
    scaled_norm(np.ones(3))
    with td.config(policy="always-async"):
        scaled_norm(np.ones(3))
    return os.getpid(), td.info()["runtime"]["workers"]


@pytest.mark.parametrize("method", ("fork", "spawn"))
def test_processes_of_a_pool_share_the_cores(method):
    cores = usable_cores()
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=multiprocessing.get_context(method)) as pool:
        list(pool.map(workers_after, [0.3, 0.3]))  # both are there
        found = dict(pool.map(workers_after, [0.6, 0.6]))
    assert set(found.values()) == {max(cores // 2, 1)}


def test_ranks_of_an_mpi_share_the_cores():
    cores, online = usable_cores(), os.cpu_count()
    is_bound = len(os.sched_getaffinity(0)) < online
    program = (
        "import treadle as td; from processes_module import scaled_norm; scaled_norm(2.0);"
        " print(td.info()['runtime']['workers'])"
    )
    folder = os.path.dirname(__file__)
    for variable in ("OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS"):
        half = min(cores, online // 2) if is_bound else cores // 2
        for ranks, expected in (("2", max(half, 1)), ("100000", 1), ("many", cores)):
            env = {**os.environ, variable: ranks}
            env.pop("TREADLE_WORKERS", None)
            said = subprocess.run(
                [sys.executable, "-c", program], env=env, cwd=folder, capture_output=True, text=True
            )
            assert said.stdout == f"{expected}\n", said.stderr


SCRIPT = """
import numpy as np, treadle as td
OFFSET = 2.0

@td.jit
def shifted(x):
    return np.sum(x) + OFFSET

if __name__ == "__main__":
"""


def run_script(tmp_path, body, *command):
    script = tmp_path / "script.py"
    script.write_text(SCRIPT + "".join(f"    {line}\n" for line in body.splitlines()))
    done = subprocess.run(
        [*command, sys.executable, script], capture_output=True, text=True, timeout=120,
        env={**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("method", START_METHODS)
def test_functions_of_a_script(tmp_path, method):
    body = f"""import concurrent.futures, multiprocessing
with concurrent.futures.ProcessPoolExecutor(2, mp_context=multiprocessing.get_context({method!r})) as pool:
    print([float(x) for x in pool.map(shifted, [np.ones(n) for n in range(4)])])"""
    assert run_script(tmp_path, body) == "[2.0, 3.0, 4.0, 5.0]\n"


def test_joblib(tmp_path):
    pytest.importorskip("joblib")
    body = """from joblib import Parallel, delayed
def plain(x):
    with td.config(workers=1):
        return float(shifted(x))
assert Parallel(n_jobs=2)(delayed(plain)(np.ones(n)) for n in range(3)) == [2.0, 3.0, 4.0]
print([float(x) for x in Parallel(n_jobs=2)(delayed(shifted)(np.ones(n)) for n in range(4))])"""
    assert run_script(tmp_path, body) == "[2.0, 3.0, 4.0, 5.0]\n"


def test_dask(tmp_path):
    pytest.importorskip("distributed")
    body = """from dask.distributed import Client, LocalCluster
options = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
with LocalCluster(**options) as cluster, Client(cluster) as client:
    print([float(x) for x in client.gather(client.map(shifted, [np.ones(n) for n in range(4)]))])
    print(float(client.submit(shifted, client.submit(np.ones, 7)).result()))"""
    assert run_script(tmp_path, body) == "[2.0, 3.0, 4.0, 5.0]\n9.0\n"


# How many workers a process of a pool uses, when its siblings have been there for a while.
WORKERS = """import os, time
def workers(_):
    for _ in range(2):
        time.sleep(0.6)
        with td.config(policy="always-async"):
            shifted(np.ones(3))
    return os.getpid(), td.info()["runtime"]["workers"]
"""


def test_workers_of_joblib_share_the_cores(tmp_path):
    pytest.importorskip("joblib")
    body = (
        WORKERS
        + """from joblib import Parallel, delayed
with Parallel(n_jobs=2) as pool:
    pool(delayed(workers)(i) for i in range(2))
    print(sorted(set(dict(pool(delayed(workers)(i) for i in range(4))).values())))"""
    )
    assert run_script(tmp_path, body) == f"[{max(usable_cores() // 2, 1)}]\n"


def test_workers_of_dask_share_the_cores(tmp_path):
    pytest.importorskip("distributed")
    body = (
        WORKERS
        + """from dask.distributed import Client, LocalCluster
options = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
with LocalCluster(**options) as cluster, Client(cluster) as client:
    print(sorted(set(n for _, n in client.run(workers, 0).values())))"""
    )
    assert run_script(tmp_path, body) == f"[{max(usable_cores() // 2, 1)}]\n"


def test_mpi4py(tmp_path):
    pytest.importorskip("mpi4py")
    mpirun = shutil.which("mpirun.openmpi")
    if mpirun is None:
        pytest.skip("OpenMPI is not installed")
    body = """from mpi4py import MPI
world = MPI.COMM_WORLD
parts = world.scatter([np.ones(n) for n in range(world.size)] if world.rank == 0 else None)
function = world.bcast(shifted if world.rank == 0 else None)
results = world.gather(function(parts))
if world.rank == 0:
    print([float(x) for x in results])"""
    assert run_script(tmp_path, body, mpirun, "--oversubscribe", "-n", "3") == "[2.0, 3.0, 4.0]\n"
