"""The page of the study of programs that share a machine."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from ...simulated_sharing import Simulator
from ..median import Median
from ..page import Section, captioned, head, notes_of, sections, table_of, words
from . import figures, measured, paper, simulated
from .model import ITEM_BYTES, NOISE, Model, pair_scenario
from .modes import PAIR, SEISMIC

HEAD = ("what", "the paper says", "simulated", "measured here")
NONE = "–"
TARGET_OFF = 0.5


@dataclass
class Found:
    """Medians over seeds, or repeats."""

    simulated: Sequence[simulated.Run]
    measured: Sequence[measured.Run]

    def of(self, case: str, mode: str, what: str = "seconds") -> Median | None:
        return _median(getattr(r, what) for r in self.simulated if (r.case, r.mode) == (case, mode))

    def here(self, case: str, mode: str, written_for: str, what: str = "seconds") -> Median | None:
        return _median(
            getattr(r, what)
            for r in self.measured
            if (r.case, r.mode, r.written_for) == (case, mode, written_for)
        )

    def faster(self, case: str, who: str, written_for: str = "") -> Median | None:
        """How many times as fast one program of a pair is as the other, when they run one by one; simulated where
        `written_for` says nothing."""
        runs = [r for r in self.measured if r.written_for == written_for] if written_for else self.simulated
        ends = [(r.producer_ends_s, r.seconds) for r in runs if (r.case, r.mode) == (case, "sequential")]
        return _median(
            (end - producer) / producer if who == "producer" else producer / (end - producer)
            for producer, end in ends
        )

    @property
    def written_for(self) -> list[str]:
        return list(dict.fromkeys(r.written_for for r in self.measured))


class Row(NamedTuple):
    """What is said of one thing; and, where the paper has a number for it, that and the simulated one."""

    what: str
    paper: str
    simulated: str
    here: str
    claimed: float | None = None
    found: Median | None = None
    seconds_of: tuple[str, str] | None = None  # case and mode, where these are the seconds of all programs
    is_given: bool = False  # the programs are made so

    @property
    def texts(self) -> tuple[str, ...]:
        return self.what, self.paper, self.simulated, self.here


def _median(values: Iterable[float]) -> Median | None:
    found = [v for v in values if not math.isnan(v)]
    return Median.of(found) if found else None


def _text(median: Median | None, unit: str = " s", digits: int = 1) -> str:
    if median is None:
        return NONE
    text = f"{median.value:.{digits}f}{unit}"
    return text + (f" ({median.low:.{digits}f} to {median.high:.{digits}f})" if median.has_interval else "")


def page(
    model: Model,
    predicted: Sequence[simulated.Run],
    runs: Sequence[measured.Run],
    simulator: Simulator,
    notes: Sequence[str],
) -> str:
    """A page that stands alone. Needs matplotlib."""
    found = Found(predicted, runs)
    cores = max((r.cores for r in runs), default=0)
    about = (
        "Several programs on one machine, and an agent that says how many threads each may have: the experiments of Dokulil"
        " and Benkner, Adaptive scheduling of colocated applications using a task-based runtime system. What is called"
        " simulated was not measured: it is the paper's machine of 24 hardware threads in simulated time, under the"
        " decisions of the agent's own code. What was measured ran"
        + (
            f" on {cores} cores, with other sizes, so that only its ratios can be compared:"
            if cores
            else " on"
        )
    )
    parts = [
        head("Programs that share a machine", "Who should have how many cores?", about),
        words(HEAD, (row.texts for row in rows(found))),
        notes_of([*notes, *assumptions(model)]),
        *sections(shown(model, simulator)),
        "<h2>What the agent does</h2>",
        words(("mode", "what it is"), ((name, mode.about) for name, mode in {**SEISMIC, **PAIR}.items())),
        simulated_table(found),
        measured_table(found),
    ]
    return "\n".join(parts)


def assumptions(model: Model) -> list[str]:
    pairs = "; ".join(
        f"{paper.CASES[case]} {pair.producer_s:.3f} and {pair.consumer_s:.3f} s"
        for case, pair in model.pairs.items()
    )
    off = ", ".join(f"{100 * value:+.1f} % ({paper.CASES[case]})" for case, value in model.off.items())
    return [
        "The model knows the paper's rows without an agent and nothing of the others. Linear scaling would gain nothing"
        f" from running two programs at once: here {100 * model.serial:.1f} % of the time that an item takes a program"
        " alone is of one thread, the same for all programs, by least squares; a worker without work looks again after"
        f" 50 ms, as the paper says. With that, the rows without an agent are off by {off}.",
        f"Seconds of an item alone, producer and consumer: {pairs} (up-down: at the cost 1). Seismic: tasks take"
        f" {model.stretch:.3f} times what the paper says, and {model.begin_s:.2f} s of an instance are of one thread.",
        f"Tasks and iterations cost up to {100 * NOISE:.0f} % more or less, in each run others. An item has"
        f" {ITEM_BYTES / 1e6:.0f} MB: the paper names no size.",
        "In the paper the fast instances with four threads are four; the strategy gives what cannot be divided to those"
        " that came first, and the slow one is among them.",
    ]


def rows(found: Found) -> Iterator[Row]:
    for (case, mode), said in paper.SECONDS.items():
        simulated_ = found.of(case, mode)
        yield Row(
            f"{name_of(case)}: {mode}", f"{said:.2f} s{_speed_up(said, paper.SECONDS[case, 'sequential'])}",
            _text(simulated_) + _speed_up_of(simulated_, found.of(case, "sequential")), _times_here(found, case, mode),
            said, simulated_, (case, mode),
        )  # fmt: skip
    for case, faster in paper.PRODUCER_TIMES_FASTER.items():
        who, other = ("producer", "consumer") if faster >= 1 else ("consumer", "producer")
        said = max(faster, 1 / faster)
        simulated_ = found.faster(case, who)
        yield Row(
            f"{name_of(case)}: the {who} against the {other}, one by one",
            f"{said:.1f} times as fast" if said != 1 else "as fast", _text(simulated_, " times", 2),
            _lines(found, lambda w, case=case, who=who: _text(found.faster(case, who, w), " times", 2)), said,
            simulated_, is_given=True,
        )  # fmt: skip
    for mode, said in paper.FAST_SECONDS.items():
        what = "with most threads" if mode == "even" else "in the mean"
        simulated_ = found.of(paper.SEISMIC, mode, "fast_s")
        yield Row(
            f"Seismic, fast instances {what}: {mode}", f"{said:.2f} s", _text(simulated_),
            _here(found, paper.SEISMIC, mode, "fast_s"), said, simulated_,
        )  # fmt: skip
    alone = found.of("up-down", "no agent", "consumer_alone")
    yield Row(
        "up-down, no agent: the consumer after the producer has ended", f"{paper.CONSUMER_ALONE} times as fast",
        _text(alone, " times", 2), NONE, paper.CONSUMER_ALONE, alone,
    )  # fmt: skip
    threads = found.of("up-down", "paper", "most_threads")
    yield Row(
        "up-down, paper: most threads on 24", f"{paper.MOST_THREADS}", _text(threads, "", 0), NONE, paper.MOST_THREADS,
        threads,
    )  # fmt: skip
    ends = found.of("up-down", "paper", "producer_ends_s")
    yield Row(
        "up-down, paper: the producer ends after", f"{paper.PRODUCER_ENDS_S:.0f} s", _text(ends), NONE,
        paper.PRODUCER_ENDS_S, ends,
    )  # fmt: skip
    for case in paper.CASES:
        for mode in ("no agent", "paper", "ours"):
            yield Row(
                f"{name_of(case)}, {mode}: longest queue", NONE,
                f"{_text(found.of(case, mode, 'longest_queue'), ' items')}",
                _here(found, case, mode, "longest_queue", " items", 0),
            )  # fmt: skip
    yield from _ours(found)


def _ours(found: Found) -> Iterator[Row]:
    for case in paper.CASES:
        modes = ("ours, 0.5 s", "ours, N = 4, 0.5 s") if case == "up-down" else ("ours", "ours, N = 4")
        for mode in modes:
            law = "paper" + mode.removeprefix("ours")
            law = law if law in PAIR else "paper, N = 4"
            yield Row(
                f"{name_of(case)}: items off N, {mode}", f"(the law of the paper, {law}: simulated beside it)",
                f"{_text(found.of(case, mode, 'off'), '', 2)} (at most {TARGET_OFF} wanted);"
                f" the paper's law {_text(found.of(case, law, 'off'), '', 2)},"
                f" half of the machine moved in {_text(found.of(case, law, 'swings'), ' %', 0)} of its decisions,"
                f" here {_text(found.of(case, mode, 'swings'), ' %', 0)}", NONE,
            )  # fmt: skip
    for case in paper.CASES:
        free = found.of(case, "no agent")
        best = {mode: m for mode in PAIR if mode.startswith("ours") and (m := found.of(case, mode))}
        if free and best:
            name = min(best, key=lambda mode: best[mode].value)
            ours = best.get("ours", best[name])
            yield Row(
                f"{name_of(case)}: time with ours / without agent", NONE,
                f"{ours.value / free.value:.3f}; the fastest of ours, {name}: {best[name].value / free.value:.3f}",
                _ratios_here(found, case),
            )  # fmt: skip


def _ratios_here(found: Found, case: str) -> str:
    return _lines(found, lambda w: _ratio(found.here(case, "ours", w), found.here(case, "no agent", w)))


def _ratio(a: Median | None, b: Median | None) -> str:
    return f"{a.value / b.value:.3f}" if a and b else NONE


def name_of(case: str) -> str:
    return "Seismic" if case == paper.SEISMIC else paper.CASES[case]


def _speed_up(seconds: float, sequential: float) -> str:
    if seconds == sequential:
        return ""
    return f", {sequential / seconds:.3f} times as fast as one by one"


def _speed_up_of(seconds: Median | None, sequential: Median | None) -> str:
    return _speed_up(seconds.value, sequential.value) if seconds and sequential else ""


def _here(found: Found, case: str, mode: str, what: str, unit: str = " s", digits: int = 2) -> str:
    return _lines(found, lambda w: _text(found.here(case, mode, w, what), unit, digits))


def _times_here(found: Found, case: str, mode: str) -> str:
    return _lines(
        found,
        lambda w: _text(found.here(case, mode, w), digits=2)
        + _speed_up_of(found.here(case, mode, w), found.here(case, "sequential", w)),
    )


def _lines(found: Found, say: Any) -> str:
    lines = [f"{w}: {text}" for w in found.written_for if (text := say(w)) != NONE]
    return "\n".join(lines) if lines else NONE


def shown(model: Model, simulator: Simulator) -> Iterator[Section]:
    pair = model.pairs["up-down"]
    runs = {
        mode: simulator.run(pair_scenario(pair, model.serial, PAIR[mode]))
        for mode in ("no agent", "paper", "ours, 0.5 s")
    }
    yield "Time per item (Figure 2)", "Fast producer, up-down.", [
        captioned(figures.iteration_times(found, mode != "no agent"), mode) for mode, found in runs.items()
    ]  # fmt: skip
    yield "Progress (Figure 3)", "The distance of the lines is the length of the queue.", [
        captioned(figures.progress(found), mode) for mode, found in runs.items()
    ]  # fmt: skip
    yield "Threads and queue (Figure 4)", "More threads than 24 are the boost's.", [
        captioned(figures.threads(found), mode) for mode, found in runs.items() if mode != "no agent"
    ]  # fmt: skip


def simulated_table(found: Found) -> str:
    names = (
        "case",
        "mode",
        "s",
        "producer ends",
        "fast, s",
        "threads",
        "longest queue",
        "GB",
        "off N",
        "swings %",
    )
    lines = []
    for case, mode in dict.fromkeys((r.case, r.mode) for r in found.simulated):
        values = (
            ("seconds", 1), ("producer_ends_s", 1), ("fast_s", 1), ("most_threads", 0), ("longest_queue", 1),
            ("longest_queue_bytes", 1), ("off", 2), ("swings", 0),
        )  # fmt: skip
        cells = []
        for what, digits in values:
            median = found.of(case, mode, what)
            if median and what == "longest_queue_bytes":
                median = median.times(1e-9)
            cells.append(_text(median, "", digits))
        lines.append((case, mode, *cells))
    return table_of(names, lines, "All simulated times") if lines else ""


def measured_table(found: Found) -> str:
    names = ("case", "mode", "written for", "runs", "s", "producer ends", "fast, s", "longest queue")
    lines = []
    for case, mode, written_for in dict.fromkeys((r.case, r.mode, r.written_for) for r in found.measured):
        count = sum((r.case, r.mode, r.written_for) == (case, mode, written_for) for r in found.measured)
        values = (("seconds", 2), ("producer_ends_s", 2), ("fast_s", 2), ("longest_queue", 0))
        cells = [_text(found.here(case, mode, written_for, what), "", digits) for what, digits in values]
        lines.append((case, mode, written_for, count, *cells))
    return table_of(names, lines, "All measured times") if lines else ""
