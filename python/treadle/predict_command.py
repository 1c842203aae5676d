"""The command `treadle predict`."""

from __future__ import annotations

import json as json_module
from enum import StrEnum
from typing import Annotated, Any

import typer

from .machine_map import MAPPINGS, WORKERS_MOST, parse_pools
from .prediction import (
    COSTS,
    ORDERS,
    POLICIES,
    Prediction,
    Setting,
    guesses_distances,
    load,
    predict,
    sweep_pools,
    sweep_workers,
)


class Sweep(StrEnum):
    workers = "workers"
    pools = "pools"


def predict_command(
    program: Annotated[
        str,
        typer.Argument(help="A recording, FILE.tasks, or a generator: cholesky, merge-sort, fib, stencil."),
    ],
    machine: Annotated[
        str, typer.Option("--topology", metavar="TEXT|FILE.xml", help="A machine in the syntax of hwloc.")
    ] = "",
    distances: Annotated[
        str, typer.Option(metavar="ROWS", help="Between its NUMA domains: '10,21;21,10'.")
    ] = "",
    workers: Annotated[
        int, typer.Option(min=0, max=WORKERS_MOST, help="Of one pool; 0: one for each hardware thread.")
    ] = 0,
    pools: Annotated[
        str,
        typer.Option(metavar="NAME:N,...", help="'critical:256,default:32', ':exclusive' to lend nothing."),
    ] = "",
    critical: Annotated[
        list[str] | None, typer.Option(metavar="SITE", help="Part of the name of sites that are critical.")
    ] = None,
    policy: Annotated[str, typer.Option(help=f"Of the pools: {', '.join(POLICIES)}.")] = "",
    order: Annotated[
        str, typer.Option(help=f"Which ready task goes first: {', '.join(ORDERS)}.")
    ] = "natural",
    mapping: Annotated[str, typer.Option(help=f"Where workers go: {', '.join(MAPPINGS)}.")] = "packed",
    costs: Annotated[str, typer.Option(help=f"What the runtime takes: {', '.join(COSTS)}.")] = "treadle",
    core_speed: Annotated[float, typer.Option(help="Relative to the machine of the recording.")] = 1.0,
    smt_gain: Annotated[
        float, typer.Option(help="What each further busy hardware thread adds to its core's speed.")
    ] = 0.25,
    bandwidth: Annotated[
        float, typer.Option(help="Of the memory of each domain, in GB/s; 0: never short.")
    ] = 0.0,
    spawn_calls: Annotated[
        bool, typer.Option("--spawn-calls", help="Tasks that ran inside of others become tasks of their own.")
    ] = False,
    inlining: Annotated[
        str,
        typer.Option(
            metavar="POLICY",
            help="Which tasks run where they are made, decided for each site while the simulated program runs: always,"
            " never, paper-baseline[:LOWER:UPPER] (µs), paper-adaptive, by-cost.",
        ),
    ] = "",
    seed: Annotated[int, typer.Option(min=0, max=2**64 - 1, help="Of what is drawn at random.")] = 0,
    sweep: Annotated[
        Sweep | None, typer.Option(help="Try several numbers of workers, or sizes of pools.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object, or one per line.")] = False,
) -> None:
    """Simulate how long a program takes on a machine, with workers, pools and schedules that are described.

    Record one with --treadle:trace=run.tasks, or with td.trace("run.tasks"). What comes out is simulated, not measured:

      treadle predict run.tasks --topology 'numa:4 core:18 pu:4' --sweep workers

      treadle predict cholesky:t=32,r=10 --topology 'core:56 pu:1' --critical potrf --order bottom-level
    """
    if workers and pools:
        raise ValueError("give either workers or pools")
    if sweep and pools:
        raise ValueError("a sweep makes the pools itself")
    if critical and pools and order != "marked" and "critical" not in parse_pools(pools):
        raise ValueError("critical sites need a pool 'critical', or --order marked")
    setting = Setting(
        machine, distances, core_speed, smt_gain, bandwidth, pools or (f"default:{workers}" if workers else ""),
        policy, tuple(critical or ()), order, mapping, spawn_calls, inlining, seed, costs,
    )  # fmt: skip
    loaded = load(program)
    if sweep:
        make = sweep_workers if sweep is Sweep.workers else sweep_pools
        _show_sweep(make(loaded, setting, workers), as_json=as_json)
        return
    found = predict(loaded, setting)
    if as_json:
        print(json_module.dumps(found.record()))
        return
    _show(program, found)


def _show(name: str, found: Prediction) -> None:
    program, setting = found.program, found.setting
    rows = [
        ("simulated time", duration(found.makespan_ns)),
        ("lower bound", f"{duration(found.lower_bound_ns)}, of which this is {_ratio(found)}"),
        ("workers", f"{len(found.found['workers'])}, of their time {_shares(found)}"),
        ("critical path", duration(program["critical_path_ns"])),
        ("suspended, in place", f"{found.found['suspensions']}, {found.found['in_place']}"),
        ("inlined", str(found.found["inlined"])),
    ]
    for pool, waits in found.found["pools"].items():
        rows.append((f"pool {pool}", _waits(waits)))
    for label, whose in (("critical tasks", "critical"), ("other tasks", "others")):
        if found.found[whose]["tasks"] and setting.critical:
            rows.append((label, _waits(found.found[whose])))
    if program["recorded_ns"]:
        rows.append(("recorded time", duration(program["recorded_ns"])))
    print(f"{name}: {program['tasks']} tasks, {duration(program['work_ns'])} of work; simulated")
    width = max(len(label) for label, _ in rows)
    for label, text in rows:
        print(f"  {label:<{width}}  {text}")
    if unknown := program["unknown"]:
        print(f"  {unknown} waits and inputs are not in the recording: promises, channels and the like")
    if guesses_distances(setting):
        print("  distances between domains are not known: each counts as twice as far as the own one")


def _waits(waits: dict[str, Any]) -> str:
    each = max(waits["tasks"], 1)
    staged, pending = (duration(waits[what] / each) for what in ("staged_ns", "pending_ns"))
    return f"{waits['tasks']} tasks, each staged {staged}, pending {pending}"


def _shares(found: Prediction) -> str:
    return ", ".join(f"{what} {100 * found.share(what):.1f} %" for what in ("busy", "overhead", "idle"))


def _ratio(found: Prediction) -> str:
    return f"{found.makespan_ns / found.lower_bound_ns:.3f} times" if found.lower_bound_ns else "-"


def _show_sweep(found: list[tuple[str, Prediction]], *, as_json: bool) -> None:
    if as_json:
        for _, one in found:
            print(json_module.dumps(one.record()))
        return
    width = max(len(name) for name, _ in found)
    print(
        f"{'simulated':<{width}}  {'time':>10}  {'faster':>7}  {'by bound':>8}  {'idle':>6}  pending: critical, others"
    )
    first = found[0][1].makespan_ns
    for name, one in found:
        waits = ", ".join(duration(one.mean_wait_ns(whose, "pending")) for whose in ("critical", "others"))
        faster = first / one.makespan_ns if one.makespan_ns else 1.0
        bound = one.makespan_ns / one.lower_bound_ns if one.lower_bound_ns else 1.0
        print(
            f"{name:<{width}}  {duration(one.makespan_ns):>10}  {faster:>6.2f}x  {bound:>8.3f}"
            f"  {100 * one.share('idle'):>5.1f}%  {waits}"
        )


def duration(ns: float) -> str:
    for unit, size in (("s", 1e9), ("ms", 1e6), ("us", 1e3)):
        if ns >= size:
            return f"{ns / size:.4g} {unit}"
    return f"{ns:.4g} ns"
