"""The command `treadle tune`."""

from __future__ import annotations

import csv
import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from .store import Search, Store

app = typer.Typer(
    help="What was found out in earlier runs, and later ones begin with: look at it, or have it forgotten.",
    no_args_is_help=True, rich_markup_mode=None,
)  # fmt: skip
out = Console(width=None if sys.stdout.isatty() else 140)

Name = Annotated[str | None, typer.Argument(help="Of a session, a place, a loop or a program; default: all.")]
File = Annotated[
    Path | None, typer.Option("--store", help="Another file than $TREADLE_STORE or the standard one.")
]


def _chosen(store: Store, name: str | None) -> list[Search]:
    found = store.searches()
    if name is None:
        return found
    chosen = [one for one in found if one.instance == name]
    if not chosen:
        names = sorted({one.instance for one in found})
        known = f"; there are {', '.join(names)}" if names else ": the store is empty"
        raise ValueError(f"nothing is stored of '{name}'{known}")
    return chosen


@app.command("list")
def list_command(
    store: File = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON array, without the points.")
    ] = False,
) -> None:
    """List the searches in the store: which values were best, and how sure that is."""
    opened = Store(store)
    found = opened.searches()
    if as_json:
        shown = [{k: v for k, v in asdict(one).items() if k != "points"} for one in found]
        for row, one in zip(shown, found, strict=True):
            row["best"] = one.best.values if one.best else None
        print(json.dumps(shown))
        return
    if not found:
        out.print(f"nothing is stored in {opened.path}", highlight=False, markup=False)
        return
    table = Table(
        "decision",
        "context",
        "best",
        "cost",
        "windows",
        "saved",
        "program",
        "machine",
        box=None,
        pad_edge=False,
    )
    for one in found:
        best, cost = (escape(one.best.values), f"{one.best.cost:.4g}") if one.best else ("", "")
        table.add_row(
            escape(f"{one.kind} of {one.instance}"),
            escape(one.context),
            best,
            cost,
            str(one.windows),
            one.saved,
            escape(one.program),
            escape(one.machine),
        )
    out.print(table)


@app.command("show")
def show_command(name: Name = None, store: File = None) -> None:
    """Show every point that was measured, the best first."""
    for one in _chosen(Store(store), name):
        context = f" for {one.context}" if one.context else ""
        out.print(
            f"{one.kind} of [bold]{escape(one.instance)}[/]{escape(context)}, saved {one.saved}",
            highlight=False,
        )
        out.print(
            f"  {escape(one.choices)}\n  {escape(one.program)} on {escape(one.machine)}", highlight=False
        )
        best = one.best
        table = Table("values", "cost", "to best", "spread", "windows", box=None, pad_edge=False)
        for point in one.points:
            ratio = f"{point.cost / best.cost:.2f}" if best else ""
            table.add_row(
                escape(point.values), f"{point.cost:.4g}", ratio, f"{point.spread:.1%}", str(point.windows)
            )
        out.print(table)
        out.print()


@app.command("export")
def export_command(
    name: Name = None,
    store: File = None,
    as_json: Annotated[bool, typer.Option("--json", help="JSON, a search per line, instead of CSV.")] = False,
) -> None:
    """Print everything for other programs: CSV, a point per line."""
    chosen = _chosen(Store(store), name)
    if as_json:
        for one in chosen:
            print(json.dumps(asdict(one)))
        return
    writer = csv.writer(sys.stdout, lineterminator="\n")
    about = ["kind", "instance", "choices", "context", "program", "machine", "saved"]
    writer.writerow([*about, "values", "cost", "spread", "windows"])
    for one in chosen:
        for p in one.points:
            writer.writerow(
                [*(getattr(one, column) for column in about), p.values, p.cost, p.spread, p.windows]
            )


@app.command("forget")
def forget_command(
    name: Annotated[str | None, typer.Argument(help="Of what to forget.")] = None,
    everything: Annotated[bool, typer.Option("--all", help="Everything.")] = False,
    store: File = None,
) -> None:
    """Remove results, so that the next run begins without them."""
    if (name is None) != everything:
        raise typer.BadParameter("give one name, or --all")
    opened = Store(store)
    chosen = _chosen(opened, name)
    opened.forget([one.number for one in chosen])
    out.print(f"{len(chosen)} search{'es' * (len(chosen) != 1)} forgotten", highlight=False)
