"""Write docs/evidence.md: the quantitative claims of the papers beside what was measured and simulated, from saved
data. And fill in the tables of docs/guide/inlining.md.

The verdicts are written by hand, below; a claim without one, or a verdict without its claim, is an error.
"""

import argparse
import json
import sys
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import NamedTuple

import inlining_table
from results import fullest
from tables import fill

from treadle.study import grain as grain_study
from treadle.study import (
    grain_simulated,
    grain_simulated_page,
    inlining,
    inlining_findings,
    inlining_simulated,
    inlining_simulated_page,
)
from treadle.study.coalescing import measured as coalescing
from treadle.study.coalescing import page as coalescing_page
from treadle.study.coalescing import simulated as coalescing_simulated
from treadle.study.coalescing import simulated_page as coalescing_simulated_page
from treadle.study.colocate import measured as colocate
from treadle.study.colocate import page as colocate_page
from treadle.study.colocate import paper as colocate_paper
from treadle.study.colocate import simulated as colocate_simulated
from treadle.study.grain_findings import NOT_MEASURED
from treadle.study.grain_findings import comparison as grain_comparison
from treadle.study.log import read
from treadle.study.metrics import Metrics as GrainMetrics
from treadle.study.metrics import Run as GrainRun
from treadle.study.metrics import metrics
from treadle.study.priority import findings as priority
from treadle.study.priority import measured as priority_measured
from treadle.study.priority import simulated as priority_simulated

PAGE = Path(__file__).resolve().parents[1] / "docs" / "evidence.md"
CLOSE = 5  # percent, or percentage points of a change, that the simulation of shared machines may be off
SMALL = 1  # percent: of such a change the sign says nothing
OVERHEAD = 2  # where it is in what a run of the study of parcels says of a phase
SIMULATED_CORES = (8, 16, 32, 64)  # of the stencil
LEFT_OUT_CORES = (16, 64)  # where fewer tell enough
OVER_CORES = "Execution time over the cores (IV-D)"  # of which all numbers of cores are shown
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
    note: str  # how to read the numbers


def task_sizes(folder: Path) -> Iterator[Claim]:
    sweep = grain_study.Sweep()
    rows = metrics(read(folder / "grain.csv", GrainRun))
    here = grain_comparison(by_workers(rows, {r.workers for r in rows}), sweep.idle_rate)
    runs = read(folder / "grain-simulated.csv", grain_simulated.SimulatedRun)
    said: dict[str, list[str]] = {}
    for costs in inlining_simulated.COSTS:
        whose = grain_simulated_page.NAMES[costs]
        rows = metrics(run.scaled_to(sweep.points, sweep.steps) for run in runs if run.costs == costs)
        for what, _, found in grain_comparison(
            by_workers(rows, SIMULATED_CORES), sweep.idle_rate, lambda row: f"{row.workers} cores"
        ):
            lines = [
                line
                for line in found.splitlines()
                if what == OVER_CORES or not line.startswith(tuple(f"{n} cores:" for n in LEFT_OUT_CORES))
            ]
            if not found.startswith(NOT_MEASURED):
                said.setdefault(what, []).extend(f"{whose} costs, {line}" for line in lines)
    for what, paper, measured in here:
        yield Claim(what, paper, measured, "\n".join(said.get(what, ["–"])))


def by_workers(rows: list[GrainMetrics], workers: Collection[int]) -> dict[int, list[GrainMetrics]]:
    return {w: mine for w in sorted(workers) if (mine := [r for r in rows if r.workers == w])}


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
    """The model is fitted to the seconds without an agent; with one, what counts is the change to these, and its
    sign."""
    if row.claimed is None or row.found is None:
        return "not simulated"
    if row.is_given:
        return "no verdict: the programs are made so, here and in the simulation"
    if row.seconds_of is None:
        off = 100 * (row.found.value / row.claimed - 1)
        return f"{'reproduced' if abs(off) <= CLOSE else 'not reproduced'} in simulation: {off:+.1f} %"
    case, mode = row.seconds_of
    if mode in ("sequential", "no agent"):
        return "no verdict: the model of the simulation is fitted to the seconds without an agent"
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
    runs = read(folder / "coalescing.csv", coalescing.Run)
    found = coalescing_page.Found(runs)
    told = list(coalescing_page.correlations(found))
    yield Claim(
        "Time and network overhead correlate, over numbers of parcels and intervals",
        "similar heat maps for Parquet; a positive correlation",
        "\n".join(f"{where}: {value} ({settings} settings)" for where, settings, value in told),
    )
    phases = [json.loads(run.series) for run in runs if run.setting.startswith("paper-adaptive")]
    falls = sum(bool(of) and of[-1][OVERHEAD] < of[0][OVERHEAD] for of in phases)
    ratios: dict[str, list[float]] = {}
    for row in coalescing_page.rows(found):
        if row.ratio is not None:
            ratios.setdefault(row.setting, []).append(row.ratio)
    ours = spread(ratios["adaptive"])
    searches = [setting for setting in ratios if setting.startswith("paper-adaptive")]
    yield Claim(
        "The policy finds suitable numbers while the program runs",
        "converges, and the overhead falls (a figure of a toy application, without numbers)",
        "time against that of the best pair, over programs and networks:\n"
        + "\n".join(f"{setting}: {spread(ratios[setting])}" for setting in searches)
        + f"\noverhead of the last phase less than that of the first: in {falls} of {len(phases)} runs",
    )
    runs_simulated = read(folder / "coalescing-simulated.csv", coalescing_simulated.Run)
    simulated: dict[int, list[float]] = {}
    for network in dict.fromkeys(run.network for run in runs_simulated):
        of_network = [run for run in runs_simulated if run.network == network]
        groups = coalescing_simulated_page.groups(of_network)
        for localities, one in coalescing_simulated_page.by_localities(groups).items():
            if (ratio := one.against_grid(one.found_out)) is not None:
                simulated.setdefault(localities, []).append(ratio)
    yield Claim(
        "adaptive, the default, against the best pair",
        "–",
        f"searching included: {ours}",
        "\n".join(f"{localities} localities: {spread(found)}" for localities, found in simulated.items()),
    )


GRAIN, INLINING, COALESCING = "study-grain", "study-inlining", "study-coalescing"
PAPERS = (
    Paper("Grubel, Kaiser, Cook, Serio: The Performance Implication of Task Size for Applications on the HPX Runtime"
          " System, CLUSTER 2015", GRAIN, "guide/grain.md", task_sizes,
          "Means of five runs of each of 30 partition sizes. The paper's 28 cores stand beside one and two here. Simulated:"
          " cores like these, in domains of 16 that share a memory, with what tasks cost in HPX, estimated, and in Treadle;"
          " of the numbers of cores that were simulated those next to the paper's, 8 and 32, and more in the guide."),
    Paper("Wagle, Monil, Huck, Malony, Serio, Kaiser: Runtime Adaptive Task Inlining on Asynchronous Multitasking Runtime"
          " Systems, ICPP 2019", INLINING, "guide/inlining.md", inlined_tasks,
          "Medians of six runs, of the large sets one. *physl* is the paper's program, *python* the same as a function in"
          " Python. Above zero, percentages say how much less time the first policy takes than the second. A *case* is a"
          " set with a number of iterations and of workers; intervals *apart* do not overlap. *Oversubscribed*: more"
          " workers than cores. Simulated cores are alike, and memory is never short."),
    Paper("Jiang, Agung, Egawa, Takizawa: Task Priority Control for the HPX Runtime System, IPDPS workshops 2020",
          "study-priority", "guide/cholesky.md", pools,
          "Percentages are changes of the time: below zero it takes less. `potrf` takes ten times as long as it should, for"
          " the paper has long critical tasks, and does not say how long. Measured: medians of seven processes with two"
          " workers, of which the pools have one each. Simulated: machines like the paper's, in which tasks move no data,"
          " with what tasks cost in HPX, estimated, and in Treadle. Tiles are swept, as the paper does not name its own."
          " That the simulation has the paper's sign is said of HPX's costs, and not that it has the paper's figures."),
    Paper("Dokulil, Benkner: Adaptive scheduling of colocated applications using a task-based runtime system",
          "study-colocate", "guide/agent.md", shared_machines,
          "Verdicts are on the simulation, of the paper's machine of 24 hardware threads. A row is *reproduced* where it is"
          f" within {CLOSE} % of the paper's; or, for seconds with an agent, where the change to no agent is within {CLOSE}"
          f" percentage points of the paper's and has its sign, unless that is below {SMALL} %. Measured: medians of six"
          " runs of smaller programs on two hardware threads, so that only ratios can be compared. There no program gains"
          " from running beside another: all intervals of *no agent* and *sequential* overlap."),
    Paper("Wagle et al.: Parcel Coalescing Policy in APEX, poster, 2018", COALESCING, "guide/localities.md",
          parcels,
          "Medians of five runs of two processes on two cores of an AMD EPYC. *none* is shared memory as it is; in the"
          " others latency and costs of a network are added. The poster has next to no numbers."),
)  # fmt: skip


VERDICTS: dict[tuple[str, str], str] = {
    (GRAIN, "Execution time (Figure 3)"):
        "reproduced, also in the simulation: the paper's 40,000 points are within 5 % of the best speed here, too, and both"
        " ends take several times as long",
    (GRAIN, "Idle-rate at the finest grain (Section IV-A)"):
        "not reproduced: most of what a task costs here is spent inside other tasks, which make those of the next step, and"
        " counts as execution. Two cores are also far from 28. Reproduced in the simulation, where making tasks counts as"
        " management",
    (GRAIN, "Smallest partition with an idle-rate of at most 30 % (IV-A)"):
        "not reproduced: the idle-rate is below 30 % at the finest grain already, so the rule takes that. In the simulation"
        " it has the paper's share of the best speed with HPX's costs, at smaller partitions, and not with Treadle's",
    (GRAIN, "Management, T_o (Eq. 4, IV-B)"):
        "reproduced at both ends with two workers; in between it is not flat but falls, to a thousandth of what it is at"
        " the finest grain. With one worker, which waits for nobody, it is not high for coarse grains. The simulation has"
        " both ends, too",
    (GRAIN, "Wait time per task, t_w (Eq. 5, IV-C)"):
        "reproduced in that it grows with the partition; for its growth with the cores two of them are too few. In the"
        " simulation it grows with both",
    (GRAIN, "Wait time, T_w (Eq. 6, IV-C)"):
        "the first half is reproduced; the second is not: with one task for two workers T_w is above zero. So it is in the"
        " simulation with Treadle's costs; with HPX's the time is the same for all these sizes",
    (GRAIN, "Least T_o + T_w (IV-D, VI)"):
        "reproduced with two workers; with one, T_w is zero by its definition, and T_o alone is least for one task of all"
        " points. Reproduced in the simulation, where this grain has 93 to 100 % of the best speed",
    (GRAIN, "Fewest looks at pending queues (IV-E)"):
        "not reproduced: looks are fewest where there are few tasks, at less than half of the best speed. In the simulation"
        " the best speed is reached with HPX's costs, at larger partitions than the paper's, and not with Treadle's",
    (GRAIN, "Coefficients of variation (IV)"):
        "reproduced with one worker, in five samples; not with two",
    (GRAIN, "Where the times of fine grains begin (IV-A)"):
        "reproduced: at the size next to it 12 and 20 % of the speed are lost, and below it soon more. Tasks are shorter"
        " here, for a point takes a fifth of the time. In the simulation nothing is lost yet with HPX's costs and 8 cores,"
        " where memory is the limit",
    (GRAIN, "Idle-rate and time from 20,000 to 100,000 points (IV-A)"):
        "not reproduced: the idle-rate falls here, and the time grows. The simulation has it with Treadle's costs and 32"
        " cores, from 40,033 to 63,427 points",
    (GRAIN, "Tasks of medium grains (IV-C)"):
        "a matter of the machine: with one worker tasks of the same sizes take a third to a fifth of that here. Simulated"
        " tasks take as long as measured ones, and longer where they wait for memory",
    (GRAIN, OVER_CORES):
        "simulated: reproduced with HPX's costs for 8 and 16 cores, which share a memory; with more memories it takes less"
        " time. Not with Treadle's costs, where tasks find what they need in the caches of their cores",
    (GRAIN, "Standard deviation of the least time (IV-A)"):
        "reproduced, in five samples: about as large a share of the time. Simulated runs have none: there is one of each",
    (GRAIN, "Coefficients of variation with more than 16 cores (IV)"):
        "not measured; simulated runs do not vary. Two workers vary as much here (above)",
    (GRAIN, "Xeon Phi: fine grains (IV-A)"): "not measured",
    (GRAIN, "Xeon Phi: idle-rate and time from 100,000 to 800,000 points (IV-A)"): "not measured",
    (GRAIN, "Xeon Phi: tasks of medium grains (IV-C)"): "not measured",
    (GRAIN, "Xeon Phi: coefficients of variation (IV)"): "not measured",
    (INLINING, "Figures 5 to 7: best lower threshold, 400 x 400"):
        "not reproduced: nothing from 200 µs on can be told from the best; a gain as small as the paper's 5 % would not"
        " stand out of this noise either. With two workers thresholds below 100 µs, which the paper does not try, take"
        " longer",
    (INLINING, "Section 4.4.2: lower thresholds above 300 µs"):
        "reproduced as far as the noise lets one see: none of them can be told from the best",
    (INLINING, "Section 4.2: lower threshold after which gains diminish"):
        "not reproduced: there is no Bulldozer here, and no gain beyond the noise that could diminish",
    (INLINING, "Section 4.4.2: lower thresholds above 300 µs, 8 to 64 cores"): "reproduced",
    (INLINING, "Section 4.2: lower threshold after which gains diminish, 8 to 64 cores"):
        "not reproduced: nothing is gained up to 900 µs",
    (INLINING, "Figures 5 to 7: best lower threshold, 8 to 64 cores"):
        "not reproduced: 800 to 1000 µs are within 1 % of the best, but so is all from 200 or 300 µs on",
    (INLINING, "Figures 8 and 9: paper-baseline against tasks only, 8 to 64 cores"):
        "reproduced, most for small sets and many cores; more an order than figures, as the guide says",
    (INLINING, "Figures 10 and 12: paper-adaptive against paper-baseline, 10 x 5, 8 to 64 cores"):
        "not reproduced: nodes take some microseconds, less than all thresholds that are searched, so both policies inline"
        " all of them, on any number of cores",
    (INLINING, "Figure 11: the same for the large sets, 8 to 64 cores"):
        "not reproduced: half a percent less time at most. paper-baseline makes tasks of 20 to 51 % of the nodes,"
        " paper-adaptive of 2 to 25 %, but next to no two of them could run at the same time",
    (INLINING, "by-cost against paper-baseline, 10 x 5, 8 to 64 cores"):
        "ours: worse, by 4 to 9 % with HPX's costs and by 1 % at most with Treadle's: it makes tasks of 1 and 7 % of the"
        " nodes, paper-baseline of none",
    (INLINING, "by-cost against paper-baseline, large sets, 8 to 64 cores"): "ours: no difference",
    (INLINING, "Figures 8 and 9: paper-baseline against every node a task (thresholds of zero)"):
        "reproduced, most for small sets; with one worker beyond the noise for 10 x 5 only, and nothing is gained for"
        " 400 x 400",
    (INLINING, "Figure 10: paper-adaptive against paper-baseline, 10 x 5"):
        "not reproduced: no intervals are apart. Nodes of 10 x 5 take some microseconds, less than all thresholds that are"
        " searched, so both policies inline them: they can only differ by what searching costs",
    (INLINING, "Figure 12: the same on Xeon"):
        "in keeping with it: neither is better beyond the noise, in which 2 % would not be seen",
    (INLINING, "Section 4.4.1: paper-baseline takes longer with more threads, 10 x 5"):
        "not reproduced: some cases take longer, some take less time, and so they do with more workers than cores. Two"
        " cores say nothing of many",
    (INLINING, "Section 4.4.1: paper-adaptive does not"):
        "it does not scale, but nor does paper-baseline: the contrast of the two is not reproduced",
    (INLINING, "Figure 11: paper-adaptive against paper-baseline, large sets"):
        "not measured with Algorithm 2 as printed; three runs of each take some six hours here",
    (INLINING, "Section 4.4.1: paper-baseline scales on 500 x 5000"):
        "not reproduced, in one run of each, of an earlier version: the tree has next to no two nodes that could run at the"
        " same time. adaptive, which splits its loops, went from 148 s to 94 s with two workers",
    (INLINING, "Section 4.4.3: what paper-adaptive costs"):
        "not comparable in seconds, for runs take 0.1 to 0.2 s here. Beyond the noise only for 64 x 64",
    (INLINING, "adaptive against paper-baseline, 10 x 5"): "ours: better in every case, beyond the noise in 10 of 24",
    (INLINING, "adaptive against the best other policy, everywhere"):
        "ours: not the best everywhere. With one worker there is nothing to gain; with two always-async is faster for the"
        " Python function and 400 x 400",
    (INLINING, "the same by the fastest run of each kind"):
        "ours: by the fastest runs within 7 % of the best for the paper's program, and up to 22 % behind it for the Python"
        " function",
    (COALESCING, "Time and network overhead correlate, over numbers of parcels and intervals"):
        "reproduced, but not for Parquet over shared memory alone, where messages cost next to nothing. In message_rate the"
        " overhead ends at 100 %, and the time does not",
    (COALESCING, "The policy finds suitable numbers while the program runs"):
        "not reproduced: searching included, programs take up to thirteen times as long as with the best numbers, and in"
        " most runs the overhead is not less in the last phase than in the first",
    (COALESCING, "adaptive, the default, against the best pair"):
        "ours: faster than the best pair in six of the eight cases that were measured, 5 % slower in one, 49 % in one,"
        " where 68 runs of each in turn could not be told apart (guide)."
        " Simulated programs of 256 and 1024 localities end after 9 and 1 ms, before it is found out how long parcels"
        " should wait",
}  # fmt: skip


def claims_of(paper: Paper, data: Path) -> list[Claim]:
    """With their verdicts. Raises KeyError for a claim that has none, and for a verdict without a claim."""
    said = {what: verdict for (folder, what), verdict in VERDICTS.items() if folder == paper.folder}
    found = [
        claim if claim.verdict else claim._replace(verdict=said.pop(claim.what))
        for claim in paper.claims(data)
    ]
    if said:
        raise KeyError(f"{paper.folder}: no claim '{min(said)}'")
    return found


def cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", "<br>")


def data_of(study: str) -> Path:
    return fullest(study=study) / study


def page() -> str:
    parts = [
        "# Evidence",
        "What the papers that Treadle is built on claim, beside what was measured on two cores, of an AMD EPYC unless it"
        " says otherwise, in virtual machines, and what was simulated for machines with more. The numbers are those of the"
        " saved runs; the page is written by `bench/evidence.py`. *Not reproduced* is a result like any other: it says that"
        " the claim was not found"
        " to hold here, and why, as far as that is known; two cores cannot refute what was seen on many. *Ours* is about"
        " something that the paper does not have. In brackets after a number is the interval that holds the true median in"
        " 95 of 100 cases; what is *beyond the noise* has intervals that do not overlap.",
    ]
    for paper in PAPERS:
        data = data_of(paper.folder)
        note = f"../bench/results/{data.parent.name}/{data.name}/NOTE.md"
        rows = ["| " + " | ".join(cell(text) for text in claim) + " |" for claim in claims_of(paper, data)]
        parts += [
            f"## {paper.title}",
            f"How: [guide]({paper.guide}). From: [raw runs]({note}). {paper.note}",
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
    argparse.ArgumentParser(description=__doc__).parse_args(argv)
    PAGE.write_text(page(), "utf-8")
    guide = inlining_table.PAGE
    guide.write_text(fill(guide.read_text("utf-8"), inlining_table.blocks(data_of(INLINING))), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
