"""Programs of several localities, started by the mpirun of an MPI."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence

from .errors import Error
from .installed import find
from .shares import share_of_workers

MPIS = ("openmpi", "mpich")


def _program(mpi: str) -> str:
    """Debian has both, with their names behind; elsewhere there is one."""
    for name in (f"mpirun.{mpi}", "mpirun"):
        if found := shutil.which(name):
            return found
    raise Error(f"treadle run --over {mpi}: there is no mpirun.{mpi} and no mpirun")


def mpi_environment(mpi: str, localities: int, hosts: str | None) -> dict[str, str]:
    """What the localities have beside the present environment: their share of the cores, where they are all here."""
    library = find(f"libtreadle_{mpi}.so")
    given = {"TREADLE_MPI": str(library) if library else mpi}
    return given if hosts else {"TREADLE_WORKERS": str(share_of_workers(localities)), **given}


def mpi_command(
    mpi: str, command: Sequence[str], localities: int, *, tag: bool, hosts: str | None, env: Mapping[str, str]
) -> list[str]:
    """The words of the mpirun that starts the command in this many processes.

    Treadle places its workers itself, so that no process is bound to a core; there may be more processes than cores,
    and root may start them, as everywhere else.
    """
    ours = sorted(name for name in env if name.startswith("TREADLE_"))
    words = [_program(mpi), "-n", str(localities)]
    if mpi == "openmpi":
        words += ["--bind-to", "none", "--oversubscribe"]
        if os.geteuid() == 0:
            words.append("--allow-run-as-root")
        if tag:
            words.append("--tag-output")
        if hosts:
            words += ["--host", hosts]
        for name in ours:
            words += ["-x", name]
    else:
        words += ["-bind-to", "none"]
        if tag:
            words.append("-prepend-rank")
        if hosts:
            words += ["-hosts", hosts]
        if ours:
            words += ["-genvlist", ",".join(ours)]
    return [*words, *command]


__all__ = ["MPIS", "mpi_command", "mpi_environment"]
