"""Write docs/evidence.md: every quantitative claim of the papers beside what was measured and simulated, from saved data.
And fill in the tables of docs/guide/inlining.md.

The verdicts are written by hand, below; a claim without one, or a verdict without its claim, is an error.
"""

import argparse
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import inlining_table
from results import newest
from tables import fill

from treadle.study import grain as grain_study
from treadle.study import inlining, inlining_findings, inlining_simulated, inlining_simulated_page
from treadle.study.coalescing import measured as coalescing
from treadle.study.coalescing import page as coalescing_page
from treadle.study.colocate import measured as colocate
from treadle.study.colocate import page as colocate_page
from treadle.study.colocate import paper as colocate_paper
from treadle.study.colocate import simulated as colocate_simulated
from treadle.study.grain_findings import comparison as grain_comparison
from treadle.study.log import read
from treadle.study.metrics import Run as GrainRun
from treadle.study.metrics import metrics
from treadle.study.priority import findings as priority
from treadle.study.priority import measured as priority_measured
from treadle.study.priority import simulated as priority_simulated

PAGE = Path(__file__).resolve().parents[1] / "docs" / "evidence.md"
CLOSE = 5  # percent that the simulation of programs that share a machine may be off
SMALL = 1  # percent: of such a change the sign says nothing
DOMAINS = 1  # of memory, of the machine that the saved data are from


class Claim(NamedTuple):
    what: str
    paper: str
    measured: str = "–"
    simulated: str = "–"
    verdict: str = ""


class Paper(NamedTuple):
    title: str
    folder: str  # of its data
    guide: str
    claims: Callable[[Path], Iterator[Claim]]


def task_sizes(folder: Path) -> Iterator[Claim]:
    rows = metrics(read(folder / "grain.csv", GrainRun))
    by_workers = {w: [r for r in rows if r.workers == w] for w in sorted({r.workers for r in rows})}
    for what, paper, here in grain_comparison(by_workers, grain_study.Sweep().idle_rate):
        yield Claim(what, paper, here)


def inlined_tasks(folder: Path) -> Iterator[Claim]:
    for what, paper, here in inlining_findings.comparison(read(folder / "inlining.csv", inlining.Run)):
        yield Claim(what, paper, here)
    runs = read(folder / "inlining-simulated.csv", inlining_simulated.Run)
    for what, paper, hpx, treadle in inlining_simulated_page.comparison(runs):
        yield Claim(f"{what}, 8 to 64 cores", paper, "–", f"HPX's costs: {hpx}\nTreadle's costs: {treadle}")


def pools(folder: Path) -> Iterator[Claim]:
    measured = read(folder / "priority.csv", priority_measured.Run)
    predicted = read(folder / "priority-simulated.csv", priority_simulated.Run)
    for row in priority.rows(measured, predicted, DOMAINS):
        yield Claim(row.what, row.paper, row.measured, row.simulated, row.verdict)


def shared_machines(folder: Path) -> Iterator[Claim]:
    found = colocate_page.Found(
        read(folder / "colocate-simulated.csv", colocate_simulated.Run),
        read(folder / "colocate.csv", colocate.Run),
    )
    for row in colocate_page.rows(found):
        if row.claimed is not None:  # the others are about ours
            yield Claim(row.what, row.paper, row.here, row.simulated, shared_verdict(found, row))


def shared_verdict(found: colocate_page.Found, row: colocate_page.Row) -> str:
    """The model is fitted to the seconds without an agent; with one, what counts is the change to these, and its sign."""
    if row.claimed is None or row.found is None:
        return "not simulated"
    if row.seconds_of is None:
        off = 100 * (row.found.value / row.claimed - 1)
        return f"{'reproduced' if abs(off) <= CLOSE else 'not reproduced'} in simulation: {off:+.1f} %"
    case, mode = row.seconds_of
    if mode in ("sequential", "no agent"):
        return "the model of the simulation is fitted to such rows"
    if (alone := found.of(case, "no agent")) is None:
        return "not simulated"
    claimed = 100 * (row.claimed / colocate_paper.SECONDS[case, "no agent"] - 1)
    change = 100 * (row.found.value / alone.value - 1)
    agrees = abs(change - claimed) <= CLOSE and (change * claimed > 0 or abs(claimed) < SMALL)
    return (
        f"{'reproduced' if agrees else 'not reproduced'} in simulation: {change:+.1f} % time against no agent, in the"
        f" paper {claimed:+.1f} %"
    )


def spread(found: list[float]) -> str:
    return f"{min(found):.2f} to {max(found):.2f}"


def parcels(folder: Path) -> Iterator[Claim]:
    found = coalescing_page.Found(read(folder / "coalescing.csv", coalescing.Run))
    told = list(coalescing_page.correlations(found))
    yield Claim(
        "Time and network overhead correlate, over numbers of parcels and intervals",
        "similar heat maps for Parquet; a positive correlation",
        "\n".join(f"{where}: {value} ({settings} settings)" for where, settings, value in told),
    )
    ratios: dict[str, list[float]] = {}
    for row in coalescing_page.rows(found):
        if row.setting.startswith("paper-adaptive") and row.ratio is not None:
            ratios.setdefault(row.setting, []).append(row.ratio)
    yield Claim(
        "The policy finds suitable numbers while the program runs",
        "converges, and the overhead falls (a figure of a toy application, without numbers)",
        "time against that of the best pair, over programs and networks:\n"
        + "\n".join(f"{setting}: {spread(found)}" for setting, found in ratios.items()),
    )


GRAIN, INLINING, COALESCING = "study-grain", "study-inlining", "study-coalescing"
PAPERS = (
    Paper("Grubel, Kaiser, Cook, Serio: The Performance Implication of Task Size for Applications on the HPX Runtime"
          " System, CLUSTER 2015", GRAIN, "guide/grain.md", task_sizes),
    Paper("Wagle, Monil, Huck, Malony, Serio, Kaiser: Runtime Adaptive Task Inlining on Asynchronous Multitasking Runtime"
          " Systems, ICPP 2019", INLINING, "guide/inlining.md", inlined_tasks),
    Paper("Jiang, Agung, Egawa, Takizawa: Task Priority Control for the HPX Runtime System, IPDPS workshops 2020",
          "study-priority", "guide/cholesky.md", pools),
    Paper("Dokulil, Benkner: Adaptive scheduling of colocated applications using a task-based runtime system",
          "study-colocate", "guide/agent.md", shared_machines),
    Paper("Wagle et al.: Parcel Coalescing Policy in APEX, poster, 2018", COALESCING, "guide/localities.md",
          parcels),
)  # fmt: skip


VERDICTS: dict[tuple[str, str], str] = {
    (GRAIN, "Execution time (Figure 3)"): "reproduced in its shape, with steeper ends",
    (GRAIN, "Idle-rate at the finest grain (Section IV-A)"):
        "not reproduced: what a task costs here is paid inside of tasks, which make the tasks of the next step and their"
        " futures; that counts as execution",
    (GRAIN, "Smallest partition with an idle-rate of at most 30 % (IV-A)"):
        "not reproduced, because the idle-rate is below 30 % at every grain: the rule takes the smallest",
    (GRAIN, "Management, T_o (Eq. 4, IV-B)"):
        "reproduced with two workers; with one it is little for coarse grains, because nobody waits for others",
    (GRAIN, "Wait time per task, t_w (Eq. 5, IV-C)"): "reproduced for the partition; two cores cannot show the other half",
    (GRAIN, "Wait time, T_w (Eq. 6, IV-C)"): "reproduced, but nowhere negative",
    (GRAIN, "Least T_o + T_w (IV-D, VI)"):
        "reproduced with two workers; with one there is no wait time, and what is left has no minimum where the time has",
    (GRAIN, "Fewest looks at pending queues (IV-E)"):
        "not reproduced: looks are fewest where there are few tasks",
    (GRAIN, "Coefficients of variation (IV)"):
        "reproduced for times with one worker; not with two, on a virtual machine that shares its cores, and with five"
        " samples",
    (INLINING, "Figures 5 to 7: best lower threshold, 400 x 400"):
        "not reproduced: no optimum; that small thresholds take longer is reproduced with two workers and more",
    (INLINING, "Figures 5 to 7: best lower threshold, 8 to 64 cores"):
        "not reproduced: all from 200 or 300 µs on are within 1 % of the best",
    (INLINING, "Figures 8 and 9: paper-baseline against tasks only, 8 to 64 cores"): "reproduced, most for small sets",
    (INLINING, "Figures 10 and 12: paper-adaptive against paper-baseline, 10 x 5, 8 to 64 cores"):
        "not simulated with Algorithm 2 as printed",
    (INLINING, "Figure 11: the same for the large sets, 8 to 64 cores"): "not simulated with Algorithm 2 as printed",
    (INLINING, "by-cost against paper-baseline, 10 x 5, 8 to 64 cores"):
        "ours: not better, because a threshold above what any node takes costs nothing to learn",
    (INLINING, "by-cost against paper-baseline, large sets, 8 to 64 cores"): "ours: no difference",
    (INLINING, "Figures 8 and 9: paper-baseline against every node a task (thresholds of zero)"):
        "reproduced, most for small sets; with one worker and 400 x 400 there is nothing to gain",
    (INLINING, "Figure 10: paper-adaptive against paper-baseline, 10 x 5"):
        "not reproduced: no interval is apart. Nodes of 10 x 5 take some microseconds, less than all thresholds that are"
        " searched, so both policies inline them, and the difference is what searching costs",
    (INLINING, "Figure 12: the same on Xeon"): "reproduced in that neither is better",
    (INLINING, "Section 4.4.1: paper-baseline takes longer with more threads, 10 x 5"):
        "not reproduced, as far as workers beyond the cores can show it: what is inlined does not notice them",
    (INLINING, "Section 4.4.1: paper-adaptive does not"): "reproduced, in the same way",
    (INLINING, "Figure 11: paper-adaptive against paper-baseline, large sets"):
        "not measured with Algorithm 2 as printed; three runs of each take some six hours here",
    (INLINING, "Section 4.4.1: paper-baseline scales on 500 x 5000"):
        "not reproduced: the program has next to no two nodes at the same time; adaptive, which splits its loops, scales",
    (INLINING, "Section 4.4.3: what paper-adaptive costs"):
        "not reproduced: beyond the noise only for 64 x 64, by 8 to 40 ns for an evaluation; seconds it is nowhere",
    (INLINING, "adaptive against paper-baseline, 10 x 5"): "ours: every case improves, few beyond the noise",
    (INLINING, "adaptive against the best other policy, everywhere"):
        "ours: not the best everywhere. With one worker there is nothing to gain; with two always-async is faster for the"
        " Python function and 400 x 400",
    (INLINING, "the same by the fastest run of each kind"):
        "ours: the same; by the fastest runs it is within 7 % of the best on the paper's program",
    (COALESCING, "Time and network overhead correlate, over numbers of parcels and intervals"):
        "reproduced but for Parquet over shared memory alone, where messages cost next to nothing",
    (COALESCING, "The policy finds suitable numbers while the program runs"):
        "not reproduced: it converges, to numbers with which programs take up to six times as long as with the best",
}  # fmt: skip


def claims_of(paper: Paper, results: Path) -> list[Claim]:
    """With their verdicts. Raises KeyError for a claim that has none, and for a verdict without a claim."""
    said = {what: verdict for (folder, what), verdict in VERDICTS.items() if folder == paper.folder}
    found = [
        claim if claim.verdict else claim._replace(verdict=said.pop(claim.what))
        for claim in paper.claims(results / paper.folder)
    ]
    if said:
        raise KeyError(f"{paper.folder}: no claim '{min(said)}'")
    return found


def cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", "<br>")


def page(results: Path) -> str:
    name = results.name
    parts = [
        "# Evidence",
        "Every quantitative claim of the papers that Treadle is built on, beside what was measured on two cores of an AMD"
        " EPYC and what was simulated for the papers' machines. The numbers are those of the saved runs; the page is"
        " written by `bench/evidence.py`. *Not reproduced* is a result like any other: it says that the claim does not"
        " hold here, and why, as far as that is known.",
    ]
    for paper in PAPERS:
        data = f"../bench/results/{name}/{paper.folder}/NOTE.md"
        rows = ["| " + " | ".join(cell(text) for text in claim) + " |" for claim in claims_of(paper, results)]
        parts += [
            f"## {paper.title}",
            f"How: [guide]({paper.guide}). From: [raw runs]({data}).",
            "\n".join(
                (
                    "| claim | the paper | measured here | simulated | verdict |",
                    "|---|---|---|---|---|",
                    *rows,
                )
            ),
        ]
    return "\n\n".join(parts) + "\n"


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=Path, help="folder of one machine (default: measured last)")
    options = parser.parse_args(argv)
    results = options.results or newest()
    PAGE.write_text(page(results), "utf-8")
    guide = inlining_table.PAGE
    guide.write_text(fill(guide.read_text("utf-8"), inlining_table.blocks(results / INLINING)), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
