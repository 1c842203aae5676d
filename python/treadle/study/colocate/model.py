"""The paper's programs and machine in simulated time.

Linear scaling would gain nothing from running two programs at once, so what keeps a program from using the machine must
be in the model. It has as little as the rows without an agent can tell:

* hardware threads are alike, and runnable threads share them equally; a second thread of a core is a whole one for the
  pair, whose programs the paper made up, and adds nothing for Seismic, whose time of a task is said for a core;
* a worker without work looks again after 50 ms, which the paper says;
* an iteration of the pair has a part that one thread does (the file, and what is not parallel): `serial`, the same
  share of the time that an iteration takes alone for both programs and all cases: one number, by least squares from the
  four rows "no agent"; how long iterations are follows from the four rows "sequential" and the ratios of the text;
* an instance of Seismic has a part of `begin_s` before its tasks, and tasks take `stretch` times what the paper says:
  two numbers from the two rows "sequential" and "no agent".

The rows with agents are not used.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ...simulated_sharing import Simulator
from . import paper
from .modes import Mode, settings

ITEM_BYTES = 100e6  # of an item; the paper names none
NOISE = 0.1  # of tasks, and of the items of the pair


@dataclass(frozen=True)
class Pair:
    """Seconds of an iteration alone."""

    producer_s: float
    consumer_s: float
    up_down: bool


@dataclass(frozen=True)
class Model:
    serial: float
    pairs: dict[str, Pair]
    begin_s: float
    stretch: float
    off: dict[str, float]  # how far each row "no agent" is from the paper's, as a share


def up_down() -> list[float]:
    steps = paper.UP_DOWN_ITEMS
    up = [
        paper.UP_DOWN_LEAST + (paper.UP_DOWN_MOST - paper.UP_DOWN_LEAST) * i / (steps - 1)
        for i in range(steps)
    ]
    return up + up[::-1]


def pair_scenario(pair: Pair, serial: float, mode: Mode, seed: int = 1, target: float = 0) -> dict[str, Any]:
    """`target`: items between the two, where the agent's settings do not say."""

    def program(name: str, seconds: float, part: str) -> dict[str, Any]:
        tasks_s = (1 - serial) * seconds * paper.HARDWARE_THREADS
        return {
            "name": name, "role": name, "group": "pair", "workers": paper.HARDWARE_THREADS,
            "iterations": paper.PAIR_ITERATIONS, "tasks": paper.PAIR_TASKS, "task_s": tasks_s / paper.PAIR_TASKS,
            part: serial * seconds, "sleep_s": paper.IDLE_SLEEP_S, "item_bytes": ITEM_BYTES,
            "fractions": mode.ours, "tells_total": mode.ours, "target": target,
        }  # fmt: skip

    producer = program("producer", pair.producer_s, "after_s")
    if pair.up_down:
        producer["cost"] = up_down()
    found = _scenario([producer, program("consumer", pair.consumer_s, "before_s")], mode, seed, 1.0)
    return {**found, "iteration_noise": NOISE}


def seismic_scenario(begin_s: float, stretch: float, mode: Mode, seed: int = 1) -> dict[str, Any]:
    programs = [
        {
            "name": f"fast {n}" if n else "slow", "workers": paper.HARDWARE_THREADS, "tasks": paper.SEISMIC_TASKS,
            "task_s": stretch * (paper.FAST_TASK_S if n else paper.SLOW_TASK_S), "before_s": begin_s,
            "start_s": paper.FAST_START_S if n else 0.0, "preferred": n == 0,
        }
        for n in range(1 + paper.FAST_COUNT)
    ]  # fmt: skip
    return _scenario(programs, mode, seed, 0.0)


def _scenario(programs: list[dict[str, Any]], mode: Mode, seed: int, second_thread: float) -> dict[str, Any]:
    names = tuple(one["name"] for one in programs)
    return {
        "machine": {
            "hardware_threads": paper.HARDWARE_THREADS, "cores": paper.CORES, "second_thread": second_thread,
        },
        "programs": programs, "sequential": mode.sequential, "on_events": mode.ours,
        "agent": settings(mode, paper.HARDWARE_THREADS, names), "noise": NOISE, "seed": seed,
    }  # fmt: skip


def calibrate(simulator: Simulator, modes: dict[str, Mode]) -> Model:
    """From the rows without an agent alone. About ten seconds."""

    def seconds(scenario: dict[str, Any]) -> float:
        return float(simulator.run(scenario)["ends_s"])

    def pairs_of(serial: float) -> dict[str, Pair]:
        return {case: _pair(case, serial, modes, seconds) for case in paper.CASES}

    def off(serial: float, pairs: dict[str, Pair]) -> dict[str, float]:
        return {
            case: seconds(pair_scenario(pair, serial, modes["no agent"])) / paper.SECONDS[case, "no agent"]
            - 1
            for case, pair in pairs.items()
        }

    def error(serial: float) -> float:
        return sum(value * value for value in off(serial, pairs_of(serial)).values())

    serial = _least(error, 0.05, 0.35)
    pairs = pairs_of(serial)
    begin_s, stretch = _seismic(modes, seconds)
    return Model(serial, pairs, begin_s, stretch, off(serial, pairs))


def _pair(
    case: str, serial: float, modes: dict[str, Mode], seconds: Callable[[dict[str, Any]], float]
) -> Pair:
    """Such that both one after the other take as long as the paper says."""
    wanted = paper.SECONDS[case, "sequential"] / paper.PAIR_ITERATIONS
    if case == "up-down":  # at the greatest cost an item takes both nearly as long
        shape = Pair(1 / paper.UP_DOWN_MOST, 1.0, True)
        whole = sum(up_down()) / len(up_down()) / paper.UP_DOWN_MOST + 1
    else:
        shape = Pair(1 / paper.PRODUCER_TIMES_FASTER[case], 1.0, False)
        whole = shape.producer_s + 1

    def at(scale: float) -> Pair:
        return Pair(shape.producer_s * scale, shape.consumer_s * scale, shape.up_down)

    # Sleeping adds a constant: a straight line through two points.
    low, high = 0.8 * wanted / whole, wanted / whole
    first, second = (
        seconds(pair_scenario(at(scale), serial, modes["sequential"])) / paper.PAIR_ITERATIONS
        for scale in (low, high)
    )
    return at(low + (wanted - first) * (high - low) / (second - first))


def _seismic(modes: dict[str, Mode], seconds: Callable[[dict[str, Any]], float]) -> tuple[float, float]:
    """What is not parallel makes the difference between the two rows; found in turns."""
    begin_s, stretch = 0.5, 1.0
    for _ in range(3):
        together = seconds(seismic_scenario(begin_s, stretch, modes["no agent"]))
        stretch *= paper.SECONDS["seismic", "no agent"] / together
        alone = seconds(seismic_scenario(begin_s, stretch, modes["sequential"]))
        begin_s += (paper.SECONDS["seismic", "sequential"] - alone) / (1 + paper.FAST_COUNT)
    return begin_s, stretch


def _least(error: Callable[[float], float], low: float, high: float) -> float:
    """Golden section; to within a hundredth of the first interval."""
    ratio = (5**0.5 - 1) / 2
    left, right = high - ratio * (high - low), low + ratio * (high - low)
    at_left, at_right = error(left), error(right)
    for _ in range(10):
        if at_left < at_right:
            high, right, at_right = right, left, at_left
            left = high - ratio * (high - low)
            at_left = error(left)
        else:
            low, left, at_left = left, right, at_right
            right = low + ratio * (high - low)
            at_right = error(right)
    return (low + high) / 2
