"""The command `treadle`."""

from __future__ import annotations

import json as json_module
import math
import os
import sys
import time
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, TypeGuard

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from typer.core import TyperCommand

from . import _native, demo, mpi, physl
from .agent_command import app as agent_app
from .config import config
from .counters import counters, without_total
from .errors import Error
from .info import info as gather
from .jit import JitFunction, compiled_functions, relative
from .machine_map import MAPPINGS, map_machine, parse_pools
from .merged_traces import merge_traces_command
from .predict_command import predict_command
from .run_command import RunCommand, run_command
from .study.cli import app as study_app
from .text_files import write_text
from .top import top_command
from .tune.cli import app as tune_app

app = typer.Typer(
    help="Array programs as execution trees of tasks, on a runtime that decides what is worth a task.",
    no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None,
)  # fmt: skip
app.add_typer(agent_app, name="agent")
app.add_typer(study_app, name="study")
app.add_typer(tune_app, name="tune")
app.command("predict")(predict_command)
app.command("top")(top_command)
app.command("run", cls=RunCommand)(run_command)
app.command("merge-traces")(merge_traces_command)
out = Console(width=None if sys.stdout.isatty() else 100)
err = Console(stderr=True)


class Policy(StrEnum):
    always_async = "always-async"
    always_inline = "always-inline"
    paper_baseline = "paper-baseline"
    paper_adaptive = "paper-adaptive"
    adaptive = "adaptive"


Workers = Annotated[int, typer.Option(min=0, max=4096, help="Number of workers; 0: all usable cores.")]


@app.command("physl")
def physl_command(
    file: Annotated[str | None, typer.Argument(help="PhySL file, or - for standard input.")] = None,
    arguments: Annotated[
        list[str] | None, typer.Argument(help="PhySL expressions, handed to the program.")
    ] = None,
    code: Annotated[str | None, typer.Option("-c", "--code", help="Run this text instead of a file.")] = None,
    performance: Annotated[bool, typer.Option("--performance", help="Print what each node cost.")] = False,
    dump_dot: Annotated[Path | None, typer.Option(help="Write the tree for Graphviz.")] = None,
    dump_newick: Annotated[Path | None, typer.Option(help="Write the tree in Newick form.")] = None,
    dump_counters: Annotated[
        Path | None, typer.Option(help="Write counters of every primitive as CSV.")
    ] = None,
    policy: Annotated[Policy, typer.Option(help="Inlining policy.")] = Policy.adaptive,
    workers: Workers = 0,
    show_time: Annotated[bool, typer.Option("--time", help="Print how long the run took.")] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print result and measurements as one JSON object.")
    ] = False,
) -> None:
    """Run a PhySL program.

    Its value is printed, if it has one. When the value is a function, it is called with the arguments.

    A program that uses localities is started as several processes, and tells what rank 0 found:
      treadle run -n 2 -- treadle physl apps/physl/als_d.physl ...
    """
    from .profile import profile

    program, given = _program(file, arguments or [], code)
    values = [_argument(text, i) for i, text in enumerate(given, 1)]
    with config(policy=policy.value, workers=workers), profile() as recorded:
        start = time.perf_counter()
        result = program(*values)
        seconds = time.perf_counter() - start
    if program.spans_ranks() and mpi.rank() != 0:
        return  # it has come to the same
    for path, write in (
        (dump_dot, program.dot),
        (dump_newick, program.newick),
        (dump_counters, program.counters_csv),
    ):
        if path is not None:
            write_text(path, write())
    if as_json:
        rows = [_plain_row(r) for r in recorded.rows] if performance else None
        found = {"result": _jsonable(result), "seconds": seconds, "policy": policy.value}
        print(json_module.dumps({**found, **({"nodes": rows} if rows is not None else {})}))
        return
    if result is not None:
        print(result)
    if performance:
        print(recorded.key_averages().table(), file=sys.stderr)
    if show_time:
        print(f"time: {seconds:.6f} s", file=sys.stderr)


def _program(file: str | None, arguments: list[str], code: str | None) -> tuple[physl.Program, list[str]]:
    if code is not None:  # the first word is then an argument, not a file
        return physl.Program(code, "<code>"), ([file] if file is not None else []) + arguments
    if file is None:
        raise typer.BadParameter("name a PhySL file, or give the program with -c")
    if file == "-":
        return physl.Program(sys.stdin.read(), "<stdin>"), arguments
    return physl.load(Path(file)), arguments


def _argument(text: str, number: int) -> Any:
    return physl.Program(text, f"<argument {number}>")()


def _jsonable(value: Any) -> Any:
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, list | tuple):
        return [_jsonable(v) for v in value]
    if isinstance(value, dict):
        return {str(k): _jsonable(v) for k, v in value.items()}
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)  # JSON has no such numbers
    return value


def _plain_row(row: Any) -> dict[str, Any]:
    wanted = (
        "name",
        "display",
        "file",
        "line",
        "column",
        "count",
        "inclusive_ns",
        "self_ns",
        "inlined",
        "spawned",
        "mode",
    )
    return {name: getattr(row, name) for name in wanted}


class _CommandWithScript(TyperCommand):
    """What stands behind a script is for the script, also what looks like an option."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        ctx.allow_interspersed_args = False
        given, _, _ = self.make_parser(ctx).parse_args(list(args))
        ctx.allow_interspersed_args = isinstance(given.get("code"), str) or not _is_script(given.get("file"))
        return super().parse_args(ctx, args)


def _is_script(file: object) -> TypeGuard[str]:
    return isinstance(file, str) and file.endswith(".py")


@app.command("explain", cls=_CommandWithScript)
def explain_command(
    file: Annotated[
        str | None, typer.Argument(help="PhySL file, - for standard input, or a Python script.")
    ] = None,
    arguments: Annotated[
        list[str] | None, typer.Argument(help="PhySL expressions, or words for the script.")
    ] = None,
    code: Annotated[str | None, typer.Option("-c", "--code", help="Run this text instead of a file.")] = None,
    policy: Annotated[Policy, typer.Option(help="Inlining policy.")] = Policy.adaptive,
    workers: Workers = 0,
    runs: Annotated[
        int | None,
        typer.Option(
            min=1, help="Of a PhySL program: a policy decides by what it measured before. Default: 3."
        ),
    ] = None,
    every: Annotated[
        bool, typer.Option("--all", help="Every node, not the most expensive ones only.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object per line.")] = False,
) -> None:
    """Run a program, PhySL or Python, and say what was decided for its loops and nodes, and why.

    Loops and blocks: whether their parts are independent, and if not, what stands against it. Nodes: how often each was
    a task, and the measured times that the policy goes by. Decisions: what was measured, tried and chosen.

      treadle explain apps/physl/als_rows.physl ...
      treadle explain script.py ARGUMENTS...        every function that td.jit compiled in it

    Options for treadle stand before the script: what stands behind it is for the script.
    """
    from .explain import explain

    failed = 0
    made: dict[str, Any] = {}
    with config(policy=policy.value, workers=workers):
        if code is None and _is_script(file):
            if runs is not None:
                raise typer.BadParameter("a script runs once: --runs is for PhySL programs")
            failed, made = _run_script(file, arguments or [])
            functions = sorted(compiled_functions(), key=_place)
            # Those that share a program have one explanation.
            parts = {relative(f.native.instance): explain(f) for f in functions}
        else:
            program, given = _program(file, arguments or [], code)
            values = [_argument(text, i) for i, text in enumerate(given, 1)]
            for _ in range(3 if runs is None else runs):
                program(*values)
            parts = {program.name: explain(program)}
        whole = explain()
    for found in parts.values():
        found.decisions.clear()  # are among those of the process
        if not every:
            del found.nodes[20:]  # the most expensive ones come first
    if as_json:
        for name, found in parts.items():
            for record in [r._asdict() for r in found.regions] + [n._asdict() for n in found.nodes]:
                print(json_module.dumps({"program": name} | record))
        for decision in whole.decisions:
            measured = [a._asdict() for a in decision.measured]
            print(json_module.dumps(decision._asdict() | {"measured": measured}))
    else:
        for name, found in parts.items():
            print(f"{name}\n\n{found.text()}\n")
        print(whole)
    del made
    if failed:
        raise typer.Exit(failed)


def _place(function: JitFunction[..., Any]) -> tuple[str, int, str]:
    code = function.__treadle_function__.__code__
    return code.co_filename, code.co_firstlineno, function.native.instance


@app.command("profile", cls=_CommandWithScript)
def profile_command(
    file: Annotated[str, typer.Argument(help="Python script.")],
    arguments: Annotated[list[str] | None, typer.Argument(help="Words for the script.")] = None,
    policy: Annotated[Policy, typer.Option(help="Inlining policy.")] = Policy.adaptive,
    workers: Workers = 0,
    rows: Annotated[int, typer.Option(min=1, help="How many nodes and tasks to print at most.")] = 20,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Run a Python script and say where its compiled functions spent their time.

    Nodes: how often each part of a function was evaluated, and what that took. Tasks: what the workers executed, how
    long each waited for its inputs and for a worker.

      treadle profile script.py ARGUMENTS...

    Options for treadle stand before the script. A program in C++ prints its tasks with --treadle:profile.
    """
    from .profile import profile
    from .task_profile import task_profile

    if not _is_script(file):
        raise typer.BadParameter(
            f"'{file}' is no Python script: for PhySL there is treadle physl --performance"
        )
    with config(policy=policy.value, workers=workers), profile() as nodes, task_profile() as tasks:
        failed, made = _run_script(file, arguments or [])
    del made  # until here its functions had to be there
    if as_json:
        print(json_module.dumps({
            "nodes": [_plain_row(r) for r in nodes.rows], "tasks": [t._asdict() for t in tasks.rows()],
            "pools": [p._asdict() for p in tasks.pools()],
        }))  # fmt: skip
    else:
        print(nodes.table(limit=rows))
        pools, _, rest = str(tasks).partition("\n\n")
        head, *lines = rest.splitlines()
        other = [line for line in lines[rows:] if line.endswith("  (other)")]
        print(pools, "", head, *lines[:rows], *other, sep="\n")
    raise typer.Exit(failed)


def _run_script(file: str, arguments: list[str]) -> tuple[int, dict[str, Any]]:
    """As `python FILE ARGUMENTS`; its exit code, and what it has made, which ends with it."""
    import runpy
    import traceback

    before, sys.argv = sys.argv, [file, *arguments]
    sys.path.insert(0, str(Path(file).resolve().parent))
    failed = 0
    made: dict[str, Any] = {}
    try:
        made = runpy.run_path(file, run_name="__main__")
    except SystemExit as stop:
        failed = stop.code if isinstance(stop.code, int) else int(stop.code is not None)
        if isinstance(stop.code, str):
            print(stop.code, file=sys.stderr)
    except Exception as error:
        if isinstance(error, FileNotFoundError) and error.filename in (file, os.path.abspath(file)):
            raise Error(f"{file}: {error.strerror}") from None
        traceback.print_exc()
        failed = 1
    finally:
        sys.argv = before
    return failed, made


@app.command("knobs")
def knobs_command(
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object per line.")] = False,
) -> None:
    """List the knobs of the runtime: what they mean, their present values, and which they may have.

    Any program takes --treadle:knob=NAME=VALUE, or TREADLE_KNOB='NAME=VALUE;...', for these and for its own knobs;
    --treadle:list-knobs prints what it has.

      TREADLE_KNOB=runtime.search-ns=200000 treadle knobs
    """
    keys = ("name", "value", "values", "meaning")
    for row in _native.knobs():
        if as_json:
            print(json_module.dumps(dict(zip(keys, row, strict=True))))
        else:
            name, value, values, meaning = row
            print(f"{name} = {value}  ({values})\n    {meaning}")


class Demo(StrEnum):
    als = "als"
    lra = "lra"
    kmeans = "kmeans"
    all = "all"


@app.command("demo")
def demo_command(
    name: Annotated[Demo, typer.Argument(help="What to run.")] = Demo.all,
    csv: Annotated[Path | None, typer.Option(help="A table of numbers to run it on.")] = None,
    output: Annotated[Path, typer.Option(help="The page to write.")] = Path("treadle-demo.html"),
    workers: Workers = 0,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the measurements, one JSON object per line.")
    ] = False,
) -> None:
    """Run array programs under every policy and in plain NumPy, compare, and write a page about it."""
    from .report import demo_page

    with config(workers=workers):
        results = demo.run(name.value, csv, err if as_json else out)
        machine = gather()
    if as_json:
        for c in results:
            for o in c.outcomes:
                print(json_module.dumps({
                    "workload": c.workload.name, "rival": o.rival, "seconds": o.seconds, "tasks": o.tasks,
                    "inlined_share": o.inlined_share, "largest_difference": o.difference,
                }))  # fmt: skip
    else:
        for comparison in results:
            demo.show(comparison, out)
    write_text(output, demo_page(results, machine))
    (err if as_json else out).print(
        f"The trees, decisions and timelines are in [bold]{output}[/]", highlight=False
    )


@app.command("info")
def info_command(
    bind: Annotated[
        str | None, typer.Option(metavar="MAPPING", help=f"Print where workers go: {', '.join(MAPPINGS)}.")
    ] = None,
    pools: Annotated[
        str | None,
        typer.Option(metavar="NAME:N,...", help="Of these pools; default: one on the whole machine."),
    ] = None,
    machine: Annotated[
        str | None,
        typer.Option("--topology", metavar="TEXT|FILE.xml", help="Another machine, in the syntax of hwloc."),
    ] = None,
    distances: Annotated[
        str, typer.Option(metavar="ROWS", help="Between its NUMA domains: '10,21;21,10'.")
    ] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Show the machine, the runtime, the defaults, and how this Treadle was built.

    With --bind, --pools or --topology: where the workers of pools go, on this machine or another one:

      treadle info --bind numa-balanced-mtp --pools critical:256,default:32 --topology 'numa:4 core:18 pu:4'
    """
    if bind or pools or machine or distances:
        return _show_map(machine or "", distances, bind or "packed", pools, as_json=as_json)
    found = gather()
    if as_json:
        print(json_module.dumps(found))
        return
    table = Table(show_header=False, box=None, pad_edge=False)
    for section, entries in found.items():
        table.add_row(f"[bold]{section}[/]", "")
        for key, value in entries.items():
            shown = (
                ", ".join(map(str, value)) if isinstance(value, list) else "" if value is None else str(value)
            )
            table.add_row(f"  {key}", shown)
    out.print(table)


def _show_map(machine: str, distances: str, bind: str, pools: str | None, *, as_json: bool) -> None:
    found = map_machine(machine, distances, bind, parse_pools(pools) if pools else None)
    if as_json:
        print(json_module.dumps(found.record()))
        return
    print(f"{machine or 'this machine'}: {found.shape()}; {bind}")
    for line in found.lines():
        print(line)
    for domain, row in enumerate(found.distances):
        print(f"distances from domain {domain}: {' '.join(f'{d:g}' for d in row)}")


@app.command("counters")
def counters_command(
    pattern: Annotated[str, typer.Argument(help="Only those that match.")] = "/*/*",
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON array.")] = False,
) -> None:
    """List the counters that every Treadle program can print, with unit and meaning.

    Print some of them when any program ends, a Python one for example:

      python program.py '--treadle:print-counter=/threads/time/*'

    also every 100 ms, to a file: --treadle:print-counter-interval=100 --treadle:print-counter-format=csv
    --treadle:print-counter-destination=counters.csv
    """
    found = counters.list(pattern)
    if not found:
        raise ValueError(f"no counter matches '{pattern}'")
    if as_json:
        print(json_module.dumps([one._asdict() for one in found]))
        return
    table = Table("counter", "kind", "unit", "meaning", box=None, pad_edge=False)
    table.columns[0].overflow = "fold"
    table.columns[0].min_width = 38
    for one in found:
        table.add_row(escape(without_total(one.name)), one.kind, one.unit, escape(one.help))
    out.print(table)


def main() -> None:
    """Errors are one message on stderr and exit code 1; wrong usage is 2, an interruption 130."""
    code = 0
    try:
        words = sys.argv[1:]
        if words[:1] != ["run"] and any(word.startswith("--treadle:") for word in words):
            sys.argv[1:] = _native.without_runtime_options(words)  # the runtime reads them itself
        code = app(standalone_mode=False) or 0  # the code of typer.Exit, which an interruption becomes inside
    except (typer.Abort, KeyboardInterrupt):
        code = 130
    except Exception as error:
        if show := getattr(error, "show", None):  # wrong usage
            show()
            sys.exit(2)
        if isinstance(error, Error | OSError | ValueError | TypeError | MemoryError | OverflowError):
            print(f"treadle: {error or type(error).__name__}", file=sys.stderr)
            sys.exit(1)
        raise
    if code == 130:
        err.print("interrupted")
    sys.exit(code)


__all__ = ["app", "main"]
