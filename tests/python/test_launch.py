"""Programs of several localities: `treadle run -n`."""

import os
import shutil
import signal
import subprocess
import sys
import time

import pytest
from test_cli import TREADLE

from treadle.installed import find


def run(*words, **options):
    return subprocess.run([TREADLE, "run", *words], capture_output=True, text=True, timeout=60, **options)


def python(code):
    return ["--", sys.executable, "-c", code]


def test_each_locality_has_a_number_and_a_share_of_the_cores(monkeypatch):
    monkeypatch.delenv("TREADLE_WORKERS", raising=False)
    done = run(
        "-n",
        "3",
        *python("import os; print(os.environ['TREADLE_LOCALITIES'], os.environ['TREADLE_WORKERS'])"),
    )
    assert done.returncode == 0, done.stderr
    share = max(len(os.sched_getaffinity(0)) // 3, 1)
    lines = sorted(done.stdout.splitlines())
    assert len(lines) == 3
    for number, line in enumerate(lines):
        tag, place, workers = line.split()
        assert tag == f"[{number}]"
        assert place.endswith(f":{number}:3")
        assert int(workers) == share


def test_a_number_of_workers_that_was_given_stays(monkeypatch):
    monkeypatch.setenv("TREADLE_WORKERS", "5")
    done = run(
        "-n", "2", "--no-tag", *python(r"import os; print(os.environ['TREADLE_WORKERS'] + '\n', end='')")
    )
    assert done.stdout.split() == ["5", "5"]


def test_lines_are_whole_and_tagged_on_both_streams():
    code = "import sys\nfor i in range(200): print('x' * 80); print('y' * 80, file=sys.stderr)"
    done = run("-n", "4", *python(code))
    for stream, letter in ((done.stdout, "x"), (done.stderr, "y")):
        lines = stream.splitlines()
        assert len(lines) == 800
        assert {line.split()[1] for line in lines} == {letter * 80}
        assert {line.split()[0] for line in lines} == {"[0]", "[1]", "[2]", "[3]"}


def test_one_that_fails_ends_the_others():
    code = "import os, sys, time\nif ':1:' in os.environ['TREADLE_LOCALITIES']: sys.exit(7)\ntime.sleep(50)"
    begun = time.monotonic()
    done = run("-n", "3", *python(code))
    assert done.returncode == 7
    assert time.monotonic() - begun < 30
    assert "locality 1 (process " in done.stderr
    assert ") ended with code 7; the others are ended" in done.stderr


def test_one_that_is_killed_is_named_and_one_that_ignores_the_end_is_killed():
    code = (
        "import os, signal, time\n"
        "if ':0:' in os.environ['TREADLE_LOCALITIES']:\n"
        "    time.sleep(0.5); os.kill(os.getpid(), signal.SIGKILL)\n"
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "time.sleep(50)"
    )
    done = run("-n", "2", *python(code))
    assert done.returncode == 128 + signal.SIGKILL
    assert "locality 0 (process " in done.stderr
    assert "was ended by SIGKILL" in done.stderr


def test_ctrl_c_reaches_all_and_leaves_nothing_behind(tmp_path):
    before = set(os.listdir("/dev/shm")) if os.path.isdir("/dev/shm") else set()
    code = f"import os, time\nopen(r'{tmp_path}/' + str(os.getpid()), 'w').close()\ntime.sleep(50)"
    child = subprocess.Popen([TREADLE, "run", "-n", "2", *python(code)], stderr=subprocess.PIPE, text=True)
    while len(os.listdir(tmp_path)) < 2:
        assert child.poll() is None
        time.sleep(0.02)
    child.send_signal(signal.SIGINT)
    assert child.wait(timeout=30) != 0
    for pid in os.listdir(tmp_path):
        assert not os.path.exists(f"/proc/{pid}")
    if before:
        assert set(os.listdir("/dev/shm")) <= before
    child.stderr.close()


@pytest.mark.parametrize("mpi", ["openmpi", "mpich"])
def test_mpirun_starts_them_where_wanted(mpi, monkeypatch):
    if not shutil.which(f"mpirun.{mpi}"):
        pytest.skip(f"no mpirun.{mpi}")
    monkeypatch.setenv("TREADLE_WORKERS", "3")
    names = {"openmpi": "OMPI_COMM_WORLD_RANK", "mpich": "PMI_RANK"}
    said = f"' '.join(os.environ[x] for x in ('{names[mpi]}', 'TREADLE_WORKERS', 'TREADLE_MPI'))"
    code = f"import os; os.write(1, ({said} + chr(10)).encode())"  # at once: mpirun passes on what there is
    done = run("-n", "3", "--over", mpi, "--no-tag", *python(code))
    assert done.returncode == 0, done.stderr
    lines = sorted(line.split() for line in done.stdout.splitlines())
    assert [line[:2] for line in lines] == [["0", "3"], ["1", "3"], ["2", "3"]]
    assert all(mpi in line[2] for line in lines)
    assert run("-n", "2", "--over", mpi, *python("raise SystemExit(9)")).returncode == 9


def test_options_of_the_runtime_are_passed_on():
    program = find("message_rate")
    if program is None:
        pytest.skip("the programs are not built")
    words = ["-n", "2", "--no-tag", "--", program, "--parcels", "10", "--phases", "1"]
    done = run(*words, "--treadle:workers=3", "--treadle:print-counter=/runtime/count/workers")
    assert done.returncode == 0, done.stderr
    found = sorted(
        line.split() for line in (done.stdout + done.stderr).splitlines() if "count/workers" in line
    )
    assert found == [[f"/runtime{{locality#{n}/total}}/count/workers", "3"] for n in range(2)]
    of_workers = (
        "/threads{locality#0/worker-thread#*}/count/cumulative"  # each of itself, before there are localities
    )
    done = run(*words, "--treadle:workers=3", f"--treadle:print-counter={of_workers}")
    for n in range(2):
        assert done.stdout.count(f"/threads{{locality#{n}/worker-thread#") == 3, done.stdout + done.stderr
    assert run(*words, "--treadle:workers=none").returncode == 2


def test_bad_usage():
    for words, message in (
        (["-n", "0", "--", "true"], "-n: expected a number from 1 to 1024, got '0'"),
        (["--localities=x", "--", "true"], "--localities: expected a number from 1 to 1024, got 'x'"),
        (["-n"], "-n: expected a number"),
        (["-n", "2", "--"], "what is to be run?"),
        (
            ["-n", "2", "--over", "tcp", "--", "true"],
            "--over: expected shared-memory, openmpi, mpich, got 'tcp'",
        ),
        (["--over=mpich", "--", "true"], "--over and --hosts need -n"),
        (["-n", "2", "--hosts", "a,b", "--", "true"], "--hosts needs --over"),
        (["-n", "2", "--over", "mpich", "--hosts", "--", "true"], "--hosts: expected names"),
    ):
        done = run(*words)
        assert done.returncode != 0
        assert message in done.stderr.replace("\n", " "), done.stderr
    done = run("-n", "2", "--", "/nowhere/program")
    assert done.returncode == 127
    assert "/nowhere/program: No such file or directory" in done.stderr
