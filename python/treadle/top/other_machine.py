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
        self._complaint = ""
        there = ["-m", "treadle", "top", "--json", f"--interval={interval}", f"--count={FOREVER}"]
        self._process = subprocess.Popen(
            [*remote_shell, name, shlex.join([sys.executable, *there])],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
        )  # fmt: skip
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        said = ""
        for line in self._process.stdout:
            try:
                latest = [Seen.from_object(self.name, row) for row in json.loads(line)]
            except (KeyError, TypeError):
                said = "another version of Treadle answers"
            except ValueError:  # a greeting, or what is wrong
                said = line.strip()[:200] or said
            else:
                said = ""
                with self._lock:
                    self._looks += 1
                    self._latest, self._latest_at = latest, time.monotonic()
        code = self._process.wait()
        with self._lock:
            self._latest = []
            self._complaint = said or f"`treadle top` there has ended with exit code {code}"

    def looks(self) -> int:
        """How often it has been looked at."""
        with self._lock:
            return self._looks

    def complaint(self) -> str:
        """Why there is nothing to be seen; empty: there is."""
        with self._lock:
            silence = time.monotonic() - self._latest_at
            if not self._complaint and silence > self._patience:
                return f"has not answered for {silence:.0f} s"
            return self._complaint

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
