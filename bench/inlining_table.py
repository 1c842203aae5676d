"""The tables of docs/guide/inlining.md, of the saved runs of `treadle study inlining`."""

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from series import text_of
from tables import table

from treadle.study.inlining import PROGRAMS, SERIES, Run
from treadle.study.inlining_findings import of
from treadle.study.log import read
from treadle.study.median import Median, leader

PAGE = Path(__file__).resolve().parents[1] / "docs" / "guide" / "inlining.md"
Case = tuple[int, str, int, int]  # workers, what they are called, users and items


def by_policy(runs: Sequence[Run]) -> str:
    """Time per iteration: a row for each set and number of workers, a column for each policy."""
    seconds: dict[Case, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for run in runs:
        case = run.workers, run.workers_cell(), run.users, run.items
        seconds[case][run.policy].append(run.seconds / run.iterations)
    rows = []
    for (_, workers, users, items), by_series in sorted(seconds.items()):
        medians = {policy: Median.of(found) for policy, found in by_series.items()}
        first = leader(medians)
        cells = [text_of(medians[p].value, "s") if p in medians else "–" for p in SERIES]
        bold = [f"**{cell}**" if p == first else cell for p, cell in zip(SERIES, cells, strict=True)]
        rows.append([f"{users} × {items}", workers, *bold])
    shown = table(["ratings", "workers", *SERIES], rows)
    counts = {len(found) for by_series in seconds.values() for found in by_series.values()}
    if not counts:
        return shown
    least_and_most = " to ".join(str(count) for count in sorted({min(counts), max(counts)}))
    return f"{shown}\n\nMedians of {least_and_most} runs."


def blocks(folder: Path) -> dict[str, str]:
    runs = of(read(folder / "inlining.csv", Run), "sizes")
    return {f"sizes_{program}": by_policy([r for r in runs if r.program == program]) for program in PROGRAMS}
