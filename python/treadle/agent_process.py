"""An agent of one's own, for measurements and tests that must not meet the user's."""

from __future__ import annotations

import contextlib
import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

from .installed import program


@contextlib.contextmanager
def running_agent(folder: Path, *options: str, patience_s: float = 10) -> Iterator[int]:
    """Its pid, as long as the block runs; programs find it with TREADLE_DIR=folder.

    Options are those of treadle-agent. RuntimeError with what it says when it ends, or does not answer in time.
    """
    command = [str(program("treadle-agent")), "--folder", str(folder), *options]
    # It reads the pages of programs where these write them.
    env = {**os.environ, "TREADLE_DIR": str(folder)}
    agent = subprocess.Popen(command, env=env, stderr=subprocess.PIPE, text=True)
    try:
        end = time.monotonic() + patience_s
        while not (folder / "agent.sock").exists():
            if agent.poll() is not None or time.monotonic() > end:
                said = agent.stderr.read() if agent.stderr and agent.poll() is not None else ""
                raise RuntimeError(f"treadle-agent does not answer: {said.strip()}")
            time.sleep(0.01)
        yield agent.pid
    finally:
        agent.terminate()
        agent.communicate()
