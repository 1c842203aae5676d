"""Pictures of schedules, of mappings and of graphs of tasks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from ...machine_map import MachineMap, Unit
from ..page import COLORS, canvas, svg
from .recordings import Graph, Slice

KIND_COLORS = {
    "potrf": "#c05621", "trsm": "#2b6cb0", "syrk": "#2f855a", "gemm": "#a0aec0",
    "merge": "#c05621", "sort": "#a0aec0", "program": "#edf2f7",
}  # fmt: skip
POOL_COLORS = {"critical": "#c05621", "default": "#90cdf4"}
FREE = "#f7fafc"


def schedule(slices: Sequence[Slice], span_us: float, workers: int) -> str:
    """A row for each worker. `span_us` is the length of the axis, so that pictures can be compared.

    Where pools lend each other workers, those that run more than their own are further threads, with higher numbers.
    """
    from matplotlib.patches import Patch

    threads = {s.worker for s in slices} | {f"worker {i}" for i in range(workers)}
    rows = {worker: row for row, worker in enumerate(sorted(threads))}
    drawing = canvas(6.2, 1.2 + 0.3 * len(rows))
    axes = drawing.add_subplot()
    for s in sorted(slices, key=lambda s: s.start - s.end):  # what ran inside of others lies over them
        axes.broken_barh(
            [(s.start, s.end - s.start)], (rows[s.worker] - 0.4, 0.8), facecolors=KIND_COLORS[s.kind],
            edgecolors="white", linewidth=0.3,
        )  # fmt: skip
    axes.set(xlabel="µs", xlim=(0, span_us), ylim=(len(rows) - 0.4, -0.6))
    axes.set_yticks(list(rows.values()), list(rows))
    kinds = [kind for kind in KIND_COLORS if any(s.kind == kind for s in slices)]
    names = {"program": "the program: makes tasks, waits"}
    drawing.legend(
        handles=[Patch(facecolor=KIND_COLORS[k], edgecolor="#cbd5e0", label=names.get(k, k)) for k in kinds],
        loc="outside upper center", ncols=len(kinds), frameon=False, fontsize="x-small",
    )  # fmt: skip
    return svg(drawing)


def mapping(found: MachineMap) -> str:
    """Domains below each other, a column for each core, a square for each of its hardware threads."""
    from matplotlib.patches import Patch, Rectangle

    by_core: dict[int, list[Unit]] = defaultdict(list)
    for unit in found.units:
        by_core[unit.core].append(unit)
    cores_of: dict[int, list[int]] = defaultdict(list)
    for core, units in by_core.items():
        cores_of[units[0].domain].append(core)
    threads = max(len(units) for units in by_core.values())
    pool_of = {unit.os_index: name for name, place in found.pools.items() for unit in place}
    height = threads + 0.8
    drawing = canvas(6.2, 0.55 + 0.16 * height * len(cores_of))
    axes = drawing.add_subplot()
    for row, cores in enumerate(cores_of.values()):
        for column, core in enumerate(cores):
            for unit in by_core[core]:
                color = POOL_COLORS.get(pool_of.get(unit.os_index, ""), FREE)
                axes.add_patch(
                    Rectangle((column, row * height + unit.thread), 0.85, 0.9, facecolor=color, linewidth=0)
                )
    most = max(len(cores) for cores in cores_of.values())
    axes.set(xlim=(-0.3, most + 0.2), ylim=(height * len(cores_of) - 0.6, -0.3), xlabel="cores of a domain")
    axes.set_yticks(
        [row * height + threads / 2 for row in range(len(cores_of))], [f"domain {d}" for d in cores_of],
        fontsize="small",
    )  # fmt: skip
    axes.set_xticks([])
    for side in axes.spines.values():
        side.set_visible(False)
    axes.tick_params(left=False)
    labels = [
        Patch(facecolor=POOL_COLORS[name], label=f"{name}: {len(place)} workers")
        for name, place in found.pools.items()
    ]
    drawing.legend(handles=labels, loc="outside upper center", ncols=2, frameon=False, fontsize="small")
    return svg(drawing)


def graph(edges: Sequence[tuple[int, int]], kinds: dict[int, str]) -> str:
    """Tasks in levels: each below all that it needs. `edges` are (task, what it needs)."""
    from matplotlib.patches import Patch

    level = levels(edges, kinds)
    rows: dict[int, list[int]] = defaultdict(list)
    for node in sorted(kinds):
        rows[level[node]].append(node)
    place = positions(edges, rows)
    drawing = canvas(6.2, 0.8 + 0.42 * len(rows))
    axes = drawing.add_subplot()
    for node, needed in edges:
        axes.annotate(
            "", place[node], place[needed],
            arrowprops={"arrowstyle": "-|>", "color": "#718096", "lw": 0.7, "shrinkA": 9, "shrinkB": 9},
        )  # fmt: skip
    for node, (x, y) in place.items():
        dark = KIND_COLORS[kinds[node]] == COLORS[1]
        axes.text(
            x, y, kinds[node], ha="center", va="center", fontsize="x-small", color="white" if dark else "black",
            bbox={"boxstyle": "round,pad=0.25", "facecolor": KIND_COLORS[kinds[node]], "edgecolor": "none",
                  "alpha": 1.0 if dark else 0.55},
        )  # fmt: skip
    xs = [x for x, _ in place.values()]
    axes.set(xlim=(min(xs) - 0.6, max(xs) + 0.6), ylim=(len(rows) - 0.5, -0.5))
    axes.axis("off")
    shown = [k for k in KIND_COLORS if k in kinds.values()]
    drawing.legend(
        handles=[Patch(facecolor=KIND_COLORS[k], label=f"{k}: {list(kinds.values()).count(k)}") for k in shown],
        loc="outside upper center", ncols=len(shown), frameon=False, fontsize="small",
    )  # fmt: skip
    return svg(drawing)


def levels(edges: Sequence[tuple[int, int]], nodes: Any) -> dict[int, int]:
    """The longest way from a task that needs nothing."""
    needs: dict[int, list[int]] = defaultdict(list)
    for node, needed in edges:
        needs[node].append(needed)
    found: dict[int, int] = {}

    def visit(node: int) -> int:
        if node not in found:
            found[node] = 1 + max((visit(n) for n in needs[node]), default=-1)
        return found[node]

    for node in nodes:
        visit(node)
    return found


def positions(edges: Sequence[tuple[int, int]], rows: dict[int, list[int]]) -> dict[int, tuple[float, float]]:
    """Each level in the middle, its tasks in the order of what they need above."""
    needs: dict[int, list[int]] = defaultdict(list)
    for node, needed in edges:
        needs[node].append(needed)
    place: dict[int, tuple[float, float]] = {}
    widest = max(len(row) for row in rows.values())
    for level in sorted(rows):
        above = {n: [place[m][0] for m in needs[n] if m in place] for n in rows[level]}
        ordered = sorted(rows[level], key=lambda n: (sum(above[n]) / len(above[n]) if above[n] else 0, n))
        step = widest / len(ordered)
        for i, node in enumerate(ordered):
            place[node] = ((i + 0.5) * step, float(level))
    return place


def edges_of(found: Graph) -> list[tuple[int, int]]:
    """(task, what it needs). Where tasks get the results of others, as in the merge sort, it follows from who made
    whom."""
    if found.inputs:
        return sorted(set(found.inputs))
    children: dict[int, list[int]] = defaultdict(list)
    for number, node in sorted(found.nodes.items()):
        children[node.parent].append(number)
    edges = [
        (child, parent)
        for parent, made in children.items()
        if parent in found.nodes
        for child in made
        if found.nodes[child].kind == "sort"
    ]
    for made in children.values():
        halves = [n for n in made if found.nodes[n].kind == "sort"]
        for merge in (n for n in made if found.nodes[n].kind == "merge"):
            edges += [(merge, _result(half, children, found)) for half in halves]
    return edges


def _result(sort: int, children: dict[int, list[int]], found: Graph) -> int:
    """Who makes what a sort returns: its merge, or the sort itself."""
    return next((n for n in children.get(sort, []) if found.nodes[n].kind == "merge"), sort)
