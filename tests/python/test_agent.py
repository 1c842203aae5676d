"""The agent, with real programs that are killed, stopped and started again."""

import contextlib
import json
import os
import random
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
from test_cli import TREADLE

import treadle as td
from treadle.agent import ask
from treadle.installed import program

AGENT = str(program("treadle-agent"))

# Says how it stands with the agent each time it reads a line; meanwhile it works, or not.
PROGRAM = """
import json, os, select, sys, time
import treadle as td

@td.jit
def total(n):
    s = 0.0
    for i in range(n):
        s += i * 0.5
    return s

total(10)
print("ready", flush=True)
works = sys.argv[1] == "busy"
while True:
    if works:
        total(20000)
    if select.select([sys.stdin], [], [], 0 if works else None)[0]:
        if not sys.stdin.readline():
            break
        print(json.dumps(td.agent_status()._asdict()), flush=True)
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    place = tmp_path / "private"
    place.mkdir(mode=0o700)
    monkeypatch.setenv("TREADLE_DIR", str(place))
    monkeypatch.delenv("TREADLE_PUBLISH", raising=False)
    return place


class Agent:
    """One in the background, that shares out four cores, whatever this machine has."""

    def __init__(self, *options):
        settings = ["--set", "cores=4", "--set", "period_s=0.05", "--set", "lease_s=0.5"]
        self.process = subprocess.Popen([AGENT, *settings, *options], stderr=subprocess.PIPE, text=True)
        until(lambda: ask("status", patience_ms=200)["agent"]["pid"] == self.process.pid)

    def end(self, sent=signal.SIGTERM):
        self.process.send_signal(signal.SIGCONT)
        self.process.send_signal(sent)
        return self.process.wait()


@pytest.fixture
def agent(folder):
    one = Agent()
    yield one
    if one.process.poll() is None:
        assert one.end() == 0


@pytest.fixture
def start(folder, tmp_path):
    script = tmp_path / "one.py"
    script.write_text(PROGRAM)
    started = []

    def begin(kind, **environment):
        child = subprocess.Popen(
            [sys.executable, str(script), kind], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env={**os.environ, "TREADLE_WORKERS": "4", **environment},
        )  # fmt: skip
        started.append(child)
        assert child.stdout.readline() == "ready\n"
        return child

    yield begin
    for child in started:
        child.kill()
        child.wait()


def until(is_so):
    """However slow the machine is: what takes two minutes hangs."""
    end = time.monotonic() + 120
    while time.monotonic() < end:
        with contextlib.suppress(RuntimeError):
            if is_so():
                return
        time.sleep(0.005)
    raise AssertionError(f"still not so: {ask('status')}")


def own_view(child):
    child.stdin.write("\n")
    child.stdin.flush()
    return json.loads(child.stdout.readline())


def granted():
    return {one["pid"]: one["granted"] for one in ask("status")["programs"] if one["acknowledged"]}


def test_cores_are_shared_out_and_those_of_the_dead_are_given_out_again(agent, start):
    one, other = start("busy"), start("busy")
    until(lambda: granted() == {one.pid: 2, other.pid: 2})
    until(lambda: own_view(one)["granted"] == 2)
    other.kill()
    until(lambda: granted() == {one.pid: 4})
    until(lambda: own_view(one) == own_view(one) | {"governed": True, "granted": 4})


def test_who_has_nothing_to_do_lends(agent, start):
    busy, idle = start("busy"), start("idle")
    until(lambda: granted() == {busy.pid: 4, idle.pid: 1})
    assert next(p for p in ask("status")["programs"] if p["pid"] == idle.pid)["idle"]


def test_wishes(agent, start):
    one = start("busy", TREADLE_AGENT_WISH="weight=3,group=g")
    other = start("busy")
    until(lambda: granted() == {one.pid: 3, other.pid: 1})
    subprocess.run([TREADLE, "agent", "set", str(other.pid), "weight=3"], check=True)
    until(lambda: granted() == {one.pid: 2, other.pid: 2})
    subprocess.run([TREADLE, "agent", "set", str(one.pid), "most=1"], check=True)
    until(lambda: granted() == {one.pid: 1, other.pid: 3})
    subprocess.run([TREADLE, "agent", "pause", str(other.pid)], check=True)
    until(lambda: granted() == {one.pid: 1, other.pid: 0})
    assert own_view(one)["governed"]
    subprocess.run([TREADLE, "agent", "resume"], check=True)
    until(lambda: granted() == {one.pid: 1, other.pid: 3})
    said = subprocess.run(
        [TREADLE, "agent", "explain", str(other.pid)], check=True, capture_output=True, text=True
    ).stdout
    assert "now has 3 of 4 workers: weighted: 3 of 4 cores" in said
    assert "0 workers, because set: paused" in said
    shown = subprocess.run([TREADLE, "agent", "status"], check=True, capture_output=True, text=True).stdout
    assert "4 of " in shown
    assert "weighted: 3 of 4 cores" in shown


def test_a_program_without_an_agent_is_free_within_the_lease(agent, start):
    one, other = start("busy"), start("busy")
    until(lambda: own_view(one)["governed"] and own_view(one)["granted"] == 2)
    agent.process.send_signal(signal.SIGSTOP)
    until(lambda: not own_view(one)["governed"])
    agent.process.send_signal(signal.SIGCONT)
    until(lambda: own_view(one)["governed"] and own_view(one)["granted"] == 2)
    assert agent.end() == 0
    until(lambda: not own_view(one)["governed"] and not own_view(other)["governed"])


def test_others_have_the_cores_of_a_program_that_is_stopped(agent, start):
    one, other = start("busy"), start("busy")
    until(lambda: granted() == {one.pid: 2, other.pid: 2})
    other.send_signal(signal.SIGSTOP)
    until(lambda: granted().get(one.pid) == 4)
    assert next(p for p in ask("status")["programs"] if p["pid"] == other.pid)["silent"]
    other.send_signal(signal.SIGCONT)
    until(lambda: granted() == {one.pid: 2, other.pid: 2})


def test_an_agent_that_is_killed_loses_nothing(agent, start):
    one, other = start("busy"), start("busy")
    until(lambda: granted() == {one.pid: 2, other.pid: 2})
    ask("set", program=str(one.pid), wish={"weight": 3})
    ask("settings", turn_s=2)
    until(lambda: granted() == {one.pid: 3, other.pid: 1})
    before = own_view(one)["epoch"]
    agent.end(signal.SIGKILL)
    again = Agent()
    until(lambda: granted() == {one.pid: 3, other.pid: 1})
    assert own_view(one)["epoch"] > before
    assert ask("status")["settings"]["turn_s"] == 2
    assert again.end() == 0


def test_programs_and_agents_that_are_killed_all_the_time(folder, start):
    rounds = random.Random(7)
    steady = start("busy")
    one = Agent()
    others = []
    for _ in range(12):
        what = rounds.choice(["program", "program", "kill", "agent"])
        if what == "agent":
            one.end(signal.SIGKILL)
            one = Agent()
        elif what == "kill" and others:
            others.pop(rounds.randrange(len(others))).kill()
        else:
            others.append(start("busy"))
        time.sleep(rounds.random() * 0.1)
    alive = [steady, *others]
    until(lambda: set(granted()) == {child.pid for child in alive})
    until(lambda: 0 < sum(granted().values()) <= 4)
    for child in others:
        child.kill()
    until(lambda: granted() == {steady.pid: 4})
    until(lambda: own_view(steady)["granted"] == 4)
    assert one.end() == 0


def test_garbage_is_refused_and_changes_nothing(agent, folder, start):
    one = start("busy")
    until(lambda: granted() == {one.pid: 4})
    rounds = random.Random(3)
    for size in (0, 1, 10, 64, 100, 1000, 100_000):
        with socket.socket(socket.AF_UNIX) as raw:
            raw.connect(str(folder / "agent.sock"))
            with contextlib.suppress(BrokenPipeError):
                raw.sendall(rounds.randbytes(size))
    for command, arguments in (
        ("dance", {}),
        ("set", {}),
        ("set", {"program": "nobody"}),
        ("settings", {"cores": -1}),
    ):
        with pytest.raises(ValueError, match="command|program|cores"):
            ask(command, **arguments)
    with pytest.raises(ValueError, match="no 'hue'"):
        ask("settings", hue="x" * 50_000)
    assert granted() == {one.pid: 4}


def test_decisions_can_be_made_again_and_metrics_are_served(agent, folder, start):
    one, other = start("busy"), start("idle")
    until(lambda: granted() == {one.pid: 4, other.pid: 1})
    for name in ("even", "efficiency", "producer-consumer-pi", "stack"):
        subprocess.run([TREADLE, "agent", "strategy", name], check=True, capture_output=True)
        time.sleep(0.2)
    with socket.socket(socket.AF_UNIX) as reader:
        reader.connect(str(folder / "metrics.sock"))
        reader.sendall(b"GET /metrics HTTP/1.0\r\n\r\n")
        text = b"".join(iter(lambda: reader.recv(4096), b"")).decode()
    assert text.startswith("HTTP/1.0 200 OK\r\n")
    assert f'treadle_program_granted_workers{{pid="{one.pid}",name="one.py"}} ' in text
    assert text.endswith("# EOF\n")
    assert agent.end() == 0
    done = subprocess.run(
        [AGENT, "--replay", str(folder / "decisions.jsonl")], capture_output=True, text=True, check=True
    )
    assert done.stdout.endswith(" 0 different\n")
    assert int(done.stdout.split()[0]) >= 5
    log = folder / "decisions.jsonl"
    log.write_text(log.read_text().replace('"workers":4,"reason"', '"workers":3,"reason"') + "{}\n")
    cut = subprocess.run([AGENT, "--replay", str(log)], capture_output=True, text=True)
    assert cut.returncode == 1
    assert "decisions.jsonl, line " in cut.stderr


def test_there_is_one_agent_in_a_private_folder(agent, folder, tmp_path):
    second = subprocess.run([AGENT], capture_output=True, text=True)
    assert second.returncode == 1
    assert f"has an agent already, process {agent.process.pid}" in second.stderr
    open_to_all = tmp_path / "open"
    open_to_all.mkdir()
    open_to_all.chmod(0o777)
    refused = subprocess.run([AGENT, "--folder", str(open_to_all)], capture_output=True, text=True)
    assert refused.returncode == 1
    assert "is open to others" in refused.stderr
    for wrong in (["--strategy", "odd"], ["--set", "period_s=0"], ["--set", "x"], ["--hue"]):
        other = str(tmp_path / "other")
        done = subprocess.run([AGENT, "--folder", other, *wrong], capture_output=True, text=True)
        assert done.returncode == 2, done.stderr


def keys(path, *lines):
    """A new pair in a file with these lines more; the public one."""
    pair = subprocess.run([AGENT, "--new-keys"], capture_output=True, text=True, check=True).stdout
    path.touch(0o600)
    path.write_text(pair + "".join(line + "\n" for line in lines))
    return pair.split()[1]


def test_over_tcp_only_those_get_in_whose_keys_are_known(folder, start, tmp_path):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{free.getsockname()[1]}"
    friend, stranger, own = (tmp_path / name for name in ("friend", "stranger", "own"))
    public = keys(own, f"client {keys(friend)}")
    keys(stranger)
    for client in (friend, stranger):
        client.write_text(client.read_text() + f"server-public {public}\n")
    agent = Agent("--listen", address, "--keys", str(own))
    welcome = start("busy", TREADLE_AGENT=address, TREADLE_AGENT_KEYS=str(friend))
    until(lambda: own_view(welcome)["granted"] == 4)
    refused = start("busy", TREADLE_AGENT=address, TREADLE_AGENT_KEYS=str(stranger))
    until(lambda: ask("status")["agent"]["bad_messages"] > 0)
    assert not own_view(refused)["governed"]
    assert len(ask("status")["programs"]) == 1
    own.chmod(0o644)
    assert agent.end() == 0
    seen = subprocess.run([AGENT, "--listen", address, "--keys", str(own)], capture_output=True, text=True)
    assert "is open to others" in seen.stderr


def test_an_agent_over_tcp_wants_keys(folder):
    lonely = subprocess.run([AGENT, "--listen", "tcp://127.0.0.1:0"], capture_output=True, text=True)
    assert lonely.returncode == 1
    assert "keys of CURVE" in lonely.stderr


@pytest.mark.parametrize(
    "variables, said",
    [
        ({"TREADLE_AGENT": "udp://1.2.3.4:5"}, "TREADLE_AGENT: expected"),
        ({"TREADLE_AGENT": "tcp://127.0.0.1:5"}, "TREADLE_AGENT_KEYS"),
        ({"TREADLE_AGENT_WISH": "least=9,most=1"}, "TREADLE_AGENT_WISH: most=1"),
    ],
)
def test_what_is_wrong_in_the_environment_is_said(folder, variables, said):
    code = "import treadle as td; td.physl.Program('1 + 1')()"
    done = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, **variables}, capture_output=True, text=True
    )
    assert done.returncode != 0
    assert said in done.stderr


def test_without_an_agent_tools_say_so(folder):
    with pytest.raises(RuntimeError, match="treadle agent start"):
        ask("status")
    done = subprocess.run([TREADLE, "agent", "status"], capture_output=True, text=True)
    assert done.returncode == 1
    assert "no agent answers" in done.stderr
    assert not td.agent_status().governed


def test_start_in_the_background_and_stop(folder):
    done = subprocess.run(
        [TREADLE, "agent", "start", "--background"], capture_output=True, text=True, check=True
    )
    pid = int(done.stdout.split()[1])
    again = subprocess.run([TREADLE, "agent", "start", "--background"], capture_output=True, text=True)
    assert again.returncode == 1
    assert "has an agent already" in again.stderr
    subprocess.run([TREADLE, "agent", "stop"], check=True)
    status = Path(f"/proc/{pid}/stat")
    # It is gone, or its new parent has not noticed yet that it has ended, and may not for minutes.
    with contextlib.suppress(OSError):
        assert status.read_text().rpartition(")")[2].split()[0] == "Z"
    unit = subprocess.run([TREADLE, "agent", "unit"], capture_output=True, text=True, check=True).stdout
    assert f"ExecStart={AGENT}" in unit


def test_status_tells_of_whom_nothing_is_known(agent, start, folder, tmp_path):
    def told():
        done = subprocess.run([TREADLE, "agent", "status"], capture_output=True, text=True, check=True)
        return next(
            (line for line in done.stdout.splitlines() if line.startswith("There is no page of ")), ""
        )

    seen = start("idle")
    until(lambda: any(one.get("page") for one in ask("status")["programs"]))
    assert not told()
    other = tmp_path / "other"
    other.mkdir(mode=0o700)
    unseen = start("idle", TREADLE_DIR=str(other), TREADLE_AGENT=str(folder))
    until(lambda: f"({unseen.pid})" in told())
    assert f"({seen.pid})" not in told() and "TREADLE_DIR" in told()
