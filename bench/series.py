"""All measurements of a run, and the rows of its table."""

import statistics
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from host import Round
from rich.console import Console
from rich.table import Table

from treadle.study.median import Median, leader


@dataclass(frozen=True)
class Sample:
    value: float
    operations: int = 0  # 0: not to be divided
    faults: int | None = None  # pages that the system had to provide meanwhile, where they were counted
    round: Round = Round()
    switches: int | None = None  # times that the system took the processor from a thread of the whole process

    @property
    def cost(self) -> float:
        """What rivals are compared by: per operation, for some do fewer of them, because theirs take so long."""
        return self.value / max(self.operations, 1)


@dataclass
class Series:
    """All measurements of one rival on one workload with one number of workers."""

    unit: str = "s"
    samples: list[Sample] = field(default_factory=list)
    rss_kb: int = 0
    verified: bool = True

    def counted(self) -> list[Sample]:
        return [sample for sample in self.samples if sample.round.counts]

    def costs(self) -> list[float]:
        return [sample.cost for sample in self.counted()]


Key = tuple[str, str, int]  # workload, rival, workers


def judge_all(series: Mapping[Key, Series]) -> int:
    """Beside the best round of all: when the first ones were judged, nobody knew how fast a core can be. Returns how
    many count."""
    best = min((at.alone for at in rounds_of(series.values()) if at.alone), default=0.0)
    for s in series.values():
        s.samples = [replace(sample, round=sample.round.beside(best)) for sample in s.samples]
    return sum(at.counts for at in rounds_of(series.values()))


def rounds_of(found: Iterable[Series]) -> set[Round]:
    return {sample.round for series in found for sample in series.samples}


def summarize(series: Mapping[Key, Series]) -> list[dict]:
    """Without those that have no measurement that counts."""
    cost = {key: Median.of(costs) for key, s in series.items() if (costs := s.costs())}
    rows = []
    for key in sorted(cost, key=lambda k: (k[0], k[2], cost[k].value)):
        workload, rival, workers = key
        group = {k: c for k, c in cost.items() if (k[0], k[2]) == (workload, workers)}
        best = min(c.value for c in group.values())
        s, median = series[key], cost[key]
        counted = s.counted()
        faults = [sample.faults for sample in counted if sample.faults is not None]
        switches = [sample.switches for sample in counted if sample.switches is not None]
        rows.append(
            {
                "workload": workload,
                "rival": rival,
                "workers": workers,
                "unit": s.unit,
                "total": statistics.median(sample.value for sample in counted),
                "operations": counted[-1].operations,
                "rounds": len(counted),
                "discarded": len(s.samples) - len(counted),
                "median": median.value,
                "low": median.low if median.has_interval else None,
                "high": median.high if median.has_interval else None,
                "ratio_to_best": median.value / best if best else None,
                "leads": leader(group) == key,
                "faults": statistics.median(faults) if faults else None,
                "switches": statistics.median(switches) if switches else None,
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
    return text_of_median(Median(value), unit)


def text_of_median(median: Median, unit: str) -> str:
    """With its interval, if it has one, in the same unit."""
    scales = SCALES.get(unit, [(1.0, unit)])
    scale, name = next((s for s in scales if median.value >= s[0]), scales[-1])

    def digits(value: float) -> str:
        number = value / scale
        return f"{number:.{0 if number >= 99.95 else 1 if number >= 9.995 else 2}f}"

    interval = f" ({digits(median.low)}–{digits(median.high)})" if median.has_interval else ""
    return f"{digits(median.value)} {name}{interval}"


def rounds_text(counted: int, discarded: int) -> str:
    return f"{counted} of {counted + discarded}" if discarded else str(counted)


def show(rows: list[dict]) -> None:
    """Medians and their intervals are per operation, where there are any; bold: whose interval is below all others."""
    table = Table(title_justify="left", header_style="bold")
    for name in ("workload", "rival"):
        table.add_column(name)
    for name in (
        "workers", "one run", "operations", "rounds", "median, 95 %", "to best", "faults", "switches", "peak MB",
    ):  # fmt: skip
        table.add_column(name, justify="right")
    previous = None
    for row in rows:
        group = (row["workload"], row["workers"])
        if previous not in (None, group):
            table.add_section()
        ratio = row["ratio_to_best"]
        median = Median(row["median"])
        if row["low"] is not None:
            median = Median(row["median"], row["low"], row["high"])
        cells = [row["workload"] if group != previous else "", row["rival"], str(row["workers"])]
        cells += [text_of(row["total"], row["unit"]), f"{row['operations']:,}" if row["operations"] else ""]
        cells += [rounds_text(row["rounds"], row["discarded"]), text_of_median(median, row["unit"])]
        cells += ["" if ratio is None else f"{ratio:.2f}"]
        cells += ["" if row[name] is None else f"{row[name]:,.0f}" for name in ("faults", "switches")]
        cells += [f"{row['peak_rss_kb'] / 1024:.1f}"]
        table.add_row(*cells, style="red" if not row["verified"] else "bold" if row["leads"] else None)
        previous = group
    wide = None if sys.stdout.isatty() else 150
    Console(width=wide).print(table)
