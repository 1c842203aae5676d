"""Commands that follow an agent without knowing of it: `treadle run`."""

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from test_agent import Agent, folder, start, until  # noqa: F401 (fixtures)
from test_cli import TREADLE

from treadle.agent import ask
from treadle.installed import program

RUN = str(program("treadle-run"))
SOURCE = Path(__file__).resolve().parents[1] / "openmp" / "regions.c"
LLVM = Path("/usr/lib/llvm-19/lib")
RUNTIMES = {"gcc": ["gcc"], "llvm": ["clang-19", f"-L{LLVM}", f"-Wl,-rpath,{LLVM}"]}


@pytest.fixture(params=RUNTIMES)
def regions(request, tmp_path):
    compiler, *more = RUNTIMES[request.param]
    if not shutil.which(compiler):
        pytest.skip(f"no {compiler}")
    made = tmp_path / "regions"
    subprocess.run([compiler, "-O1", "-fopenmp", str(SOURCE), "-o", str(made), *more], check=True)
    return str(made)


def look(child):
    child.stdin.write("\n")
    child.stdin.flush()
    return json.loads(child.stdout.readline())


def test_regions_of_openmp_have_no_more_threads_than_are_granted(folder, regions):  # noqa: F811
    child = subprocess.Popen(
        [RUN, "--", regions], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        env={**os.environ, "OMP_NUM_THREADS": "4"},
    )  # fmt: skip
    free = {"usual": 4, "clause": 3, "loop": 4, "plain": 4, "max": 4, "sum": 4950}
    assert look(child) == look(child) | free
    agent = Agent("--set", "minus_foreign=false")

    def set_most(most):
        until(lambda: ask("status")["programs"] != [])
        ask("set", program="regions", wish={"most": most, "least": most})

    set_most(1)
    one = {"usual": 1, "clause": 1, "loop": 1, "plain": 1, "max": 4, "cpus": 1, "sum": 4950}
    until(lambda: look(child) == one)
    if (os.cpu_count() or 1) >= 2:
        set_most(2)
        two = {"usual": 2, "clause": 2, "loop": 2, "plain": 2, "max": 4, "cpus": 2, "sum": 4950}
        until(lambda: look(child) == look(child) | two)
    assert agent.end() == 0
    until(lambda: look(child) == look(child) | free)
    child.stdin.close()
    assert child.wait() == 0


def test_a_runtime_that_an_interpreter_loads_for_itself_follows_too(folder, tmp_path):  # noqa: F811
    source = tmp_path / "ext.c"
    source.write_text(
        "#include <omp.h>\n"
        "int most(void) { return omp_get_max_threads(); }\n"
        "int has(void) {\n int n = 0;\n"
        "#pragma omp parallel\n#pragma omp single\n n = omp_get_num_threads();\n return n;\n}\n"
    )
    agent = Agent("--set", "minus_foreign=false")
    for compiler, *more in RUNTIMES.values():
        library = tmp_path / f"{compiler}.so"
        subprocess.run(
            [compiler, "-fopenmp", "-shared", "-fPIC", str(source), "-o", str(library), *more], check=True
        )
        code = (
            f"import ctypes, time; e = ctypes.CDLL('{library}'); most = e.most()\n"
            "while e.has() != 1: time.sleep(0.01)\n"
            "assert e.most() == most == 4"
        )
        done = subprocess.run(
            [RUN, "--max", "1", "--", sys.executable, "-c", code], env={**os.environ, "OMP_NUM_THREADS": "4"}
        )
        assert done.returncode == 0
    assert agent.end() == 0


def test_it_keeps_to_what_it_was_given(folder):  # noqa: F811
    agent = Agent("--set", "minus_foreign=false", "--set", "cores=1")
    last = max(os.sched_getaffinity(0))
    code = "import os, time; time.sleep(1); print(os.sched_getaffinity(0))"
    said = subprocess.run(
        ["taskset", "-c", str(last), RUN, "--", sys.executable, "-c", code], capture_output=True, text=True
    ).stdout
    assert said == f"{{{last}}}\n"
    # The one that started it may have had no interest in its children.
    ignoring = (
        "import os, signal; signal.signal(signal.SIGCHLD, signal.SIG_IGN); "
        f"os.execv({RUN!r}, [{RUN!r}, '--', 'true'])"
    )
    assert subprocess.run([sys.executable, "-c", ignoring]).returncode == 0
    # The folder is not what it was: the command goes on.
    late = subprocess.Popen(
        [RUN, "--", "sh", "-c", "echo up; sleep 1; echo finished"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "TREADLE_AGENT": str(folder)},
    )  # fmt: skip
    assert late.stdout.readline() == "up\n"
    folder.chmod(0o755)
    assert late.communicate()[0] == "finished\n"
    folder.chmod(0o700)
    assert agent.end() == 0


def test_it_is_the_command(folder):  # noqa: F811
    for words, code in (
        ([sys.executable, "-c", "raise SystemExit(7)"], 7),
        (["sh", "-c", "kill -TERM $$"], 128 + signal.SIGTERM),
        (["/no/such/program"], 127),
    ):
        assert subprocess.run([RUN, "--", *words], capture_output=True).returncode == code
    said = subprocess.run(
        [TREADLE, "run", "--max", "1", "--", "echo", "--min", "hello"], capture_output=True, text=True
    )
    assert said.stdout == "--min hello\n"
    for wrong in (
        ["--min", "3", "--max", "2", "--", "true"],
        ["--weight", "0", "--", "true"],
        ["--role", "x", "--", "true"],
        [],
    ):
        assert subprocess.run([RUN, *wrong], capture_output=True).returncode == 2
    stopped = subprocess.Popen([RUN, "--", "sh", "-c", "echo up; exec sleep 1000"], stdout=subprocess.PIPE)
    assert stopped.stdout.readline() == b"up\n"
    stopped.send_signal(signal.SIGTERM)
    assert stopped.wait() == 128 + signal.SIGTERM
    assert not list(folder.glob("grant.*"))


def test_commands_have_cores_of_their_own_and_are_stopped_when_they_have_none(folder):  # noqa: F811
    agent = Agent("--set", "minus_foreign=false", "--set", "cores=2")
    spin = [RUN, "--", sys.executable, "-c", "while True: pass"]
    both = [subprocess.Popen(spin), subprocess.Popen(spin)]
    cpus = os.sched_getaffinity(0)

    def sets():
        return [set(one["cpus"]) for one in ask("status")["programs"]]

    until(lambda: len(sets()) == 2 and all(len(one) == 1 for one in sets()))
    if len(cpus) >= 2:
        one, other = sets()
        assert not one & other
    victim = ask("status")["programs"][0]["program"]
    ask("set", program=victim, wish={"paused": True})
    until(lambda: next(p for p in ask("status")["programs"] if p["program"] == victim)["used_cores"] < 0.05)
    ask("set", program=victim, wish={"paused": None})
    until(lambda: next(p for p in ask("status")["programs"] if p["program"] == victim)["used_cores"] > 0.2)
    for one in both:
        one.kill()  # and what runs under it ends, too
        one.wait()
    until(lambda: ask("status")["programs"] == [])
    assert agent.end() == 0


def test_a_program_that_uses_treadle_follows_by_itself(folder, tmp_path):  # noqa: F811
    agent = Agent()
    script = tmp_path / "one.py"
    script.write_text(
        "import sys, treadle as td\n"
        "@td.jit\n"
        "def total(n):\n"
        "    s = 0.0\n"
        "    for i in range(n):\n"
        "        s += i * 0.5\n"
        "    return s\n"
        "while True:\n"
        "    total(20000)\n"
    )
    child = subprocess.Popen(
        [RUN, "--max", "3", "--", sys.executable, str(script)], env={**os.environ, "TREADLE_WORKERS": "4"}
    )
    until(lambda: [p["name"] for p in ask("status")["programs"]] == ["one.py"])
    until(lambda: [p["granted"] for p in ask("status")["programs"]] == [3])
    child.kill()
    child.wait()
    assert agent.end() == 0
