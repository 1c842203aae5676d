"""`treadle predict`: simulated schedules of recorded and generated programs."""

import json
import re

import numpy as np
import pytest
from test_cli import refused, treadle

import treadle as td
from treadle.prediction import Setting, load, predict, sweep_pools, sweep_workers


@td.jit
def norm(x):
    return np.sqrt(np.sum(x * x))


ON_56 = Setting(machine="core:56 pu:1", costs="none", policy="shared-priority")


def test_orders_of_the_factorisation():
    program = load("cholesky:t=32,r=10")
    assert program.tasks() == 32 * 33 * 34 // 6 + 1  # and the one that makes them
    times = {
        order: predict(
            program, Setting(**{**vars(ON_56), "order": order, "critical": ("potrf",)})
        ).makespan_ns
        for order in ("fifo", "marked", "bottom-level")
    }
    assert times["bottom-level"] < times["marked"] < times["fifo"]


def test_the_same_seed_gives_the_same_result():
    program = load("merge-sort:n=20000,cutoff=50")
    setting = Setting(machine="numa:2 core:4 pu:2", distances="10,21;21,10", seed=7)
    assert predict(program, setting) == predict(program, setting)


def test_sweeps():
    program = load("fib:n=20,cutoff=8")
    found = sweep_workers(program, Setting(machine="core:8 pu:1"))
    assert [name for name, _ in found] == ["1 workers", "2 workers", "4 workers", "8 workers"]
    times = [one.makespan_ns for _, one in found]
    assert times == sorted(times, reverse=True)
    pools = sweep_pools(load("cholesky:t=8"), Setting(machine="core:8 pu:1", critical=("potrf",)))
    assert pools[0][0] == "one pool" and len(pools) == 1 + 2 * 7


def test_a_recorded_program(tmp_path):
    with td.config(policy="always-async", workers=2), td.trace(tmp_path / "run.tasks"):
        norm(np.ones(3))
    rc, out, err = treadle("predict", tmp_path / "run.tasks", "--workers", 2, "--json")
    assert rc == 0, err
    found = json.loads(out)
    assert found["simulated"] and len(found["workers"]) == 2
    assert found["makespan_ns"] >= found["lower_bound_ns"] > 0
    sites = load(str(tmp_path / "run.tasks")).sites()
    assert any(re.fullmatch(r"/phylanx\$0/sqrt\$0(\$\w+)?/0\$\d+\$\d+", site) for site in sites), sites


def test_inlining_is_decided_in_simulated_time():
    program = load("fib:n=16,cutoff=2")
    on = Setting(machine="core:4 pu:1")
    found = {how: predict(program, Setting(**vars(on) | {"inlining": how})) for how in ("always", "never")}
    assert found["always"].found["inlined"] == program.tasks() - 1 and found["never"].found["inlined"] == 0
    assert found["always"].makespan_ns < found["never"].makespan_ns
    rc, out, err = treadle("predict", "fib:n=16,cutoff=2", "--inlining", "paper-baseline:1:2")
    assert rc == 0 and re.search(r"inlined +\d", out), err


def test_command():
    rows = (",".join("10" if a == b else "21" for b in range(4)) for a in range(4))
    knl = ("--topology", "numa:4 core:18 pu:4", "--distances", ";".join(rows))
    rc, out, err = treadle(
        "predict", "cholesky:t=16,r=10", *knl, "--pools", "critical:256,default:32", "--critical", "potrf",
        "--mapping", "numa-balanced-mtp", "--costs", "hpx",
    )  # fmt: skip
    assert rc == 0, err
    assert out.startswith("cholesky:t=16,r=10: 817 tasks, ") and "simulated time" in out
    assert re.search(r"pool critical +16 tasks, each staged", out)
    rc, out, err = treadle(
        "predict", "stencil:width=8,steps=4", "--topology", "core:4 pu:1", "--sweep", "workers"
    )
    assert rc == 0, err
    assert out.splitlines()[0].startswith("simulated") and len(out.splitlines()) == 4


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere.tasks"], "cannot read the recording 'nowhere.tasks': No such file or directory"),
        (["fib", "--pools", "a:1:domains=3"], "pool 'a': cpus= and domains= are for runtimes"),
        (["fib", "--pools", "a:5000"], "pool 'a': expected at most 4096 workers"),
        (
            ["cholesky:t=4", "--pools", "a:1,b:1", "--critical", "potrf"],
            "critical sites need a pool 'critical'",
        ),
        (["cholesky:t=0"], "t is a number from 1 to 200, got '0'"),
        (["cholesky:x=1"], "nothing is called 'x'; there are t, r, unit"),
        (["fib", "--order", "best"], "no order 'best'; there are natural, fifo"),
        (["fib", "--policy", "best"], "no scheduling policy 'best'"),
        (["fib", "--costs", "tbb"], "no table of costs 'tbb'; there are none, treadle, hpx"),
        (["fib", "--mapping", "best"], "expected a mapping"),
        (["fib", "--critical", "potrf"], "no site of the program has 'potrf' in its name; there are fib"),
        (["fib", "--order", "marked"], "the order 'marked' needs critical sites"),
        (["fib", "--sweep", "pools"], "a sweep over pools needs critical sites"),
        (["fib", "--workers", "2", "--pools", "a:1"], "give either workers or pools"),
        (["fib", "--pools", "a:1:policy=static", "--policy", "static"], "the policy is given twice"),
        (["fib", "--topology", "no machine"], "topology 'no machine'"),
        (["fib", "--inlining", "some"], "no inlining 'some'; there are always, never"),
        (["fib", "--inlining", "paper-baseline:5:1"], "expected paper-baseline:LOWER:UPPER in us"),
        (["fib", "--core-speed", "0"], "the speed of cores is above 0"),
    ],
)
def test_bad_input(arguments, message):
    assert message in refused("predict", *arguments)


def test_recordings_that_are_not_whole(tmp_path):
    file = tmp_path / "a.tasks"
    file.write_text("treadle-tasks 2 0 0 0\n")
    assert f"{file}:1: has version '2', this program reads version 1" in refused("predict", file)
    file.write_text("treadle-tasks 1 0 0 0\nsite x\n")
    assert f"{file}:2: is cut short" in refused("predict", file)
    file.write_text("treadle-tasks 1 9 0 0\nend 0 0 0\n")
    assert "9 records had no room" in refused("predict", file)
