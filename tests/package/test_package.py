"""An external CMake project of ten lines finds an installed Treadle and runs on it."""

import os
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CONSUMER = Path(__file__).resolve().parent / "consumer"


def run(*command, **options):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, **options)
    assert (
        done.returncode == 0
    ), f"{' '.join(map(str, command))}\n{done.stdout[-4000:]}\n{done.stderr[-4000:]}"
    return done.stdout


def test_external_project(tmp_path):
    prefix, build = tmp_path / "with space" / "prefix", tmp_path / "build"
    run(ROOT / "dev", "install", prefix)
    run(
        "cmake",
        "-G",
        "Ninja",
        "-S",
        CONSUMER,
        "-B",
        build,
        f"-DCMAKE_PREFIX_PATH={prefix}",
        "-DCMAKE_BUILD_TYPE=Release",
    )
    run("cmake", "--build", build)
    assert run(build / "consumer") == "42\n"
    assert run(build / "consumer_physl") == "[2 4 6]\n"
    env = {name: value for name, value in os.environ.items() if not name.startswith("TREADLE_")}
    alone, cores = run(build / "consumer_localities", env=env).rsplit(maxsplit=1)
    assert alone == "1 of 1 with"
    for mpi, words in (
        ("openmpi", ("--allow-run-as-root", "--oversubscribe", "--bind-to", "none")),
        ("mpich", ()),
    ):
        if shutil.which(f"mpirun.{mpi}"):
            said = run(f"mpirun.{mpi}", *words, "-n", "2", build / "consumer_localities", env=env)
            is_bound = len(os.sched_getaffinity(0)) < os.cpu_count()
            share = min(int(cores), os.cpu_count() // 2) if is_bound else int(cores) // 2
            assert said == f"3 of 2 with {max(share, 1)}\n", mpi
    assert not (prefix / "include" / "gtest").exists()
