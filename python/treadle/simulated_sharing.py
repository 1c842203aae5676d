"""Programs that share a machine in simulated time, under the decisions of treadle-agent."""

from __future__ import annotations

import json
import subprocess
from typing import Any

from .installed import program


class Simulator:
    """Runs scenarios, one after the other, in a process of its own; a context manager, for one thread.

    A scenario is a dictionary as docs/guide/agent.md describes it. FileNotFoundError when treadle-agent is not part of
    this installation.
    """

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [str(program("treadle-agent")), "--simulate", "-"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def run(self, scenario: dict[str, Any]) -> dict[str, Any]:
        """What happened. ValueError that names what is wrong with the scenario, and where."""
        process = self._process
        assert process.stdin and process.stdout
        process.stdin.write(json.dumps(scenario) + "\n")
        process.stdin.flush()
        if not (line := process.stdout.readline()):
            raise RuntimeError(f"treadle-agent ended with {process.wait()} in the middle of a simulation")
        found: dict[str, Any] = json.loads(line)
        if "error" in found:
            raise ValueError(found["error"])
        return found

    def close(self) -> None:
        if self._process.stdin:
            self._process.stdin.close()
        if self._process.stdout:
            self._process.stdout.close()
        self._process.wait()

    def __enter__(self) -> Simulator:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def simulate(scenario: dict[str, Any]) -> dict[str, Any]:
    """What happened in one scenario, see `Simulator`."""
    with Simulator() as simulator:
        return simulator.run(scenario)


__all__ = ["Simulator", "simulate"]
