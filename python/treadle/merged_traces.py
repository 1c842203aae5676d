"""Traces of several processes in one file, which Perfetto shows one below the other."""

from __future__ import annotations

import json
import math
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

    Processes of one machine have the same clock, to some 100 ns. The clocks of several are put together by the parcels
    that went both ways: the fastest one each way is taken to have been on its way for as long as the other. Without
    such, by the time of day.
    """
    traces = [_read(file) for file in files]
    write_text(output, json.dumps(merged(traces)))


def merged(traces: list[dict[str, Any]]) -> dict[str, Any]:
    """Of what .json files hold: a process each, with times from the start of the first one."""
    about = [trace["otherData"] for trace in traces]
    clock = "start_ns" if len({one["host"] for one in about}) == 1 else "start_system_ns"
    traces = sorted(traces, key=lambda trace: (trace["otherData"]["process"], trace["otherData"][clock]))
    behind = clocks_behind(traces, clock)
    starts = [trace["otherData"][clock] + behind[trace["otherData"]["host"]] for trace in traces]
    runs: Counter[int] = Counter()  # of each locality
    events = []
    for number, trace in enumerate(traces):
        one = trace["otherData"]
        locality = one["process"]
        runs[locality] += 1
        name = f"locality {locality}" + (f", run {runs[locality]}" if runs[locality] > 1 else "")
        shift = (starts[number] - min(starts)) / 1000  # us
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


def clocks_behind(traces: list[dict[str, Any]], clock: str) -> dict[str, int]:
    """By how many ns each machine's clock is behind that of the first trace's, where parcels went there and back.

    What lies between two clocks' readings of one parcel is its time on the way and the difference of the clocks. So
    that is half of the difference of the least such time each way, as in NTP (RFC 5905, section 8); it is right to half
    of what the ways differ by. Machines that only others have sent to are reached through these.
    """
    first = min(trace["otherData"][clock] for trace in traces)
    sent: dict[str, tuple[str, float]] = {}
    handled: dict[str, tuple[str, float]] = {}
    for trace in traces:
        host, begun = trace["otherData"]["host"], trace["otherData"][clock] - first
        for event in trace["traceEvents"]:
            if event.get("cat") == "parcel" and event["ph"] in "sf" and "ts" in event:
                ends = sent if event["ph"] == "s" else handled
                ends[event["id"]] = host, begun + 1000 * event["ts"]
    least: dict[tuple[str, str], float] = {}
    for parcel, (there, arrived) in handled.items():
        if parcel in sent:
            here, left = sent[parcel]
            least[here, there] = min(least.get((here, there), math.inf), arrived - left)
    behind = {traces[0]["otherData"]["host"]: 0}
    reached = list(behind)
    for host in reached:  # which grows
        for here, there in least:
            if here == host and there not in behind and (there, here) in least:
                behind[there] = behind[here] - round((least[here, there] - least[there, here]) / 2)
                reached.append(there)
    return {trace["otherData"]["host"]: behind.get(trace["otherData"]["host"], 0) for trace in traces}


def _read(file: Path) -> dict[str, Any]:
    try:
        found = json.loads(read_text(file))
    except ValueError as error:
        raise Error(f"{file}: {error}") from None
    if not isinstance(found, dict) or "start_ns" not in found.get("otherData", {}):
        raise Error(f"{file}: not a trace as --treadle:trace=FILE.json writes it")
    return found
