"""The pair of config.hpp under an agent, and what the agent costs."""

import contextlib
import json
import os
import pty
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from rivals import BUILD  # noqa: E402

PROGRAMS, GRANTS, SECONDS = 8, 60, 4.0
TREADLE = str(Path(sys.executable).with_name("treadle"))


def record(workload: str, value: float, verified: bool) -> None:
    print(json.dumps({
        "workload": workload, "value": value, "unit": "s", "operations": 0, "verified": verified,
    }), flush=True)  # fmt: skip


def cpu_s(pid: int) -> float:
    """Of all its threads, to the nanosecond: the number of a process's clock is made of its own (CPUCLOCK_SCHED)."""
    return time.clock_gettime((~pid << 3) | 2)


def busy(count: int, workers: int) -> list[subprocess.Popen]:
    """Programs with tasks of some ten microseconds, without end."""
    options = ["--tiles=8", "--side=32", "--steps=1000000000", "--work=2", f"--workers={workers}"]
    return [
        subprocess.Popen([str(BUILD.parent / "apps" / "seismic"), *options], stdout=subprocess.DEVNULL)
        for _ in range(count)
    ]


def end(started: list[subprocess.Popen]) -> None:
    for one in started:
        one.kill()
    for one in started:
        one.wait()


def wait_for(programs: int) -> None:
    while len(ask("status")["programs"]) < programs:
        time.sleep(0.02)


def measure_pair(name: str) -> None:
    program = BUILD / f"bench_agent_{name}"
    if not program.is_file():
        return
    start = time.monotonic()
    pair = [
        subprocess.Popen([str(BUILD.parent / "treadle-run"), "--", str(program), "regions"]) for _ in range(2)
    ]
    verified = all([one.wait() == 0 for one in pair])  # noqa: C419 - all are waited for
    record("pair_llvm" if name.endswith("llvm") else "pair_gcc", time.monotonic() - start, verified)


def measure_grants() -> None:
    """A grant is in effect when no more workers than that are active, or all that are granted may be."""
    program = busy(1, workers=len(os.sched_getaffinity(0)))
    wait_for(1)
    number = ask("status")["programs"][0]["program"]
    took_s = []
    for n in range(GRANTS):
        epoch = ask("status")["programs"][0]["epoch"]
        ask("set", program=number, wish={"most": 1 if n % 2 == 0 else None})
        while True:
            one = ask("status")["programs"][0]
            if one["epoch"] != epoch and one["acknowledged"] and one["took_effect_us"] is not None:
                break
            time.sleep(0.002)
        took_s.append((one["acknowledged_after_us"] + one["took_effect_us"]) * 1e-6)
    end(program)
    record("grant", median(took_s), len(took_s) == GRANTS)
    record("grant_most", max(took_s), len(took_s) == GRANTS)


def measure_cost(agent_pid: int) -> None:
    programs = busy(PROGRAMS, workers=2)
    wait_for(PROGRAMS)
    time.sleep(1)
    start, before = time.monotonic(), cpu_s(agent_pid)
    time.sleep(SECONDS)
    record("agent_cpu", (cpu_s(agent_pid) - before) / (time.monotonic() - start), True)
    pid, terminal = pty.fork()
    if pid == 0:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # a shell's background processes ignore it
        os.execv(TREADLE, [TREADLE, "top"])
    seen = []

    def read() -> None:
        with contextlib.suppress(OSError):
            while part := os.read(terminal, 65536):
                seen.append(part)

    reader = threading.Thread(target=read)
    reader.start()
    time.sleep(3)  # Python begins
    start, before = time.monotonic(), cpu_s(pid)
    time.sleep(SECONDS)
    record("top_cpu", (cpu_s(pid) - before) / (time.monotonic() - start), b"seismic" in b"".join(seen))
    os.kill(pid, signal.SIGINT)
    os.waitpid(pid, 0)
    reader.join()
    end(programs)


with tempfile.TemporaryDirectory(prefix="treadle-bench-") as folder:
    os.environ["TREADLE_DIR"] = folder
    from treadle.agent import ask  # finds the agent of that folder
    from treadle.agent_process import running_agent

    # Who measures is no load to give way to.
    with running_agent(Path(folder), "--set", "period_s=0.5", "--set", "minus_foreign=false") as agent_pid:
        measure_pair("omp")
        measure_pair("omp_llvm")
        measure_grants()
        measure_cost(agent_pid)
