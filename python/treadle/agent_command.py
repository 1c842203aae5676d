"""The commands `treadle agent ...`."""

from __future__ import annotations

import contextlib
import json as json_module
import os
import select
import subprocess
import sys
import time
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console, RenderableType
from rich.markup import escape
from rich.table import Table

from .agent import ask
from .errors import Error
from .installed import program
from .simulated_sharing import Simulator

app = typer.Typer(
    help="The agent that shares this machine's cores out to the programs that use Treadle.",
    no_args_is_help=True, rich_markup_mode=None,
)  # fmt: skip
out = Console(width=None if sys.stdout.isatty() else 120)

AsJson = Annotated[bool, typer.Option("--json", help="Print the agent's answer as one JSON object.")]
Settings = Annotated[
    list[str] | None,
    typer.Option("--set", help="NAME=VALUE, such as period_s=0.1, cores=8, boost=adaptive; may be repeated."),
]


def _ask(command: str, **arguments: Any) -> dict[str, Any]:
    try:
        return ask(command, **arguments)
    except (RuntimeError, ValueError) as error:
        raise Error(str(error)) from None


def _value(text: str) -> Any:
    try:
        return json_module.loads(text)
    except ValueError:
        return text


def _changes(given: list[str]) -> dict[str, Any]:
    changes = {}
    for one in given:
        name, equals, value = one.partition("=")
        if not equals or not name:
            raise typer.BadParameter(f"expected NAME=VALUE, got '{one}'")
        changes[name] = _value(value)
    return changes


@app.command("start")
def start_command(
    strategy: Annotated[
        str | None,
        typer.Option(
            help="weighted (the default), efficiency, producer-consumer-pi; the paper's even, half-to-priority, "
            "stack, static, producer-consumer."
        ),
    ] = None,
    settings: Settings = None,
    background: Annotated[
        bool, typer.Option("--background", help="Return when it answers, and leave it running.")
    ] = False,
) -> None:
    """Start an agent for this user; until Ctrl-C or `treadle agent stop`. Programs find it by themselves.

    treadle agent start --background
    treadle agent start --strategy efficiency --set period_s=0.1
    """
    try:
        command = [str(program("treadle-agent"))]
    except FileNotFoundError as error:
        raise Error(str(error)) from None
    command += ["--strategy", strategy] if strategy else []
    for one in settings or []:
        command += ["--set", one]
    if not background:
        os.execv(command[0], command)
    started = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    for _ in range(50):
        if started.poll() is not None:
            said = started.stderr.read().decode(errors="replace").strip() if started.stderr else ""
            raise Error(said or f"treadle-agent ended with {started.returncode}")
        try:
            pid = ask("status", patience_ms=100)["agent"]["pid"]
        except RuntimeError:
            time.sleep(0.02)
            continue
        if pid == started.pid:
            print(f"agent {pid} shares out the cores of this machine; `treadle agent stop` ends it")
            return
    raise Error("the agent does not answer")


def table_of(status: dict[str, Any]) -> RenderableType:
    """A row for each program of an agent's status."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("pid", "program", "granted", "used", "wants", "state", "why"):
        table.add_column(name, justify="right" if name in ("pid", "granted", "used") else "left")
    for one in status["programs"]:
        most = one["most"] or one["workers"]
        wants = f"{one['least'] or 1} to {most}"
        if one["weight"] != 1:
            wants += f", weight {one['weight']:g}"
        if one["group"]:
            wants += f", {one['group']} {one['role']}".rstrip()
        state = next((name for name in ("paused", "silent", "idle") if one[name]), "")
        granted = f"{one['granted']} of {one['workers']}" + ("" if one["acknowledged"] else " ?")
        used = "" if one.get("used_cores") is None else f"{one['used_cores']:.2f}"
        table.add_row(
            str(one["pid"]), escape(one["name"]), granted, used, escape(wants), state, escape(one["reason"])
        )
    return table


@app.command("status")
def status_command(as_json: AsJson = False) -> None:
    """Show what the agent shares out, to whom, and why. A ? stands where a program has not confirmed its grant."""
    found = _ask("status")
    if as_json:
        print(json_module.dumps(found))
        return
    agent, cores, settings = found["agent"], found["cores"], found["settings"]
    out.print(
        f"agent {agent['pid']} in {agent['folder']}: {settings['strategy']}, {cores['shared']} of {cores['usable']} cores"
        f" shared out, others use {cores['foreign']:.1f}; {agent['decisions']} decisions in {agent['runs_s']:.0f} s",
        highlight=False, markup=False,
    )  # fmt: skip
    if found["programs"]:
        out.print(table_of(found))
        if without := [
            f"{one['name']} ({one['pid']})" for one in found["programs"] if one.get("page") is False
        ]:
            out.print(
                f"There is no page of {', '.join(without)} in {agent['pages']}, so progress and queues are not known:"
                " TREADLE_DIR is another one there, or it has just begun.",
                highlight=False, markup=False, soft_wrap=True,
            )  # fmt: skip
    else:
        out.print("No program follows it at the moment.")


Program = Annotated[str, typer.Argument(help="Its pid, its name (all of that name), or its number.")]


@app.command("set")
def set_command(
    which: Program,
    changes: Annotated[
        list[str],
        typer.Argument(
            help="least=, most=, weight=, target=, group=, role=, preferred=; NAME=null undoes it."
        ),
    ],
) -> None:
    """Change what is asked for in place of a program: `treadle agent set 1234 least=2 weight=3`."""
    _ask("set", program=which, wish=_changes(changes))


def _pause(which: str | None, paused: bool | None) -> None:
    if which is not None:
        _ask("set", program=which, wish={"paused": paused})
        return
    for one in _ask("status")["programs"]:
        with contextlib.suppress(ValueError):  # it has just ended
            ask("set", program=one["program"], wish={"paused": paused})


OrAll = Annotated[str | None, typer.Argument(help="Its pid, name or number; without one, all programs.")]


@app.command("pause")
def pause_command(which: OrAll = None) -> None:
    """Let no worker of a program be active: it stops when its running tasks have ended, and loses nothing."""
    _pause(which, True)


@app.command("resume")
def resume_command(which: OrAll = None) -> None:
    """Let a program that was paused go on."""
    _pause(which, None)


@app.command("strategy")
def strategy_command(
    name: Annotated[str | None, typer.Argument(help="As for start.")] = None, settings: Settings = None
) -> None:
    """Change how cores are shared out, or show all settings."""
    changes = _changes(settings or [])
    if name is not None:
        changes["strategy"] = name
    for setting, value in _ask("settings", **changes).items():
        print(f"{setting} = {json_module.dumps(value)}")


def _log_of(folder: str) -> list[dict[str, Any]]:
    """All decisions that are written down, the oldest first; not lines that were cut short."""
    lines = []
    for name in ("decisions.jsonl.1", "decisions.jsonl"):
        with contextlib.suppress(FileNotFoundError):
            for text in (Path(folder) / name).read_text(encoding="utf-8", errors="replace").split("\n"):
                with contextlib.suppress(ValueError):
                    lines.append(json_module.loads(text))
    return lines


@app.command("explain")
def explain_command(
    which: Program,
    last: Annotated[
        int, typer.Option("--last", "-n", min=1, help="How many decisions that changed its workers to show.")
    ] = 5,
) -> None:
    """Say what a program was granted, when, what had happened, and why: from the log of decisions."""
    status = _ask("status")
    numbers = {
        one["program"]: one
        for one in status["programs"]
        if which in (one["program"], one["name"], str(one["pid"]))
    }
    if not numbers:
        raise Error(f"the agent has no program '{which}'; `treadle agent status` shows them")
    now_s = time.monotonic()
    lines = _log_of(status["agent"]["folder"])
    for number, one in numbers.items():
        rows, before = [], None
        for line in lines:
            for view, share in zip(line["programs"], line["shares"], strict=True):
                if view["program"] == number and share["workers"] != before:
                    before = share["workers"]
                    rows.append((now_s - line["time_s"], before, line["cause"], share["reason"]))
        print(
            f"{one['name']} ({one['pid']}) now has {one['granted']} of {one['workers']} workers: {one['reason']}"
        )
        for age_s, workers, cause, reason in rows[-last:]:
            print(f"  {age_s:8.1f} s ago: {workers} workers, because {cause}: {reason}")


@app.command("stop")
def stop_command() -> None:
    """End the agent; its programs are free again at once."""
    pid = _ask("stop")["stops"]
    try:
        agent = os.pidfd_open(pid)
    except OSError:  # it has ended, or cannot be watched here
        return
    try:  # its parent may take its time to notice
        if not select.select([agent], [], [], 2)[0]:
            raise Error(f"agent {pid} has not ended")
    finally:
        os.close(agent)


@app.command("simulate")
def simulate_command(
    file: Annotated[
        Path, typer.Argument(help="A scenario in JSON: machine, programs, agent; see docs/guide/agent.md.")
    ],
    as_json: Annotated[
        bool, typer.Option("--json", help="Print all that happened as one JSON object.")
    ] = False,
) -> None:
    """Let programs share a machine in simulated time, with an agent's settings and without one.

    treadle agent simulate pair.json
    """
    try:
        scenario = json_module.loads(file.read_text("utf-8"))
        with Simulator() as simulator:
            found = simulator.run(scenario)
            free = simulator.run({**scenario, "agent": None}) if scenario.get("agent") else None
    except (OSError, ValueError) as error:
        raise Error(f"{file}: {error}") from None
    if as_json:
        print(json_module.dumps(found))
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    columns = [
        "program",
        "begins, s",
        "ends, s",
        "core seconds",
        *(["ends without agent, s"] if free else []),
    ]
    for name in columns:
        table.add_column(name, justify="left" if name == "program" else "right")
    for n, (given, one) in enumerate(zip(scenario["programs"], found["programs"], strict=True)):
        row = [f"{one['begins_s']:.2f}", f"{one['ends_s']:.2f}", f"{one['used_s']:.1f}"]
        more = [f"{free['programs'][n]['ends_s']:.2f}"] if free else []
        table.add_row(escape(given.get("name") or f"program {n}"), *row, *more)
    out.print(table)
    without = f", {free['ends_s']:.2f} s without agent" if free else ""
    print(f"simulated: all have ended after {found['ends_s']:.2f} s{without}")
    if found["longest_queue"]:
        then = f", {free['longest_queue']:.1f} without agent" if free else ""
        print(f"at most {found['longest_queue']:.1f} items between producer and consumer{then}")


@app.command("unit")
def unit_command() -> None:
    """Print a unit for systemd, so that the agent starts with the session:

    treadle agent unit > ~/.config/systemd/user/treadle-agent.service
    systemctl --user enable --now treadle-agent
    """
    try:
        path = program("treadle-agent")
    except FileNotFoundError as error:
        raise Error(str(error)) from None
    print(
        "[Unit]\nDescription=Shares the cores of this machine out to programs that use Treadle\n\n"
        f"[Service]\nExecStart={path}\nRestart=on-failure\n\n[Install]\nWantedBy=default.target"
    )


__all__ = ["app", "table_of"]
