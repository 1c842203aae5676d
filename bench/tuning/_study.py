"""The tables of docs/design/search.md, from what `search_study` has written: python bench/tuning/_study.py"""

import csv
import statistics
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

from plot import drawn, plt, points  # noqa: E402
from tables import fill, table  # noqa: E402

Row = dict[str, str]
KINDS = {
    "inlining": "inline",
    "chunks": "chunks",
    "grain": "grain",
    "splitting": "splitting",
    "session": "sessions",
}
STYLES = {
    "local-ucb": ("#c0392b", "o"),
    "parallel-rank-order": ("#2471a3", "s"),
    "nelder-mead": ("#1e8449", "^"),
    "random": ("#909497", "*"),
    "exhaustive": ("#7d3c98", "D"),
    "model": ("#000000", "X"),
}
LOST = "over_best_at_each_moment"
CHARACTERS = ("stationary", "abrupt", "slow", "periodic", "heavy tails")


def rows_of(file: str) -> list[Row]:
    with (HERE / file).open() as lines:
        return list(csv.DictReader(lines))


def mean(rows: Iterable[Row], column: str) -> float:
    """Of all surfaces; what is not known there does not count."""
    values = [float(row[column]) for row in rows]
    known = [value for value in values if value == value]
    return statistics.fmean(known) if known else float("nan")


def percent(rows: Iterable[Row], column: str = LOST) -> str:
    value = mean(rows, column)
    return "–" if value != value else f"{value:.1f}"


def variants(rows: list[Row], drift: str = "1", budget: str = "0.01") -> dict[str, list[Row]]:
    """Of each strategy, the best first."""
    found: dict[str, list[Row]] = {}
    for row in rows:
        if row["strategy"] == "model" or (row["drift"] == drift and row["budget"] == budget):
            found.setdefault(row["strategy"], []).append(row)
    return dict(sorted(found.items(), key=lambda item: mean(item[1], LOST)))


def named(strategy: str) -> str:
    return "no search: the model" if strategy == "model" else strategy


def overview(rows: list[Row]) -> str:
    """What each loses, and what it would without a part of the loop."""
    frozen, unlimited = variants(rows, drift="0"), variants(rows, budget="0")
    lines = []
    for strategy, all_of in variants(rows).items():
        chosen = [row for row in all_of if row["held_out"] == "0"]
        held_out = [row for row in all_of if row["held_out"] == "1"]
        others = (
            ["–", "–"] if strategy == "model" else [percent(frozen[strategy]), percent(unlimited[strategy])]
        )
        columns = [chosen, held_out, *([r for r in all_of if r["kind"] == kind] for kind in KINDS)]
        tries = percent(all_of, "explored")
        lines.append(
            [named(strategy), *map(percent, columns), percent(all_of, "over_best_fixed"), tries, *others]
        )
    header = ["", "not held out", "held out", *KINDS.values(), "over best fixed", "of it tries"]
    return table([*header, "without drift", "without limit"], lines)


def by_character(rows: list[Row]) -> str:
    lines = []
    for strategy, all_of in variants(rows).items():
        of = {c: [row for row in all_of if row["character"] == c] for c in CHARACTERS}
        at_first, again = (
            f"{mean(all_of, f'windows_until_{what}'):.0f}" for what in ("close", "close_again")
        )
        false_alarms = told = "–"
        if strategy != "model":
            false_alarms = f"{mean(of['stationary'] + of['heavy tails'], 'restarts') / 4000 * 1e6:.0f}"
            told = f"{statistics.median(float(row['windows_until_told']) for row in of['abrupt']):.0f}"
        lines.append(
            [named(strategy), *(percent(of[c]) for c in CHARACTERS), at_first, again, false_alarms, told]
        )
    header = ["", *CHARACTERS, "windows until close", "again after a change", "false alarms in 10⁶ windows"]
    return table([*header, "windows until a change is told"], lines)


def by_surface(rows: list[Row], wanted: Callable[[Row], bool]) -> str:
    """The search that is used against none, surface by surface."""
    found = variants(rows)
    lines = []
    for name in sorted({row["surface"] for row in rows if wanted(row)}):
        line = [f"`{name}`"]
        for character in CHARACTERS:
            cells = []
            for strategy in ("local-ucb", "model"):
                row = next(r for r in found[strategy] if (r["surface"], r["character"]) == (name, character))
                cells.append(f"{float(row[LOST]):.1f}")
            line.append(" / ".join(cells))
        lines.append(line)
    return table(["search / model", *CHARACTERS], lines)


def picture(rows: list[Row]) -> str:
    """What each search loses against the best choice at each moment."""
    of = variants(rows)
    parts = {f"kind: {name}": ("kind", kind) for kind, name in KINDS.items()}
    parts |= {f"character: {c}": ("character", c) for c in CHARACTERS}
    values = {
        part: {s: mean([row for row in of[s] if row[column] == wanted], LOST) for s in STYLES}
        for part, (column, wanted) in parts.items()
    }
    figure, axes = plt.subplots(figsize=(7.5, 4.2))
    seen: dict[str, object] = {}
    points(axes, list(parts), values, seen, STYLES)
    axes.axhline(len(KINDS) - 0.5, color="#909497", linewidth=0.7)
    axes.set_xticks([2, 5, 10, 20, 50])
    axes.minorticks_off()
    axes.set_xlabel("% over the best at each moment")
    figure.legend(seen.values(), map(named, seen), loc="upper center", ncols=3, handletextpad=0.4)
    figure.tight_layout(rect=(0, 0, 1, 0.9))
    return drawn(HERE.parents[1] / "docs/images/search.svg", figure, picture.__doc__ or "", "../images")


def main() -> int:
    page = HERE.parents[1] / "docs/design/search.md"
    before, now = rows_of("ablation.csv"), rows_of("study.csv")
    contents = {
        "ablation": overview(before),
        "ablation_by_character": by_character(before),
        "picture": picture(now),
        "study": overview(now),
        "study_by_character": by_character(now),
        "seen": by_surface(now, lambda row: row["held_out"] == "0"),
        "held_out": by_surface(now, lambda row: row["held_out"] == "1"),
    }
    page.write_text(fill(page.read_text(), contents))
    return 0


if __name__ == "__main__":
    sys.exit(main())
