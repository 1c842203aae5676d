"""All measurements of a run, and the rows of its table."""

import statistics
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field

from rich.console import Console
from rich.table import Table


@dataclass
class Series:
    """All measurements of one rival on one workload with one number of workers."""

    unit: str = "s"
    values: list[float] = field(default_factory=list)
    operations: list[int] = field(default_factory=list)  # of each value; zeros: not to be divided
    rss_kb: int = 0
    verified: bool = True

    def costs(self) -> list[float]:
        """What rivals are compared by: per operation, for some do fewer of them, because theirs take so long."""
        return [value / max(count, 1) for value, count in zip(self.values, self.operations, strict=True)]


Key = tuple[str, str, int]  # workload, rival, workers


def summarize(series: Mapping[Key, Series]) -> list[dict]:
    cost = {key: statistics.median(s.costs()) for key, s in series.items()}
    rows = []
    for key in sorted(series, key=lambda k: (k[0], k[2], cost[k])):
        workload, rival, workers = key
        best = min(c for k, c in cost.items() if k[0] == workload and k[2] == workers)
        s = series[key]
        rows.append(
            {
                "workload": workload,
                "rival": rival,
                "workers": workers,
                "unit": s.unit,
                "total": statistics.median(s.values),
                "operations": s.operations[-1],
                "median": cost[key],
                "min": min(s.costs()),
                "max": max(s.costs()),
                "ratio_to_best": cost[key] / best if best else None,
                "peak_rss_kb": s.rss_kb,
                "verified": s.verified,
            }  # fmt: skip
        )
    return rows


SCALES = {
    "s": [(1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns")],
    "B": [(1e6, "MB"), (1e3, "kB"), (1.0, "B")],
}


def text_of(value: float, unit: str) -> str:
    """Three digits and a unit that suits the size."""
    scales = SCALES.get(unit, [(1.0, unit)])
    scale, name = next((s for s in scales if value >= s[0]), scales[-1])
    number = value / scale
    return f"{number:.{0 if number >= 99.95 else 1 if number >= 9.995 else 2}f} {name}"


def show(rows: list[dict]) -> None:
    """Median, minimum and maximum are per operation, where there are any."""
    table = Table(title_justify="left", header_style="bold")
    for name in ("workload", "rival"):
        table.add_column(name)
    for name in ("workers", "one run", "operations", "median", "min", "max", "to best", "peak MB"):
        table.add_column(name, justify="right")
    previous = None
    for row in rows:
        group = (row["workload"], row["workers"])
        if previous not in (None, group):
            table.add_section()
        ratio = row["ratio_to_best"]
        cells = [row["workload"] if group != previous else "", row["rival"], str(row["workers"])]
        cells += [text_of(row["total"], row["unit"]), f"{row['operations']:,}" if row["operations"] else ""]
        cells += [text_of(row[name], row["unit"]) for name in ("median", "min", "max")]
        cells += ["" if ratio is None else f"{ratio:.2f}", f"{row['peak_rss_kb'] / 1024:.1f}"]
        table.add_row(*cells, style="red" if not row["verified"] else "bold" if ratio == 1.0 else None)
        previous = group
    wide = None if sys.stdout.isatty() else 150
    Console(width=wide).print(table)
