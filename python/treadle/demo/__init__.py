"""The demonstration: array programs as execution trees, next to plain NumPy."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    SpinnerColumn,
    TaskProgressColumn,
    TextColumn,
    TimeElapsedColumn,
)
from rich.table import Table

from .data import Workload, workloads
from .runner import Comparison, Outcome, compare, rivals

__all__ = ["Comparison", "Outcome", "Workload", "run", "workloads"]


def run(name: str, csv: Path | None, console: Console) -> list[Comparison]:
    """Run one demonstration, or "all", with a progress bar."""
    chosen = workloads(name, csv)
    results = []
    columns = (
        SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeElapsedColumn(),
    )  # fmt: skip
    with Progress(*columns, console=console, transient=True) as progress:
        for workload in chosen:
            bar = progress.add_task(workload.title, total=float(len(rivals(workload))))
            results.append(compare(workload, _reporter(progress, bar, workload.title)))
            progress.remove_task(bar)
    return results


def _reporter(progress: Progress, bar: object, title: str) -> Callable[[str, float], None]:
    finished: list[str] = []

    def report(rival: str, fraction: float) -> None:
        if rival not in finished:
            finished.append(rival)
        progress.update(bar, description=f"{title}: {rival}", completed=len(finished) - 1 + fraction)  # type: ignore[arg-type]

    return report


def duration(seconds: float) -> str:
    if seconds < 1e-3:
        return f"{seconds * 1e6:.0f} us"
    return f"{seconds * 1e3:.1f} ms" if seconds < 1 else f"{seconds:.2f} s"


def show(comparison: Comparison, console: Console) -> None:
    workload = comparison.workload
    table = Table(
        title=f"[bold]{workload.title}[/]\n[dim]{workload.detail}", title_justify="left", header_style="bold"
    )
    table.add_column("rival", no_wrap=True)
    for name in ("time", "against NumPy", "tasks created", "inlined", "largest difference"):
        table.add_column(name, justify="right")
    numpy = comparison.outcomes[0].seconds
    fastest = min(o.seconds for o in comparison.outcomes)
    for o in comparison.outcomes:
        against = f"{numpy / o.seconds:.2f}x"
        style = "bold green" if o.seconds == fastest else None
        tasks = "" if o.profile is None else f"{o.tasks:,}"
        share = "" if o.inlined_share is None else f"{o.inlined_share:.1%}"
        difference = "" if o.difference is None else "0" if o.difference == 0 else f"{o.difference:.1e}"
        table.add_row(o.title, duration(o.seconds), against, tasks, share, difference, style=style)
    console.print(table)
    console.print()
