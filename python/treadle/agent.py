"""The agent that shares this machine's cores out to programs: what a program asks of it, and how tools talk to it."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from . import _native


class AgentStatus(NamedTuple):
    """How this program stands with the agent. `governed`: it has a grant whose lease is not over, of this many workers
    that may be active, for that reason. `trouble`: why there is no agent where one was asked for; mostly empty."""

    governed: bool
    granted: int
    epoch: int
    reason: str
    trouble: str


def agent_status() -> AgentStatus:
    """Without an agent `governed` is false, and the program uses what its mask and its control group let it."""
    return AgentStatus(*_native.agent_status())


def wish_for_cores(
    *,
    least: int = 0,
    most: int = 0,
    weight: float = 1.0,
    preferred: bool = False,
    group: str = "",
    role: str = "",
    target: float = 0.0,
) -> None:
    """What this program asks of the agent from now on, in place of what TREADLE_AGENT_WISH says.

    It gets at least `least` workers at a time, or none while others have their turn, and at most `most` (0: as many as
    it has), relative to others by `weight`. `preferred` is for the strategy half-to-priority. Programs of one `group`
    belong together: one whose `role` is "producer" and one that is "consumer", between which `target` items should lie.
    Raises ValueError for what cannot be.
    """
    _native.wish_for_cores(least, most, weight, preferred, group, role, target)


def ask(command: str, patience_ms: int = 2000, **arguments: Any) -> dict[str, Any]:
    """Asks the agent: "status", "settings" (with changes), "set" (program and wish), "stop"; docs/guide/agent.md.

    Raises RuntimeError when no agent answers, ValueError with its reason when it refuses.
    """
    answer: dict[str, Any] = json.loads(_native.ask_agent(command, json.dumps(arguments), patience_ms))
    return answer
