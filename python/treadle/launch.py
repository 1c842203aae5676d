"""Programs of several localities: started together, ended together."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import IO

from .shares import share_of_workers

PATIENCE_S = 2.0  # between being asked to end and being killed
MOST = 1024


def _folder(localities: int) -> str | None:
    """Memory that the localities share should not be written to a disk, if there is room: a MiB from each to each."""
    if not os.access("/dev/shm", os.W_OK):
        return None
    return "/dev/shm" if shutil.disk_usage("/dev/shm").free >= (localities**2 + 1) << 20 else None


def _copy(tag: str, source: IO[bytes], target: IO[bytes], lock: threading.Lock) -> None:
    """Whole lines, each with the locality's number before it."""
    for line in source:
        with lock, suppress(BrokenPipeError):
            target.write(tag.encode() + line + (b"" if line.endswith(b"\n") else b"\n"))
            target.flush()


class _Locality:
    def __init__(self, number: int, command: Sequence[str], env: dict[str, str], tag: bool) -> None:
        self.number = number
        pipe = subprocess.PIPE if tag else None
        self.process = subprocess.Popen(command, env=env, stdout=pipe, stderr=pipe)
        self._copiers = []
        for source, target in (
            (self.process.stdout, sys.stdout.buffer), (self.process.stderr, sys.stderr.buffer),
        ):  # fmt: skip
            if source is not None:
                copier = threading.Thread(target=_copy, args=(f"[{number}] ", source, target, _OUTPUT))
                copier.start()
                self._copiers.append(copier)

    def end_output(self) -> None:
        for copier in self._copiers:
            copier.join()


_OUTPUT = threading.Lock()


def _what_ended(one: _Locality, code: int) -> str:
    how = f"was ended by {signal.Signals(-code).name}" if code < 0 else f"ended with code {code}"
    return f"treadle run: locality {one.number} (process {one.process.pid}) {how}; the others are ended"


def _end(all_of_them: Sequence[_Locality], number: int) -> None:
    """Only _watch() waits for them, so that each pid is still theirs; Popen.send_signal() would wait, too."""
    for one in all_of_them:
        if one.process.returncode is None:
            with suppress(ProcessLookupError):  # it was waited for a moment ago
                os.kill(one.process.pid, number)


def _ended(left: list[_Locality]) -> list[tuple[_Locality, int]]:
    """Those that have ended since the last call, which are no longer left, with their codes."""
    found = []
    while left:
        pid, status = os.waitpid(-1, os.WNOHANG)
        if pid == 0:
            break
        if one := next((each for each in left if each.process.pid == pid), None):
            left.remove(one)
            one.process.returncode = os.waitstatus_to_exitcode(status)
            found.append((one, one.process.returncode))
    return found


def _watch(all_of_them: Sequence[_Locality]) -> int:
    """Until all have ended. The first one that fails ends the others, and its code is returned. Of several, that is one
    that was killed: the others may have failed because of that.
    """
    result = 0
    kill_at = float("inf")
    left = list(all_of_them)
    while left:
        ended = _ended(left)
        if result == 0 and (failed := sorted((e for e in ended if e[1] != 0), key=lambda e: e[1] > 0)):
            one, code = failed[0]
            result = 128 - code if code < 0 else code
            if left:
                print(_what_ended(one, code), file=sys.stderr)
                _end(left, signal.SIGTERM)
                kill_at = time.monotonic() + PATIENCE_S
        if not ended:
            if time.monotonic() > kill_at:
                _end(left, signal.SIGKILL)
            time.sleep(0.01)
    return result


def launch(command: Sequence[str], localities: int, tag: bool = True) -> int:
    """Run a command as this many localities of this machine; the exit code of the first one that fails, or 0.

    Each has its share of the cores as workers, unless TREADLE_WORKERS says how many. With `tag`, lines of output have
    the locality's number before them. What ends this process by Ctrl-C or SIGTERM ends all of them.
    """
    with tempfile.NamedTemporaryFile(prefix="treadle-localities-", dir=_folder(localities)) as shared:
        started: list[_Locality] = []

        def pass_on(number: int, _: object) -> None:
            _end(started, number)

        before = {each: signal.signal(each, pass_on) for each in (signal.SIGINT, signal.SIGTERM)}
        try:
            for number in range(localities):
                env = {"TREADLE_WORKERS": str(share_of_workers(localities)), **os.environ}
                env["TREADLE_LOCALITIES"] = f"{shared.name}:{number}:{localities}"
                try:
                    started.append(_Locality(number, command, env, tag))
                except OSError as error:
                    _end(started, signal.SIGKILL)
                    print(f"treadle run: {command[0]}: {error.strerror}", file=sys.stderr)
                    return 127
            return _watch(started)
        finally:
            for one in started:
                one.process.wait()
                one.end_output()
            for each, handler in before.items():
                signal.signal(each, handler)


__all__ = ["MOST", "launch"]
