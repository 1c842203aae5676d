"""Times and waits as figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import cycle
from typing import Any

from ..page import COLORS, canvas, svg
from ..workers import named
from . import measured
from .comparisons import Simulated, medians, part_name
from .configurations import MEASURED
from .recordings import Waits

CURVES = {
    "paper-pools": (COLORS[1], "o"), "paper-pools-mtp": (COLORS[4], "s"), "strict": (COLORS[3], "v"),
    "lending": (COLORS[2], "^"), "paper-rest": ("#718096", "x"),
}  # fmt: skip
LINES = {"paper-default": ("black", "-"), "default": ("#718096", "--"), "critical-path": (COLORS[0], "-.")}


def simulated_times(found: Simulated, part: int) -> str:
    """Time over the size of the critical pool; configurations of one pool are lines across."""
    drawing = canvas()
    axes = drawing.add_subplot()
    for name, (color, marker) in CURVES.items():
        if points := sorted((c, 1e3 * r.seconds) for c, r in found.of(part, name).items()):
            axes.plot(*zip(*points, strict=True), color=color, marker=marker, ms=3, lw=1.2, label=name)
    for name, (color, style) in LINES.items():
        for run in found.of(part, name).values():
            axes.axhline(1e3 * run.seconds, color=color, ls=style, lw=1.2, label=name)
    bounds = [1e3 * r.bound_seconds for r in found.runs if r.part == part]
    axes.axhline(min(bounds), color="#cbd5e0", lw=4, label="lower bound", zorder=0)
    axes.set(xlabel="workers of the critical pool", ylabel="ms, simulated", ylim=(0, None))
    axes.grid(alpha=0.25)
    _legend(drawing, [axes], 4)
    return svg(drawing)


def simulated_waits(found: Simulated, part: int) -> str:
    """Staged and pending times of critical and other tasks over the size of the critical pool."""
    drawing = canvas()
    axes = drawing.add_subplot()
    sizes = sorted(found.of(part, "paper-pools").items())
    default = found.best(part, "paper-default")
    for (what, whose), color in zip(_WAITS, COLORS, strict=False):
        values = [getattr(r, f"{what}_{whose}_ns") / 1e3 for _, r in sizes]
        if not any(values):
            continue
        label = f"{what}, {whose}"
        axes.plot([c for c, _ in sizes], values, color=color, marker="o", ms=3, lw=1.2, label=label)
        if default:
            axes.axhline(getattr(default, f"{what}_{whose}_ns") / 1e3, color=color, ls=":", lw=1)
    axes.set(xlabel="workers of the critical pool (dotted: paper-default)", ylabel="µs per task, simulated")
    axes.set_yscale("symlog", linthresh=0.1)
    axes.set_ylim(0, 2 * axes.get_ylim()[1])
    axes.grid(alpha=0.25)
    _legend(drawing, [axes], 4)
    return svg(drawing)


_WAITS = [(what, whose) for what in ("staged", "pending") for whose in ("critical", "other")]


def measured_times(runs: Sequence[measured.Run], program: str, n: int, slow: int) -> str:
    """A panel for each tile or cut-off; medians with their intervals. Hollow: more workers than cores."""
    mine = [r for r in runs if (r.program, r.n, r.slow) == (program, n, slow)]
    parts = sorted({r.part for r in mine})
    workers = sorted({(r.workers, r.is_oversubscribed) for r in mine})
    drawing = canvas(12.4, 3.9)
    panels = drawing.subplots(1, len(parts), sharey=True, squeeze=False)[0]
    found = medians(mine)
    failed = {replace(r.cell, repeat=0) for r in mine if r.failed}
    names = list(MEASURED)
    for axes, part in zip(panels, parts, strict=True):
        _panel(
            axes, [c for c in found if c.part == part], [c for c in failed if c.part == part], found, workers
        )
        axes.set(title=f"{part_name(program)} {part}", xlabel="ms")
        axes.set_yticks(range(len(names)), names)
        axes.set_ylim(len(names) - 0.5, -0.5)
    _legend(drawing, panels)
    return svg(drawing)


def _panel(
    axes: Any,
    done: Sequence[measured.Cell],
    failed: Sequence[measured.Cell],
    found: Any,
    workers: Sequence[tuple[int, bool]],
) -> None:
    names = list(MEASURED)
    for i, ((count, crowded), color) in enumerate(zip(workers, cycle(COLORS), strict=False)):
        offset = (i - (len(workers) - 1) / 2) * min(0.22, 0.8 / len(workers))
        fill = "white" if crowded else color
        mine = [c for c in done if c.workers == count]
        for cell in mine:
            median = found[cell]
            y = names.index(cell.configuration) + offset
            if median.has_interval:
                axes.plot([1e3 * median.low, 1e3 * median.high], [y, y], color=color, lw=2, alpha=0.5)
            axes.plot(1e3 * median.value, y, "o", color=color, mfc=fill, ms=4)
        if mine:
            axes.plot([], [], "o", color=color, mfc=fill, ms=4, label=named(count, crowded))
    for name in {c.configuration for c in failed} - {c.configuration for c in done}:
        axes.text(0.02, names.index(name), "failed", transform=axes.get_yaxis_transform(), va="center",
                  fontsize="small", color="#a0aec0")  # fmt: skip
    if done:
        longest, shortest = (f(1e3 * found[c].value for c in done) for f in (max, min))
        if longest > 20 * shortest:
            axes.set_xscale("log")
        else:
            axes.set_xlim(left=0)
    axes.grid(alpha=0.25, axis="x")


def measured_waits(found: dict[str, dict[str, Waits]]) -> str:
    """Staged and pending times by configuration, of each recorded task."""
    drawing = canvas(12.4, 3.9)
    panels = drawing.subplots(1, 2, sharey=True)
    names = list(found)
    for axes, what in zip(panels, ("staged", "pending"), strict=True):
        for i, (whose, color) in enumerate((("critical", COLORS[1]), ("other", COLORS[0]))):
            values = [getattr(found[n][whose], f"{what}_ns") / 1e3 if whose in found[n] else 0 for n in names]
            places = [y + (i - 0.5) * 0.36 for y in range(len(names))]
            axes.barh(places, values, 0.34, color=color, label=f"{whose} tasks")
        axes.set(title=what, xlabel="µs per task")
        axes.set_yticks(range(len(names)), names)
        axes.set_ylim(len(names) - 0.5, -0.5)
        axes.grid(alpha=0.25, axis="x")
        if max((bar.get_width() for bar in axes.patches), default=0) == 0:
            axes.set_xlim(0, 1)
            axes.text(0.5, 0.5, "tasks are made when their inputs are there", ha="center", va="center",
                      transform=axes.transAxes, fontsize="small", color="#718096")  # fmt: skip
    _legend(drawing, panels)
    return svg(drawing)


def shares(found: dict[str, tuple[float, float]]) -> str:
    """The critical part of all tasks and of their time, in percent, by case."""
    drawing = canvas(6.2, 0.9 + 0.4 * len(found))
    axes = drawing.add_subplot()
    for i, (label, color) in enumerate((("of the tasks", COLORS[0]), ("of their time", COLORS[1]))):
        places = [y + (i - 0.5) * 0.36 for y in range(len(found))]
        axes.barh(places, [100 * pair[i] for pair in found.values()], 0.34, color=color, label=label)
    axes.set_yticks(range(len(found)), list(found), fontsize="small")
    axes.set(xlabel="critical, %", xlim=(0, 100), ylim=(len(found) - 0.5, -0.5))
    axes.grid(alpha=0.25, axis="x")
    axes.legend(frameon=False, fontsize="small")
    return svg(drawing)


def _legend(drawing: Any, panels: Sequence[Any], columns: int = 9) -> None:
    """One for all panels, above them."""
    entries: dict[str, Any] = {}
    for axes in panels:
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            entries.setdefault(label, handle)
    drawing.legend(
        list(entries.values()), list(entries), loc="outside upper center",
        ncols=max(min(len(entries), columns), 1), frameon=False, fontsize="small",
    )  # fmt: skip
