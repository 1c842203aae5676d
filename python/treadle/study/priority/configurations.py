"""The configurations of pools, priorities and mappings, by their names in apps/common/configuration.cpp.

The programs run under them; the simulator is told the same.
"""

from __future__ import annotations

from dataclasses import dataclass

PAPER_POLICY = "local-priority-fifo"


@dataclass(frozen=True)
class Configuration:
    about: str
    split: bool = False  # critical tasks have workers of their own
    more: str = ""  # of each pool
    mapping: str = "packed"
    order: str = "natural"
    warm_up: int = 0  # runs that do not count
    only_rest: bool = False  # the pool of critical tasks is left out, its workers do nothing

    def pools(self, workers: int, critical: int) -> str:
        """As runtimes take them."""
        if self.only_rest:
            return f"default:{workers - critical}{self.more}"
        if self.split:
            return f"critical:{critical}{self.more},default:{workers - critical}{self.more}"
        return f"default:{workers}{self.more}"


_ONE = f":policy={PAPER_POLICY}"
_TWO = f":policy={PAPER_POLICY}:exclusive"
CONFIGURATIONS = {
    "paper-default": Configuration("HPX's default: one pool, tasks by turns to first-in-first-out queues", more=_ONE),
    "paper-pools": Configuration("the paper's pools: critical tasks have workers of their own", True, _TWO),
    "paper-default-mtp": Configuration(
        "paper-default, mapped by numa-balanced-mtp", more=_ONE, mapping="numa-balanced-mtp"
    ),
    "paper-pools-mtp": Configuration(
        "paper-pools, mapped by numa-balanced-mtp", True, _TWO, "numa-balanced-mtp"
    ),
    "default": Configuration("Treadle's default: one work-stealing pool, nothing is marked"),
    "marked": Configuration("one work-stealing pool, critical tasks go first", order="marked"),
    "strict": Configuration("work-stealing pools that lend nothing", True, ":exclusive"),
    "lending": Configuration("work-stealing pools that lend each other idle workers", True),
    "critical-path": Configuration(
        "one pool, the task with the longest path behind it first; nothing is marked", more=":policy=critical-path"
    ),
}  # fmt: skip
MEASURED = CONFIGURATIONS | {
    "auto": Configuration(
        "measured only: critical-path in one pool or two, their sizes and the mapping found while the program repeats",
        more=":policy=critical-path", warm_up=60,
    )
}  # fmt: skip
CRITICAL_TASKS = {"cholesky": "potrf", "merge_sort": "merge"}

# Where this is as fast as paper-pools, the smaller pool is what helps, and not that critical tasks have their own.
SIMULATED = CONFIGURATIONS | {
    "paper-rest": Configuration(
        "simulated only: paper-pools without the critical pool, whose workers do nothing; one pool, nothing marked",
        True, _ONE, only_rest=True,
    )
}  # fmt: skip
