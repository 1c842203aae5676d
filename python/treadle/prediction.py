"""How long a recorded program would take on other machines, with other workers, pools and schedules: simulated."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any

from . import _native
from .machine_map import map_machine

ORDERS = tuple(_native.orders())
POLICIES = tuple(_native.scheduling_policies())
COSTS = ("treadle", "hpx", "none")


@dataclass(frozen=True)
class Setting:
    """A machine, and how tasks are run on it."""

    machine: str = ""  # "": this one; else a file of lstopo or a description in the syntax of hwloc
    distances: str = ""
    core_speed: float = 1.0
    smt_gain: float = 0.25
    bandwidth_gbs: float = 0.0
    pools: str = ""  # "": one, with a worker for each hardware thread
    policy: str = ""  # "": as the pools say
    critical: tuple[str, ...] = ()
    order: str = "natural"
    mapping: str = "packed"
    spawn_calls: bool = False
    inlining: str = ""  # "": as recorded; else a policy that decides for each site
    seed: int = 0
    costs: str = "treadle"
    cache_bytes: int = 0  # of a core; a task with no more bytes needs memory only when it is stolen


@dataclass(frozen=True)
class Prediction:
    setting: Setting
    program: dict[str, Any]
    found: dict[str, Any]

    @property
    def makespan_ns(self) -> float:
        return float(self.found["makespan_ns"])

    @property
    def lower_bound_ns(self) -> float:
        return float(self.found["lower_bound_ns"])

    def share(self, what: str) -> float:
        """Of the workers' time, for "busy", "overhead" or "idle"."""
        workers = self.found["workers"]
        total = self.makespan_ns * len(workers)
        return sum(w[f"{what}_ns"] for w in workers) / total if total else 0.0

    def mean_wait_ns(self, whose: str, what: str) -> float:
        """Of "critical" or "others", "staged" or "pending"."""
        waits = self.found[whose]
        return float(waits[f"{what}_ns"] / waits["tasks"]) if waits["tasks"] else 0.0

    def record(self) -> dict[str, Any]:
        return {"simulated": True, "program": self.program, "setting": asdict(self.setting), **self.found}


def load(what: str) -> _native.Workload:
    """A recording, FILE.tasks, or what a generator makes: "cholesky:t=32,r=10"."""
    return (
        _native.Workload.generated(what) if _native.is_generator(what) else _native.Workload.from_file(what)
    )


def predict(program: _native.Workload, setting: Setting) -> Prediction:
    """Raises ValueError that names what does not fit."""
    if setting.policy and "policy=" in setting.pools:
        raise ValueError("the policy is given twice: for all pools, and in the description of the pools")
    return Prediction(
        setting,
        measures(program),
        _native.predict(program, **asdict(setting) | {"critical": list(setting.critical)}),
    )


def measures(program: _native.Workload) -> dict[str, Any]:
    return {
        "tasks": program.tasks(), "work_ns": program.work_ns(), "critical_path_ns": program.critical_path_ns(),
        "recorded_ns": program.recorded_ns(), "unknown": program.unknown(),
    }  # fmt: skip


def guesses_distances(setting: Setting) -> bool:
    """Where they are not known, every other domain counts as twice as far."""
    machine = map_machine(setting.machine, setting.distances)
    return machine.domains > 1 and not machine.distances


def hardware_threads(setting: Setting) -> int:
    return len(map_machine(setting.machine, setting.distances).units)


def sweep_workers(program: _native.Workload, setting: Setting, most: int = 0) -> list[tuple[str, Prediction]]:
    """One pool of 1, 2, 4 ... workers, and of as many as asked for or the machine has hardware threads."""
    most = most or hardware_threads(setting)
    counts = sorted({most, *(2**k for k in range(most.bit_length()) if 2**k <= most)})
    return [(f"{n} workers", predict(program, replace(setting, pools=f"default:{n}"))) for n in counts]


def sweep_pools(
    program: _native.Workload, setting: Setting, workers: int = 0
) -> list[tuple[str, Prediction]]:
    """One pool, then a critical one of up to sixteen sizes, which lends its workers or does not."""
    if not setting.critical:
        raise ValueError("a sweep over pools needs critical sites")
    total = workers or hardware_threads(setting)
    if total < 2:
        raise ValueError("two pools need two workers")
    sizes = sorted({min(max(round(total * k / 16), 1), total - 1) for k in range(1, 16)})
    found = [("one pool", predict(program, replace(setting, pools=f"default:{total}")))]
    for size in sizes:
        for exclusive in ("", ":exclusive"):
            pools = f"critical:{size}{exclusive},default:{total - size}{exclusive}"
            found.append((pools, predict(program, replace(setting, pools=pools))))
    return found
