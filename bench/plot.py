"""Fill in the tables of README.md and docs/performance.md, and draw figures, of what `./dev bench all --save` left."""

import argparse
import sys
from pathlib import Path

import matplotlib
from results import RIVALS, Results, fullest, others, read
from tables import BODIES, NOTHING, PAGES, TASKS, TIMES, blocks, fill

matplotlib.use("svg")
import matplotlib.pyplot as plt  # noqa: E402
from matplotlib.axes import Axes  # noqa: E402
from matplotlib.figure import Figure  # noqa: E402
from matplotlib.ticker import FuncFormatter  # noqa: E402

# Text stays text, and the same data give the same file.
plt.rcParams.update(
    {
        "svg.fonttype": "none",
        "svg.hashsalt": "treadle",
        "font.family": "sans-serif",
        "font.size": 9,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.axisbelow": True,
        "legend.frameon": False,
    }
)
PLAIN = FuncFormatter(lambda value, _: f"{value:,.10g}")
STYLES = {  # colour and marker of each rival, the same in all figures
    "treadle": ("#c0392b", "o"),
    "treadle_futures": ("#e67e22", "o"),
    "tbb": ("#2471a3", "s"),
    "omp": ("#1e8449", "^"),
    "omp_llvm": ("#58b368", "v"),
    "rayon": ("#7d3c98", "D"),
    "chili": ("#c39bd3", "d"),
    "gnu_parallel": ("#148f77", "P"),
    "std_par": ("#5d6d7e", "X"),
    "vqsort": ("#b7950b", "h"),
    "std_async": ("#909497", "*"),
    "serial": ("#000000", "|"),
}


def points(
    axes: Axes,
    rows: list[str],
    values: dict[str, dict[str, float]],
    seen: dict[str, object],
    styles: dict[str, tuple[str, str]] = STYLES,
) -> None:
    """A row per workload with a point per rival on a logarithmic axis."""
    for y, row in enumerate(rows):
        for i, (rival, value) in enumerate(values[row].items()):
            colour, marker = styles[rival]
            size, front = (150, 1) if rival == "serial" else (34, 4 if rival == "treadle" else 3)
            aside = 0 if rival == "serial" else 0.1 * (i % 4 - 1.5)  # so that equal ones are seen
            seen[rival] = axes.scatter(value, y + aside, s=size, color=colour, marker=marker, zorder=front)
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter(PLAIN)
    axes.set_yticks(range(len(rows)), rows)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.grid(axis="both", color="#e5e7e9", linewidth=0.7)


def legend(figure: Figure, seen: dict[str, object]) -> None:
    names = [rival for rival in RIVALS if rival in seen]
    labels = [RIVALS[name] for name in names]
    columns = min(len(names), 5)
    figure.legend([seen[n] for n in names], labels, loc="upper center", ncols=columns, handletextpad=0.4)


def cost(results: Results) -> Figure | None:
    """What one task costs."""
    rows = [w for w in TASKS if any(results.rivals(w, n) for n in results.workers())]
    if not rows:
        return None
    seen: dict[str, object] = {}
    counts = results.workers()
    figure, panels = plt.subplots(
        1, len(counts), figsize=(9, 1.3 + 0.3 * len(rows)), sharex=True, sharey=True, squeeze=False
    )
    for axes, workers in zip(panels[0], counts, strict=True):
        found = {w: {r: c.value * 1e9 for r, c in results.rivals(w, workers).items()} for w in rows}
        points(axes, rows, found, seen)
        axes.set_title(f"{workers} worker{'s' * (workers > 1)}", loc="left")
        axes.set_xlabel("nanoseconds per operation")
    legend(figure, seen)
    figure.tight_layout(rect=(0, 0, 1, 0.9))
    return figure


def speedup(results: Results) -> Figure | None:
    """How much faster than serial code."""
    workers = results.workers()[-1]
    found = {w: results.rivals(w, workers) for w in (*TASKS, *TIMES)}
    gain = {
        w: {r: costs["serial"].value / c.value for r, c in costs.items() if r not in ("serial", "std_async")}
        for w, costs in found.items()
        if "serial" in costs
    }
    if not gain:
        return None
    seen: dict[str, object] = {}
    figure, axes = plt.subplots(figsize=(9, 1.4 + 0.26 * len(gain)))
    points(axes, list(gain), gain, seen)
    for at, text in ((1, "serial"), (workers, f"{workers} x")):
        axes.axvline(at, color="#566573", linewidth=0.8, linestyle="--", zorder=2)
        axes.annotate(
            text, (at, -0.5), ha="center", va="bottom", fontsize=8, color="#566573", annotation_clip=False
        )
    axes.set_xlabel(f"times as fast as the serial program, with {workers} workers")
    legend(figure, seen)
    figure.tight_layout(rect=(0, 0, 1, 0.9))
    return figure


def loops(results: Results) -> Figure | None:
    """From which length on a parallel loop pays."""
    workers = results.workers()[-1]
    seen: dict[str, object] = {}
    figure, panels = plt.subplots(1, len(BODIES), figsize=(9, 3.4), sharey=True)
    for axes, body in zip(panels, BODIES, strict=True):
        for rival in STYLES:
            ratios = {
                int(w.rsplit("_", 1)[1]): c.value / results.cost[w, "serial", n].value
                for (w, r, n), c in results.cost.items()
                if w.startswith(f"loops_{body}_") and (r, n) == (rival, workers) and rival != "serial"
            }
            if ratios:
                colour, marker = STYLES[rival]
                sizes = sorted(ratios)
                (seen[rival],) = axes.plot(
                    sizes, [ratios[n] for n in sizes], color=colour, marker=marker, markersize=4
                )
        axes.axhline(1, color="#000000", linewidth=0.8)
        axes.axhline(1 / workers, color="#566573", linewidth=0.8, linestyle="--")
        axes.set_xscale("log", base=2)
        axes.set_yscale("log")
        axes.set_xticks([16, 256, 4096, 65536])
        axes.xaxis.set_major_formatter(PLAIN)
        axes.yaxis.set_major_formatter(PLAIN)
        axes.set_title(body, loc="left")
        axes.set_xlabel("iterations")
        axes.grid(color="#e5e7e9", linewidth=0.7)
    panels[0].set_ylabel(f"time / serial time, {workers} workers")
    if not seen:
        return None
    legend(figure, seen)
    figure.tight_layout(rect=(0, 0, 1, 0.9))
    return figure


FIGURES = {"cost": cost, "speedup": speedup, "loops": loops}


def drawn(image: Path, figure: Figure | None, title: str, folder: str = "images") -> str:
    """What a page shows for this figure, whose folder is there from the page."""
    image.unlink(missing_ok=True)
    if not figure:
        return NOTHING
    image.parent.mkdir(exist_ok=True)
    figure.savefig(image, metadata={"Date": None})
    return f"![{title}]({folder}/{image.name})"


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--results", type=Path, help="folder of one machine (default: where most was measured)"
    )
    parser.add_argument("--page", type=Path, action="append", help="may be repeated (default: both)")
    options = parser.parse_args(argv)
    folder = options.results or fullest()
    results = read(folder)
    contents = blocks(results, map(read, others(folder)))
    for page in options.page or PAGES:
        text = page.read_text()
        for name, draw in FIGURES.items():
            if f"<!-- figure_{name} -->" in text:
                image = page.parent / "images" / f"{name}.svg"
                contents[f"figure_{name}"] = drawn(image, draw(results), draw.__doc__ or name)
        page.write_text(fill(text, contents))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
