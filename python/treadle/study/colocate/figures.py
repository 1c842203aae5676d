"""The paper's Figures 2 to 4, simulated."""

from __future__ import annotations

from typing import Any

from ..page import COLORS, canvas, svg
from . import paper

ROLES = (("producer", COLORS[0]), ("consumer", COLORS[1]))
AVERAGED = 7  # items


def iteration_times(found: dict[str, Any], averaged: bool) -> str:
    """Seconds of each item over the time at its end; `averaged`: the producer's over seven, as in Figure 2(b)."""
    drawing = canvas()
    axes = drawing.add_subplot()
    for (name, color), one in zip(ROLES, found["programs"], strict=True):
        ends = [one["begins_s"], *one["iteration_ends_s"]]
        times = [b - a for a, b in zip(ends, ends[1:], strict=False)]
        if averaged and name == "producer":
            times = [_mean(times[max(i - AVERAGED + 1, 0) : i + 1]) for i in range(len(times))]
            name += f", mean of {AVERAGED}"
        axes.plot(ends[1:], times, color=color, lw=1.2, label=name)
    axes.set(xlabel="s", ylabel="s per item, simulated", ylim=(0, None))
    _finish(axes)
    return svg(drawing)


def progress(found: dict[str, Any]) -> str:
    """Items done over time; the distance of the lines is the queue."""
    drawing = canvas()
    axes = drawing.add_subplot()
    for (name, color), one in zip(ROLES, found["programs"], strict=True):
        ends = one["iteration_ends_s"]
        axes.step(ends, range(1, len(ends) + 1), color=color, lw=1.2, where="post", label=name)
    axes.set(xlabel="s", ylabel="items, simulated", ylim=(0, None))
    _finish(axes)
    return svg(drawing)


def threads(found: dict[str, Any]) -> str:
    """Threads that each may have active, their sum, and the queue."""
    drawing = canvas()
    axes = drawing.add_subplot()
    moments = found["moments"]
    at = [m["at_s"] for m in moments]
    for n, (name, color) in enumerate(ROLES):
        axes.step(at, [m["workers"][n] for m in moments], color=color, lw=1, where="post", label=name)
    axes.step(at, [sum(m["workers"]) for m in moments], color="#a0aec0", lw=1, where="post", label="both")
    axes.plot(at, [m["queue"] for m in moments], color=COLORS[2], lw=1.4, label="items between")
    axes.axhline(paper.HARDWARE_THREADS, color="black", lw=0.6, ls=":")
    axes.set(xlabel="s", ylabel="threads, items; simulated", ylim=(0, None))
    _finish(axes)
    return svg(drawing)


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)


def _finish(axes: Any) -> None:
    axes.grid(alpha=0.25)
    axes.legend(frameon=False, fontsize=8)
