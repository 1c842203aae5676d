"""Who shares the machine out: nobody, the paper's agent, or ours."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from . import paper


@dataclass(frozen=True)
class Mode:
    about: str
    agent: dict[str, Any] | None = None
    sequential: bool = False
    ours: bool = False  # decides on events, too, and is told fractions and the end
    static: tuple[int, int] | None = None  # 24ths of the machine
    scaled: dict[str, int] = field(default_factory=dict)  # settings in threads of 24


def _agent(about: str, strategy: str, ours: bool = False, **settings: Any) -> Mode:
    period = settings.pop("period_s", 5.0)
    return Mode(
        about, {"strategy": strategy, "period_s": period, "lease_s": 3 * period, **settings}, ours=ours
    )


def _law(about: str, **settings: Any) -> Mode:
    return _agent(about, "producer-consumer", **{"boost": "adaptive", "target": 8, **settings})


def _pi(about: str, **settings: Any) -> Mode:
    return _agent(about, "producer-consumer-pi", True, **{"boost": "proportional", "target": 8, **settings})


FREE = {
    "sequential": Mode("one program after the other, each with all threads", sequential=True),
    "no agent": Mode("all at once, each with all threads; the system shares cores out"),
}
PAIR: dict[str, Mode] = {
    **FREE,
    "paper": _law("the paper's: proportional, N = 8, adaptive boost, every 5 s"),
    "paper, N = 4": _law("the same with N = 4", target=4),
    "paper, 0.5 s": _law("the same every 0.5 s", period_s=0.5),
    "paper, no boost": _law("the same without boost", boost="none"),
    "paper, constant boost": Mode(
        "the same with four threads more for each", {**(_law("").agent or {}), "boost": "constant"},
        scaled={"boost_threads": 4},
    ),
    "paper, linear boost": _law("the same with 1.5 times the threads", boost="linear", boost_factor=1.5),
    "static 8 : 16": Mode("8 threads for the producer, 16 for the consumer", static=(8, 16)),
    "static 12 : 12": Mode("half of them each", static=(12, 12)),
    "static 16 : 8": Mode("16 and 8", static=(16, 8)),
    "ours": _pi("producer-consumer-pi, N = 8, proportional boost, every 5 s and on events"),
    "ours, N = 4": _pi("the same with N = 4", target=4),
    "ours, 0.5 s": _pi("the same every 0.5 s", period_s=0.5),
    "ours, N = 4, 0.5 s": _pi("both", target=4, period_s=0.5),
    "ours, no boost": _pi("without boost", boost="none"),
    "ours, adaptive boost": _pi("with the paper's adaptive boost", boost="adaptive"),
}  # fmt: skip
SEISMIC: dict[str, Mode] = {
    **FREE,
    "even": Mode(
        "the paper's: the same for all, every 5 s",
        {"strategy": "even", "period_s": 5.0, "lease_s": 15.0}, scaled={"granularity": 2},
    ),
    "half-to-priority": _agent("half for the slow one, every 5 s", "half-to-priority"),
    "stack": _agent("all for the one that came last, every 5 s", "stack"),
    "static 12 : 12": Mode("half for the slow one, the rest for the others", static=(12, 12)),
    "weighted": _agent("ours: max-min fair, on events, too", "weighted", True, period_s=0.5),
    "efficiency": _agent("ours: cores go where they are used", "efficiency", True, period_s=0.5),
}  # fmt: skip


def modes_of(case: str) -> dict[str, Mode]:
    return SEISMIC if case == paper.SEISMIC else PAIR


def settings(mode: Mode, threads: int, names: tuple[str, ...]) -> dict[str, Any] | None:
    """Of the agent on a machine of `threads` hardware threads; `names`: of the programs, the first against the
    others."""
    scale = threads / 24
    if mode.static is not None:
        first = max(round(mode.static[0] * scale), 1)
        others = max((threads - first) // max(len(names) - 1, 1), 1)
        return {
            "strategy": "static", "static": {name: first if n == 0 else others for n, name in enumerate(names)},
        }  # fmt: skip
    if mode.agent is None:
        return None
    more = {name: max(round(value * scale), 1) for name, value in mode.scaled.items()}
    return {**mode.agent, **more, "cores": threads}
