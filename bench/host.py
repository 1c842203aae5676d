"""What else the machine did while a round ran: a virtual one shares its cores with strangers, and any with other
programs.

A round does not count when the hypervisor gave more than a little of the processor time to others ("steal" in proc(5)),
or when all cores at once were slow: whole minutes are seen in which two virtual cores together are as fast as one. Nor
does one in which one core alone was a quarter slower than in the best round.
"""

import hashlib
import math
import os
import threading
import time
from dataclasses import dataclass, replace
from pathlib import Path

STOLEN_MOST = 0.02  # as a share of the time in which a program wanted the processor
SLOWDOWN_MOST = 1.25
SHARED = 1.5  # times as long as one alone all cores at once may take: they share power, and units where two are one
ITERATIONS = 25_000  # of a chain of hashes that holds no lock of the interpreter: some milliseconds
TRIES = 3  # of which the fastest counts


@dataclass(frozen=True)
class Round:
    number: int = 1
    stolen: float | None = None
    slowdown: float | None = None  # of a loop on all cores at once, or on one
    alone: float | None = None  # seconds of that loop on one core, before and after the round

    def beside(self, alone: float) -> "Round":
        """The same round, judged by the fastest that one core alone was in any round."""
        if not (self.slowdown and self.alone and alone):
            return self
        return replace(self, slowdown=round(max(self.slowdown, self.alone / alone), 3))

    @property
    def counts(self) -> bool:
        return (self.stolen or 0) <= STOLEN_MOST and (self.slowdown or 1) <= SLOWDOWN_MOST


def processor_times(stat: str) -> tuple[int, int]:
    """What programs and the system used, and what was stolen, of all cores since the machine started: /proc/stat."""
    user, nice, system, _, _, irq, softirq, steal = map(int, stat.split(maxsplit=9)[1:9])
    return user + nice + system + irq + softirq, steal


def seconds_at_once(cores: list[int]) -> float:
    """Of the slowest, when all of these cores run the same loop."""
    ready = threading.Barrier(len(cores))
    seconds = []

    def run(core: int) -> None:
        os.sched_setaffinity(0, {core})  # of this thread
        ready.wait()
        start = time.perf_counter()
        hashlib.pbkdf2_hmac("sha256", b"the same", b"everywhere", ITERATIONS)
        seconds.append(time.perf_counter() - start)

    threads = [threading.Thread(target=run, args=(core,)) for core in cores]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return max(seconds)


class Watch:
    """Looks at the machine before and after each round."""

    def __init__(self) -> None:
        self.cores = sorted(os.sched_getaffinity(0))
        self.alone = self.together = math.inf  # the best so far
        self.before = self.look()

    def look(self) -> tuple[float, float, int, int]:
        """How slow all cores are, beside the best that was seen of them or can be expected; seconds of one core alone;
        processor_times()."""
        alone = min(seconds_at_once(self.cores[:1]) for _ in range(TRIES))
        self.alone = min(self.alone, alone)
        now = min(seconds_at_once(self.cores) for _ in range(TRIES))
        self.together = min(self.together, now)
        slowdown = now / min(self.together, SHARED * self.alone)
        return slowdown, alone, *processor_times(Path("/proc/stat").read_text())

    def round(self, number: int) -> Round:
        """The one between the last look and now."""
        slow_before, alone_before, used_before, stolen_before = self.before
        self.before = slow_now, alone_now, used_now, stolen_now = self.look()
        used, stolen = used_now - used_before, stolen_now - stolen_before
        return Round(
            number, round(stolen / max(used + stolen, 1), 4), round(max(slow_before, slow_now), 3),
            round((alone_before + alone_now) / 2, 6),
        )  # fmt: skip
