"""The measured and the simulated part of a study."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum


class Part(StrEnum):
    measured = "measured"
    simulated = "simulated"


def counted(runs: Mapping[Part, tuple[int, int]], notes: list[str]) -> str:
    """How many runs of each part are done, of how many; a note for each part that is not whole."""
    for part, (done, of) in runs.items():
        if done < of:
            notes.append(f"{done} of {of} {part} runs are done; the same command goes on.")
    return ", ".join(f"{done} of {of} {part}" for part, (done, of) in runs.items())
