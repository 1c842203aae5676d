"""Runs one rival once: its records, its peak memory, and what went wrong."""

import contextlib
import ctypes
import json
import os
import selectors
import signal
import subprocess
import time

from rivals import Rival

SKIPPED = 77  # exit code of a rival that cannot run on this machine; it says why on stderr

# What would make a run differ from one on another day: a pinned OpenBLAS kernel, settings of OpenMP and the pools.
FOREIGN = (
    "OPENBLAS_CORETYPE",
    "OPENBLAS_L2_SIZE",
    "OMP_",
    "GOMP_",
    "KMP_",
    "LIBOMP_",
    "RAYON_",
    "TREADLE_",
    "GOMAXPROCS",
    "GLIBC_TUNABLES",
    "MALLOC_",
)

# What a program frees stays its own: otherwise the untimed first call touches memory for nothing where a rival's
# buffers are large, since each call gets new pages. Those who do not allocate by glibc are not affected.
KEEP_MEMORY = {"GLIBC_TUNABLES": f"glibc.malloc.mmap_max=0:glibc.malloc.trim_threshold={1 << 40}"}


class CannotRunError(Exception):
    pass


def environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(FOREIGN)}
    return kept | KEEP_MEMORY


# The peak memory of a process counts what it was before exec, which would be this interpreter. So a small shell starts
# the rival, tells its number through its standard input and ends; the rival becomes our child, because we adopt
# orphans. In a session of its own, so that what it starts can be ended with it.
LAUNCH = 'setsid "$@" </dev/null & echo $! >&0'
PR_SET_CHILD_SUBREAPER = 36


def start(command: tuple[str, ...]) -> tuple[int, int, int]:
    """Process number, and the reading ends of stdout and stderr."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    (out, out_end), (err, err_end), (number, number_end) = os.pipe(), os.pipe(), os.pipe()
    shell = ["/bin/sh", "-c", LAUNCH, "sh", *command]
    subprocess.run(shell, stdin=number_end, stdout=out_end, stderr=err_end, env=environment(), check=True)
    for end in (out_end, err_end, number_end):
        os.close(end)
    with os.fdopen(number) as told:
        return int(told.readline()), out, err


class CutShortError(TimeoutError):
    """The rival ran longer than it may: what it had printed until then."""

    def __init__(self, text: list[str]) -> None:
        super().__init__()
        self.text = text
        self.records: list[dict] = []


def read_to_end(streams: tuple[int, ...], timeout_s: float) -> list[str]:
    """Raises CutShortError."""
    parts: dict[int, bytes] = dict.fromkeys(streams, b"")
    deadline = time.monotonic() + timeout_s
    with selectors.DefaultSelector() as selector:
        for stream in streams:
            selector.register(stream, selectors.EVENT_READ)
        while selector.get_map():
            if (
                not (events := selector.select(max(0.0, deadline - time.monotonic())))
                and time.monotonic() >= deadline
            ):
                raise CutShortError([text.decode(errors="replace") for text in parts.values()])
            for key, _ in events:
                if data := os.read(key.fd, 1 << 16):
                    parts[key.fd] += data
                else:
                    selector.unregister(key.fd)
    return [text.decode(errors="replace") for text in parts.values()]


def records_in(text: str) -> list[dict]:
    """Raises ValueError, KeyError or TypeError where a line is not a record."""
    records = [json.loads(line) for line in text.splitlines() if line.strip()]
    for record in records:
        record["workload"], record["verified"]
        record["value"] = float(record["value"])
        record["operations"] = int(record.get("operations", 0))
        faults = record.get("faults")
        record["faults"] = None if faults is None else int(faults)
        record["switches"] = None  # known when the process has ended
    return records


def measure(rival: Rival, workers: int, timeout_s: float) -> tuple[list[dict], int, str]:
    """Run one rival once: its records, its peak memory in kB, and what went wrong ('' when nothing did).

    Raises CutShortError, with the records that were printed in time, and CannotRunError.
    """
    try:
        process, *streams = start((*rival.command, "--workers", str(workers)))
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        return [], 0, f"did not start: {error}"
    text: list[str] = []
    try:
        text = read_to_end(tuple(streams), timeout_s)
    except CutShortError as cut:
        with contextlib.suppress(ValueError, KeyError, TypeError):
            cut.records = records_in(cut.text[0].rpartition("\n")[0])
        raise
    finally:  # also on Ctrl-C, which a background process of a shell does not see
        if not text:
            os.kill(process, signal.SIGKILL)
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process, signal.SIGKILL)
        _, status, usage = os.wait4(process, 0)
        for stream in streams:
            os.close(stream)
    out, err = text
    if (code := os.waitstatus_to_exitcode(status)) == SKIPPED:
        raise CannotRunError(err.strip())
    if code:
        return [], usage.ru_maxrss, f"exit code {code}: {err.strip()[-500:]}"
    try:
        records = records_in(out)
    except (ValueError, KeyError, TypeError) as error:
        return [], usage.ru_maxrss, f"printed something that is not a record ({error!r}): {out[:300]}"
    for record in records:
        record["switches"] = usage.ru_nivcsw
    return records, usage.ru_maxrss, "" if records else "printed no record"
