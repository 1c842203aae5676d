"""Execution trees as files: one self-contained HTML page, Graphviz DOT, or Newick."""

from __future__ import annotations

import datetime
import json
import linecache
import math
import os
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import physl
from ..jit import JitFunction, relative
from ..observed import Files
from ..profile import Profile, Row, Slice, rows_of

if TYPE_CHECKING:
    from ..demo import Comparison

FORMATS = (".html", ".dot", ".newick")
MOST_SLICES = 4000


def visualize(
    function: JitFunction[..., Any] | physl.Program | Profile, path: str | os.PathLike[str]
) -> Path:
    """Write the execution tree of a compiled function, a PhySL program or a profile to a file.

    The ending chooses the form: .html is a page with times, decisions and source, of all runs so far; .dot is for
    Graphviz and .newick for tree viewers.
    """
    target = Path(path)
    if target.suffix not in FORMATS:
        raise ValueError(f"{target.name}: the ending says the form: {', '.join(FORMATS)}")
    if isinstance(function, Profile):
        if target.suffix != ".html":
            raise ValueError("a profile is written as .html; name the function for .dot and .newick")
        target.write_text(
            page([_comparison("Profile", "", [_run("recorded", function.rows, function.slices)])]), "utf-8"
        )
        return target
    if not isinstance(function, JitFunction | physl.Program):
        raise TypeError(
            f"visualize takes a td.jit function, a PhySL program or a profile, not {type(function).__name__}"
        )
    native = function.native
    if target.suffix == ".dot":
        target.write_text(native.dot(), "utf-8")
    elif target.suffix == ".newick":
        target.write_text(native.newick(), "utf-8")
    else:
        name = function.__name__ if isinstance(function, JitFunction) else function.name
        files: Files = function.files if isinstance(function, JitFunction) else [(function.name, 0)]
        records, _ = native.timeline()
        run = _run("all runs", rows_of(native, files), [Slice(*record) for record in records])
        target.write_text(page([_comparison(name, "execution tree", [run])]), "utf-8")
    return target


def demo_page(comparisons: list[Comparison], machine: dict[str, dict[str, Any]]) -> str:
    """The page of the demonstration: results, trees, decisions and timelines."""
    shown = []
    for c in comparisons:
        runs = []
        for o in c.outcomes:
            rows, slices = (o.profile.rows, o.profile.slices) if o.profile else ([], [])
            measured = {
                "seconds": o.seconds, "tasks": o.tasks, "evaluations": o.evaluations, "share": o.inlined_share,
                "difference": _finite(o.difference), "dropped": o.profile.dropped if o.profile else 0,
            }  # fmt: skip
            runs.append(_run(o.title, rows, slices) | measured)
        shown.append(_comparison(c.workload.title, c.workload.detail, runs))
    facts = [
        machine["machine"]["cpu"], f"{machine['runtime']['workers']} workers",
        f"Treadle {machine['build']['version']}", f"{machine['build']['compiler']}", f"NumPy {machine['build']['numpy']}",
    ]  # fmt: skip
    return page(shown, facts)


def _finite(number: float | None) -> float | None:
    """JSON has no infinity."""
    return number if number is not None and math.isfinite(number) else None


def page(comparisons: list[dict[str, Any]], facts: list[str] | None = None) -> str:
    folder = resources.files(__package__)
    template, style, script = (
        (folder / name).read_text("utf-8") for name in ("page.html", "page.css", "page.js")
    )
    data = {
        "facts": facts or [], "comparisons": comparisons,
        "date": datetime.datetime.now().strftime("%Y-%m-%d %H:%M"),
    }  # fmt: skip
    # "</" would end the script element that carries the data.
    embedded = json.dumps(data, allow_nan=False, separators=(",", ":")).replace("</", "<\\/")
    return template.replace("/*STYLE*/", style).replace("/*SCRIPT*/", script).replace("/*DATA*/", embedded)


def _comparison(title: str, detail: str, runs: list[dict[str, Any]]) -> dict[str, Any]:
    source = next((r.pop("source") for r in runs if r["nodes"]), None)
    for r in runs:
        r.pop("source", None)
    return {"title": title, "detail": detail, "runs": runs, "source": source or {"file": "", "lines": []}}


def _run(rival: str, rows: list[Row], slices: list[Slice]) -> dict[str, Any]:
    lines = _source(rows)
    index = {(entry["file"], entry["line"]): i for i, entry in enumerate(lines)}
    return {
        "rival": rival,
        "nodes": [
            [r.display, r.primitive, index.get((r.file, r.line), -1), r.parent, r.count, r.inclusive_ns, r.self_ns,
             r.inlined, r.spawned, r.mode, r.column]
            for r in rows
        ],
        "slices": [[s.row, s.worker, s.start_ns, s.end_ns] for s in _longest(slices)],
        "recorded": len(slices),
        "source": {"file": ", ".join(dict.fromkeys(relative(r.file) for r in rows if r.file)), "lines": lines},
    }  # fmt: skip


def _longest(slices: list[Slice]) -> list[Slice]:
    """What can be seen at the width of a page, in order of time."""
    kept = sorted(slices, key=lambda s: s.start_ns - s.end_ns)[:MOST_SLICES]
    return sorted(kept, key=lambda s: s.start_ns)


def _source(rows: list[Row]) -> list[dict[str, Any]]:
    """The lines that the nodes come from, whole from the first to the last in each file."""
    result: list[dict[str, Any]] = []
    for file in dict.fromkeys(r.file for r in rows if r.line):
        used = sorted({r.line for r in rows if r.file == file and r.line})
        for first, last in _spans(used):
            for line in range(first, last + 1):
                result.append(
                    {"file": file, "line": line, "text": linecache.getline(file, line).rstrip("\n")}
                )
    # Only what a reader needs of a path.
    return [entry | {"name": os.path.basename(entry["file"])} for entry in result]


def _spans(lines: list[int], gap: int = 12) -> list[tuple[int, int]]:
    spans: list[tuple[int, int]] = []
    for line in lines:
        if spans and line - spans[-1][1] <= gap:
            spans[-1] = (spans[-1][0], line)
        else:
            spans.append((line, line))
    return spans
