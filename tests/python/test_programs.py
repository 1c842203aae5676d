"""Programs of other processes, as treadle.programs and `treadle top` show them."""

import contextlib
import json
import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from test_cli import TREADLE

import treadle as td
from treadle.top.looks import Rate, Rates, Seen
from treadle.top.other_machine import OtherMachine
from treadle.top.view import view

PROGRAM = """
import sys, time
import numpy as np, treadle as td

@td.jit
def total(n):
    s = 0.0
    for i in range(n):
        s += i * 0.5
    return s

td.report_progress(0.5, "half")
total(10)
print("ready", flush=True)
while True:
    total(1000)
    time.sleep(0.005)
"""

ONE = td.RunningProgram(1, "a", True, 0, 10**9, 10**9, 2, 2, 1, 0, 1, 0, 5, 100, [], [])
ROW = Seen("here", ONE, Rates(1.0, 2.0)).as_object()


@pytest.fixture
def folder(tmp_path, monkeypatch):
    place = tmp_path / "private"
    place.mkdir(mode=0o700)
    monkeypatch.setenv("TREADLE_DIR", str(place))
    monkeypatch.delenv("TREADLE_PUBLISH", raising=False)
    return place


@pytest.fixture
def program(folder, tmp_path):
    script = tmp_path / "busy.py"
    script.write_text(PROGRAM)
    child = subprocess.Popen(
        [sys.executable, str(script)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "TREADLE_WORKERS": "2"},
    )
    assert child.stdout.readline() == "ready\n"
    while not (folder / "programs" / str(child.pid)).exists():
        assert child.poll() is None
        time.sleep(0.01)
    yield child
    child.send_signal(signal.SIGCONT)
    child.kill()
    child.wait()


def of(pid, patience_ms=5000):
    return next(one for one in td.programs(patience_ms) if one.pid == pid)


def test_a_program_says_what_it_does(program):
    one = of(program.pid)
    assert one.name == "busy.py"
    assert one.answers
    assert one.workers == one.granted == 2
    assert one.active + one.searching + one.parked + one.blocked <= 2
    assert one.cpu_ns > 0
    assert ("half", 0.5) in [(p.stream, p.value) for p in one.streams]
    later = of(program.pid)
    assert later.runs_ns > one.runs_ns
    assert later.cpu_ns >= one.cpu_ns


def test_one_that_is_stopped_does_not_answer_and_goes_on_later(program):
    assert of(program.pid).answers
    program.send_signal(signal.SIGSTOP)
    while Path(f"/proc/{program.pid}/stat").read_text().rsplit(")")[1].split()[0] != "T":
        time.sleep(0.001)
    stopped = of(program.pid, 50)
    assert not stopped.answers
    assert stopped.workers == 2
    program.send_signal(signal.SIGCONT)
    assert of(program.pid).answers


def test_one_that_was_killed_is_gone_with_its_file(program, folder):
    assert of(program.pid)
    program.kill()
    program.wait()
    assert program.pid not in [one.pid for one in td.programs()]
    assert list((folder / "programs").iterdir()) == []


def test_publishing_can_be_turned_off(folder, tmp_path):
    script = tmp_path / "brief.py"
    script.write_text(
        "import time, numpy as np, treadle as td\n"
        "@td.jit\ndef f(x):\n    return x + 1.0\n"
        "td.config(workers=2)\nf(np.ones(3))\ntime.sleep(0.3)\nprint(td.programs())\n"
    )
    for settings, expected in (
        ({"TREADLE_PUBLISH": "0"}, "[]"),
        ({"TREADLE_PUBLISH": "1"}, "name='brief.py'"),
        ({"TREADLE_PUBLISH": "1", "TREADLE_LOCALITIES": "/nowhere:1:2"}, "name='brief.py L1'"),
    ):
        done = subprocess.run(
            [sys.executable, str(script)], env=os.environ | settings, capture_output=True, text=True
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert expected in done.stdout


def test_top_prints_a_row_for_each(program):
    done = subprocess.run([TREADLE, "top", "--count=1"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    row = next(line for line in done.stdout.splitlines() if str(program.pid) in line)
    assert "busy.py" in row
    assert "2 of 2" in row
    assert "half 0.5" in row


def test_top_as_json(program):
    done = subprocess.run([TREADLE, "top", "--json"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    (one,) = [row for row in json.loads(done.stdout) if row["pid"] == program.pid]
    assert one["name"] == "busy.py"
    assert 0 <= one["cores"] < 3
    assert one["streams"][0]["stream"] == "half"


def test_top_without_programs_says_so(folder):
    done = subprocess.run([TREADLE, "top", "--count=1"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "No program of this user has a Treadle runtime at the moment." in done.stdout


def test_a_folder_that_is_open_to_others_is_one_clear_message(folder):
    folder.chmod(0o755)
    done = subprocess.run([TREADLE, "top", "--count=1"], capture_output=True, text=True)
    assert done.returncode == 1
    assert f"{folder} is open to others (chmod 700 mends that)" in done.stderr


def test_rates_need_two_looks_and_survive_a_runtime_that_ends():
    rate = Rate()
    assert rate.of([ONE])[1] == (None, None)
    later = ONE._replace(runs_ns=2 * 10**9, cpu_ns=25 * 10**8, executed=1100)
    cores, tasks = rate.of([later])[1]
    assert cores == pytest.approx(1.5)
    assert tasks == pytest.approx(1000)
    assert rate.of([later._replace(runs_ns=3 * 10**9, executed=3)])[1].tasks == 0
    assert view([Seen("here", later, rate.of([later])[1])], {}, details=True, with_machines=False)


@pytest.fixture
def remote_shell(tmp_path):
    """Other machines are this one: `good`; `bad`, which refuses; `old`, with another version of this program."""
    script = tmp_path / "remote-shell"
    script.write_text(
        "#!/bin/sh\n"
        'echo "welcome to $1"\n'
        "case $1 in\n"
        'good) exec sh -c "$2";;\n'
        "bad) echo 'connection refused' >&2; exit 255;;\n"
        "old) while :; do echo '[{\"pid\": 1}]'; sleep 0.1; done;;\n"
        "esac\n"
    )
    script.chmod(0o755)
    return str(script)


def test_top_of_another_machine(program, remote_shell):
    command = [TREADLE, "top", "--json", "--machine=good", f"--remote-shell={remote_shell}"]
    cores = None
    while cores is None:  # there are none where the program had no time to answer twice
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        rows = {row["machine"]: row for row in json.loads(done.stdout) if row["pid"] == program.pid}
        assert len(rows) == 2  # of this one and, once more, of the other one
        assert rows["good"]["streams"][0]["stream"] == "half"
        cores = rows["good"]["cores"]


def test_watching_ends_with_an_interruption(program, remote_shell):
    pid, terminal = pty.fork()
    if pid == 0:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        shell = f"--remote-shell={remote_shell}"
        os.execv(TREADLE, [TREADLE, "top", "-i", "0.05", "-n", "100000", "-m", "good", shell])
    seen = b""
    while b"good" not in seen or seen.count(b"busy.py") < 8:
        seen += os.read(terminal, 65536)
    os.kill(pid, signal.SIGINT)
    with contextlib.suppress(OSError):
        while more := os.read(terminal, 65536):
            seen += more
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    assert seen.endswith(b"\x1b[?25h")  # the cursor is back, and nothing follows


def test_top_shows_what_machines_answer_and_says_which_do_not(program, remote_shell):
    command = [TREADLE, "top", "--count=1", "-m", "good", "-m", "bad", "-m", "old"]
    done = subprocess.run([*command, f"--remote-shell={remote_shell}"], capture_output=True, text=True)
    assert done.returncode == 1
    lines = done.stdout.splitlines()
    assert lines[0].split()[0] == "machine"
    assert len([line for line in lines if str(program.pid) in line]) == 2
    for complaint in ("bad: connection refused", "old: another version of Treadle answers"):
        assert any(line.startswith(complaint) for line in lines)
        assert f"treadle: {complaint}" in done.stderr


@contextlib.contextmanager
def answering(text):
    """A machine that says this and falls silent."""
    other = OtherMachine("there", ["sh", "-c", f"echo '{text}'; exec sleep 1000", "sh"], interval=0.05)
    try:
        yield other
    finally:
        other.close()


def test_a_machine_that_falls_silent_has_programs_that_do_not_answer():
    row = json.dumps([Seen("elsewhere", ONE, Rate().of([ONE])[1]).as_object()])
    with answering(row) as other:
        while other.looks() == 0:
            assert not other.complaint()
            time.sleep(0.001)
        assert other.look() == [Seen("there", ONE, Rates(None, None))]
        other._patience = 0.0
        (seen,) = other.look()
        assert not seen.program.answers
        assert other.complaint().startswith("has not answered for")


@pytest.mark.parametrize(
    "answer",
    ["{}", "5", "[5]", "[[]]", '[{"pid": 1}]']
    + [
        json.dumps([ROW | change])
        for change in (
            {"runs_ns": "x"},
            {"cpu_ns": None},
            {"cores": []},
            {"streams": 3},
            {"pid": float("inf")},
        )
    ],
)
def test_answers_that_are_none(answer):
    with answering(answer) as other:
        while not other.complaint():
            time.sleep(0.001)
        assert other.complaint() == "another version of Treadle answers"
        assert other.look() == []


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--machine=-oProxyCommand=x"], "'-oProxyCommand=x' is not the name of a machine"),
        (["--machine="], "'' is not the name of a machine"),
        (["--machine=a", "--remote-shell="], "names no command"),
        (["--machine=a", "--remote-shell='"], "No closing quotation"),
        (["--machine=a", "--remote-shell=/nowhere/ssh"], "cannot be started"),
    ],
)
def test_machines_and_shells_that_cannot_be(folder, options, message):
    done = subprocess.run([TREADLE, "top", "--count=1", *options], capture_output=True, text=True)
    assert done.returncode == 2
    assert message in " ".join(done.stderr.replace("│", "").split())
