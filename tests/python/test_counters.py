"""Counters as Python shows them."""

import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest
from prometheus_client.openmetrics.parser import text_string_to_metric_families

import treadle as td

ROOT = Path(__file__).resolve().parent.parent.parent


@td.jit
def norm(x):
    return np.sqrt(np.sum(x * x))


def test_one_value_and_many() -> None:
    assert td.counters["/runtime/count/workers"] >= 1
    many = td.counters["/threads/count/instantaneous/*"]
    assert {name.rsplit("/", 1)[1] for name in many} == {"all", "active", "pending", "suspended", "staged"}
    workers = td.counters["/threads{locality#0/worker-thread#*}/count/cumulative"]
    assert len(workers) == td.counters["/runtime/count/workers"]


def test_a_window_counts_from_its_start_to_its_end() -> None:
    with td.config(policy="always-async", workers=2):
        norm(np.ones(3))
        with td.counters.window("/threads/count/*", "/threads/time/average") as window:
            norm(np.ones(3))
        norm(np.ones(3))
        tasks = window["/threads/count/created"]
        assert 1 <= tasks < td.counters["/threads/count/created"]
        assert window["/threads{locality#0/total}/count/created"] == tasks
        window.reset()
        assert window["/threads/count/created"] == 0
        with pytest.raises(KeyError):
            window["/threads/idle-rate"]


def test_snapshot_makes_a_table() -> None:
    rows = td.counters.snapshot()
    assert len(rows) == len({row.name for row in rows}) > 40
    assert rows[0]._fields == ("name", "value", "unit", "time_ns", "missing")
    histogram = td.counters["/threads/time/phases"]
    assert isinstance(histogram, list) and len(histogram) == 40
    assert (
        math.isnan(td.counters["/threads/wait-time/staged"]) or td.counters["/threads/wait-time/staged"] >= 0
    )


def test_bad_names() -> None:
    with pytest.raises(ValueError, match=re.escape("did you mean '/threads/idle-rate'?")):
        td.counters["/threads/idlerate"]
    with pytest.raises(ValueError, match=re.escape("\n  threads/idle-rate\n  ^")):
        td.counters["threads/idle-rate"]
    with pytest.raises(ValueError, match="no counter matches"):
        td.counters["/nothing/*"]


def test_statistics_and_arithmetics() -> None:
    assert td.counters["/arithmetics/add@/runtime/count/workers,/runtime/count/workers"] == (
        2 * td.counters["/runtime/count/workers"]
    )
    assert math.isnan(td.counters["/statistics{/threads/idle-rate}/max@100000"])


def test_the_reference_lists_all() -> None:
    page = (ROOT / "docs/reference/counters.md").read_text()
    listed = re.findall(r"^\| `(/[^`]*)` \|", page, re.M)
    names = [re.sub(r"\{.*?\}", "", one.name) for one in td.counters.list()]
    assert listed == names


def test_a_hardware_counter_is_there_or_says_why_not() -> None:
    try:
        assert td.counters["/papi/PAPI_TOT_INS"] >= 0
    except RuntimeError as problem:
        assert "'/papi/PAPI_TOT_INS': not available here: " in str(problem)
        assert td.counters.list("/papi/PAPI_TOT_INS") == []


def test_printed_at_the_end_of_a_program() -> None:
    code = "import numpy as np, treadle as td\ntd.jit(lambda x: np.sum(x))\ntd.info()"
    arguments = [
        "--treadle:print-counter=/threads/count/cumulative",
        "--treadle:print-counter-format",
        "json",
    ]
    run = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True)
    assert '"/threads{locality#0/total}/count/cumulative": ' in run.stdout
    bad = subprocess.run(
        [sys.executable, "-c", code, "--treadle:print-counter=/threads{"], capture_output=True, text=True
    )
    assert bad.returncode == 1 and "counter name, column 10" in bad.stderr


def test_open_metrics_are_what_prometheus_reads(tmp_path: Path) -> None:
    norm(np.ones(1000))
    text = td.counters.open_metrics("/*/*", "/threads{locality#0/worker-thread#*}/*", "/coalescing/*")
    families = {one.name: one for one in text_string_to_metric_families(text)}
    workers = families["treadle_runtime_count_workers"]
    assert (workers.type, workers.samples[0].value) == ("gauge", td.counters["/runtime/count/workers"])
    tasks = families["treadle_threads_count_cumulative"]
    assert tasks.type == "counter"
    assert {one.labels.get("worker_thread") for one in tasks.samples} >= {None, "0"}
    assert families["treadle_threads_time_overall_seconds"].unit == "seconds"
    assert families["treadle_threads_idle_rate_ratio"].unit == "ratio"
    for one in families.values():
        assert one.documentation
    with pytest.raises(ValueError, match="expected"):
        td.counters.open_metrics("/threads{")


def test_open_metrics_are_served_on_a_socket(tmp_path: Path) -> None:
    program = tmp_path / "served.py"
    program.write_text("""
import socket, sys, numpy as np, treadle as td
@td.jit
def norm(x):
    return np.sqrt(np.sum(x * x))
norm(np.ones(10))
with socket.socket(socket.AF_UNIX) as one:
    one.connect(sys.argv[1])
    one.sendall(b"GET /metrics HTTP/1.1\\r\\n\\r\\n")
    while part := one.recv(1 << 16):
        sys.stdout.write(part.decode())
""")
    folder = tempfile.mkdtemp(dir="/tmp")  # names of sockets are short
    file = Path(folder) / "m.sock"
    settings = os.environ | {"TREADLE_METRICS": str(file)}
    command = [sys.executable, str(program), str(file)]
    done = subprocess.run(command, env=settings, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    body = done.stdout.partition("\n\n")[2]
    assert "treadle_runtime_count_workers" in {one.name for one in text_string_to_metric_families(body)}
    assert not file.exists()
    file.write_text("mine")
    refused = subprocess.run(command, env=settings, capture_output=True, text=True, timeout=120)
    assert refused.returncode != 0
    assert f"metrics: {file}: File exists" in refused.stderr
    assert file.read_text() == "mine"
    shutil.rmtree(folder)
