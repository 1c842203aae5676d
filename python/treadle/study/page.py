"""What the pages of the studies are made of: HTML that stands alone, with figures as SVG. Figures need matplotlib."""

from __future__ import annotations

import html
import io
import platform
from collections.abc import Iterable, Sequence
from typing import Any

from .. import _native

COLORS = ("#2b6cb0", "#c05621", "#2f855a", "#6b46c1", "#b83280")

STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; color: #1a202c; }
h1 { font-size: 1.6rem } h2 { font-size: 1.15rem; margin-top: 2.2rem }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .85rem; width: 100% }
th, td { text-align: right; padding: .2rem .6rem; border-bottom: 1px solid #e2e8f0 }
.words th, .words td { text-align: left; vertical-align: top; white-space: pre-line }
.words { table-layout: fixed; min-width: 46rem }
svg { width: 100%; height: auto }
figure { margin: 0 } figcaption { font-size: .85rem; color: #4a5568 }
.pair { display: flex; flex-wrap: wrap; gap: 1rem }
.pair > * { flex: 1 1 26rem; min-width: 0; max-width: 36rem }
.pair > .wide { flex-basis: 100%; max-width: none }
.note { color: #4a5568 } .scroll { overflow-x: auto }
"""

Section = tuple[str, str, list[str]]  # title, text, figures


def canvas(width: float = 6.2, height: float = 3.6) -> Any:
    """An empty figure of matplotlib; inches."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def svg(figure: Any) -> str:
    """A figure of matplotlib as part of a page."""
    out = io.StringIO()
    figure.savefig(out, format="svg", metadata={"Date": None})
    return out.getvalue()[out.getvalue().index("<svg") :]


def captioned(figure: str, text: str) -> str:
    return f"<figure>{figure}<figcaption>{html.escape(text)}</figcaption></figure>"


def head(title: str, question: str, about: str) -> str:
    """The beginning of a page; `about` ends with the machine."""
    machine: dict[str, Any] = _native.machine()
    return (
        "<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content='width=device-width'>"
        f"<title>{html.escape(title)}</title><style>{STYLE}</style><h1>{html.escape(question)}</h1>"
        f"<p>{html.escape(about)} {html.escape(str(machine['cpu']))}, {html.escape(platform.platform())}.</p>"
    )


def notes_of(notes: Iterable[str]) -> str:
    return "".join(f"<p class=note>{html.escape(note)}</p>" for note in notes)


def words(names: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of text; a cell may have several lines."""
    lines = ["<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>" for row in rows]
    return (
        "<div class=scroll><table class=words><tr>"
        + "".join(f"<th>{html.escape(name)}</th>" for name in names)
        + f"</tr>{''.join(lines)}</table></div>"
    )


def sections(found: Iterable[Section]) -> list[str]:
    """Those that have figures."""
    return [
        f"<h2>{html.escape(title)}</h2><p>{html.escape(text)}</p><div class=pair>{''.join(figures)}</div>"
        for title, text, figures in found
        if figures
    ]


def table_of(names: Sequence[str], rows: Sequence[Sequence[Any]], title: str = "All numbers") -> str:
    """All numbers of a study."""
    lines = ["<tr>" + "".join(f"<td>{html.escape(str(cell))}</td>" for cell in row) + "</tr>" for row in rows]
    return (
        f"<h2>{html.escape(title)}</h2><div class=scroll><table><tr>"
        + "".join(f"<th>{html.escape(name)}</th>" for name in names)
        + "</tr>"
        + "".join(lines)
        + "</table></div>"
    )
