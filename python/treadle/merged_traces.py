"""Traces of several processes in one file, which Perfetto shows one below the other."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Annotated, Any

import typer

from .errors import Error
from .text_files import read_text, write_text


def merge_traces_command(
    files: Annotated[list[Path], typer.Argument(help="As the localities of a program have written them.")],
    output: Annotated[Path, typer.Option("-o", "--output", help="The file to write.")],
) -> None:
    """Put the traces of a program's localities into one file, on one clock.

      treadle run -n 4 -- ./program --treadle:trace=run.json
      treadle merge-traces run.L*.json -o all.json      open it in https://ui.perfetto.dev

    Processes of one machine have the same clock, to some 100 ns. Those of several are put together by the time of day,
    so by what keeps that right there.
    """
    traces = [_read(file) for file in files]
    write_text(output, json.dumps(merged(traces)))


def merged(traces: list[dict[str, Any]]) -> dict[str, Any]:
    """Of what .json files hold: a process each, with times from the start of the first one."""
    about = [trace["otherData"] for trace in traces]
    clock = "start_ns" if len({one["host"] for one in about}) == 1 else "start_system_ns"
    first = min(one[clock] for one in about)
    traces = sorted(traces, key=lambda trace: (trace["otherData"]["process"], trace["otherData"][clock]))
    runs: Counter[int] = Counter()  # of each locality
    events = []
    for number, trace in enumerate(traces):
        one = trace["otherData"]
        locality = one["process"]
        runs[locality] += 1
        name = f"locality {locality}" + (f", run {runs[locality]}" if runs[locality] > 1 else "")
        shift = (one[clock] - first) / 1000  # us
        named = {"ph": "M", "pid": number, "name": "process_name", "args": {"name": name}}
        for event in [named, *trace["traceEvents"]]:
            event = event | {"pid": number}
            if "ts" in event:
                event["ts"] = round(event["ts"] + shift, 3)
            if "id" in event and event["cat"] != "parcel":  # whose other end is in another trace
                event["id"] = f"{number}.{event['id']}"
            events.append(event)
    counts = {key: sum(one[key] for one in about) for key in ("records", "dropped")}
    return {"traceEvents": events, "displayTimeUnit": "ns", "otherData": counts}


def _read(file: Path) -> dict[str, Any]:
    try:
        found = json.loads(read_text(file))
    except ValueError as error:
        raise Error(f"{file}: {error}") from None
    if not isinstance(found, dict) or "start_ns" not in found.get("otherData", {}):
        raise Error(f"{file}: not a trace as --treadle:trace=FILE.json writes it")
    return found
