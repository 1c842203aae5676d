"""Heat maps over the grid, time against overhead, and what was found out over the parcels sent."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import cycle
from typing import Any

from ..page import COLORS, canvas, svg


def heat_map(values: Mapping[tuple[int, int], float], label: str) -> str:
    """Over parcels and interval."""
    parcels = sorted({n for n, _ in values})
    intervals = sorted({us for _, us in values})
    drawing = canvas()
    axes = drawing.add_subplot()
    table = [[values.get((n, us), float("nan")) for us in intervals] for n in parcels]
    shown = axes.imshow(table, aspect="auto", origin="lower", cmap="viridis_r")
    for y, row in enumerate(table):
        for x, value in enumerate(row):
            axes.text(x, y, f"{value:.3g}", ha="center", va="center", fontsize=7, color="white",
                      bbox={"facecolor": "#1a202c", "alpha": 0.45, "lw": 0, "pad": 1})  # fmt: skip
    axes.set_xticks(range(len(intervals)), [str(us) for us in intervals])
    axes.set_yticks(range(len(parcels)), [str(n) for n in parcels])
    axes.set(xlabel="interval, µs", ylabel="parcels per message, at most")
    drawing.colorbar(shown, ax=axes, label=label)
    return svg(drawing)


def time_against_overhead(points: Mapping[str, Sequence[tuple[float, float]]]) -> str:
    """A point for each setting, by program."""
    drawing = canvas()
    axes = drawing.add_subplot()
    for (name, pairs), color in zip(points.items(), COLORS, strict=False):
        axes.plot([x for x, _ in pairs], [y for _, y in pairs], "o", ms=4, color=color, label=name)
    axes.set(xlabel="network overhead, %", ylabel="s", ylim=(0, None))
    axes.grid(alpha=0.25)
    axes.legend(frameon=False, fontsize=8)
    return svg(drawing)


def found_out(series: Mapping[str, str]) -> str:
    """Overhead and settings over the parcels sent."""
    drawing = canvas(6.2, 5.2)
    panels: Any = drawing.subplots(3, 1, sharex=True)
    for (name, text), color in zip(series.items(), cycle(COLORS), strict=False):
        phases = json.loads(text)
        sent = [p[0] for p in phases]
        panels[0].plot(sent, [p[2] for p in phases], color=color, lw=1.2, label=name)
        numbers = [_numbers(p[3]) for p in phases]
        panels[1].step(sent, [n[1] for n in numbers], color=color, lw=1.2, where="post")
        panels[2].step(sent, [n[0] for n in numbers], color=color, lw=1.2, where="post")
    for axes, label in zip(panels, ("overhead, %", "parcels, or bytes", "µs"), strict=True):
        axes.set_ylabel(label)
        axes.grid(alpha=0.25)
    for axes in panels[1:]:
        axes.set_yscale("symlog", linthresh=1)
    panels[2].set_xlabel("parcels sent")
    panels[0].legend(frameon=False, fontsize=8)
    return svg(drawing)


def _numbers(chosen: str) -> tuple[float, float]:
    """(µs, parcels or bytes) of "100 us, 50 parcels"; nan where nothing was chosen yet."""
    if not chosen:
        return float("nan"), float("nan")
    wait, amount = chosen.split(", ")
    return float(wait.removesuffix(" us")), float(amount.split()[0])
