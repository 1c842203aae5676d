"""An external CMake project of ten lines finds an installed Treadle and runs on it."""

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
    assert not (prefix / "include" / "gtest").exists()
