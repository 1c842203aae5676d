"""The programs of another machine, as `treadle top` shows them there."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
import threading
import time

from .looks import Seen

FOREVER = 10**9  # looks
FIRST_ANSWER_S = 30.0  # until then a connection is made, and Python started


class OtherVersionError(Exception):
    """A machine answers with rows of another version."""


def seen_in(machine: str, line: str) -> list[Seen]:
    """Raises OtherVersionError, and ValueError where that is no answer at all."""
    rows = json.loads(line)
    try:
        if isinstance(rows, list):
            return [Seen.from_object(machine, row) for row in rows]
    except (KeyError, TypeError, ValueError, OverflowError):
        pass
    raise OtherVersionError


class OtherMachine:
    """Runs `treadle top` on that machine through a remote shell, with the Python of this one, until it is closed.

    Another thread reads what it prints, so that a machine that is slow or gone holds nobody up.
    """

    def __init__(self, name: str, remote_shell: list[str], interval: float) -> None:
        """Raises OSError where the remote shell cannot be started."""
        self.name = name
        self._patience = 3 * interval + 5
        self._lock = threading.Lock()
        self._looks = 0
        self._latest: list[Seen] = []
        self._latest_at = time.monotonic()
        self._said = ""
        self._has_ended = False
        there = ["-m", "treadle", "top", "--json", f"--interval={interval}", f"--count={FOREVER}"]
        self._process = subprocess.Popen(
            [*remote_shell, name, shlex.join([sys.executable, *there])],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
            process_group=0,  # Ctrl-C is for us
        )  # fmt: skip
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            try:
                latest, said = seen_in(self.name, line), ""
            except OtherVersionError:
                self._end("another version of Treadle answers")
                self._process.terminate()
                return
            except ValueError:  # a greeting, or what is wrong
                latest, said = None, "".join(c for c in line.strip()[:200] if c.isprintable())
            with self._lock:
                self._said = said or self._said
                if latest is not None:
                    self._looks += 1
                    self._latest, self._latest_at, self._said = latest, time.monotonic(), ""
        self._end(self._said or f"`treadle top` there has ended with exit code {self._process.wait()}")

    def _end(self, why: str) -> None:
        with self._lock:
            self._latest, self._said, self._has_ended = [], why, True

    def looks(self) -> int:
        """How often it has been looked at."""
        with self._lock:
            return self._looks

    def complaint(self) -> str:
        """Why there is nothing to be seen; empty: there is."""
        with self._lock:
            silence = time.monotonic() - self._latest_at
            if self._has_ended:
                return self._said
            if silence <= (self._patience if self._looks > 0 else FIRST_ANSWER_S):
                return ""
            return f"has not answered for {silence:.0f} s" + (self._said and f", but said: {self._said}")

    def look(self) -> list[Seen]:
        """What was seen last; its programs do not answer where that was long ago."""
        with self._lock:
            age = time.monotonic() - self._latest_at
            if age <= self._patience:
                return self._latest
            return [
                one._replace(
                    program=one.program._replace(answers=False, age_ns=one.program.age_ns + int(age * 1e9))
                )
                for one in self._latest
            ]

    def close(self) -> None:
        """What runs there ends as soon as it has something to print."""
        self._process.terminate()


__all__ = ["OtherMachine"]
