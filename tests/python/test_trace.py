"""Traces as Python shows them."""

import json

import numpy as np
import pytest

import treadle as td


@td.jit
def norm(x):
    return np.sqrt(np.sum(x * x))


def test_files_of_a_block(tmp_path) -> None:
    files = [tmp_path / name for name in ("t.json", "t.dot", "t.txt", "t.csv")]
    with td.config(policy="always-async", workers=2), td.trace(*files) as recorded:
        norm(np.ones(3))
    found = json.loads(files[0].read_text())
    assert {"X", "M"} <= {event["ph"] for event in found["traceEvents"]}
    about = found["otherData"]
    assert (about["records"], about["dropped"], about["process"]) == (recorded.records, recorded.dropped, 0)
    assert files[1].read_text().startswith("digraph tasks {")
    assert "who created what" in files[2].read_text()
    assert files[3].read_text() == recorded.text("csv")
    rows = recorded.profile()
    assert (
        rows and rows[0]._fields[:2] == ("name", "tasks") and all(row.self_ns <= row.total_ns for row in rows)
    )


def test_misuse(tmp_path) -> None:
    with td.trace(), pytest.raises(RuntimeError, match="one at a time"), td.trace():
        pass
    with pytest.raises(ValueError, match="no format"), td.trace(tmp_path / "trace.xml"):
        pytest.fail("the work has begun")
    with pytest.raises(RuntimeError, match="not been started"):
        td.trace().profile()
    with td.trace() as recorded:
        pass
    with pytest.raises(ValueError, match="known: json, dot, txt, csv, tasks"):
        recorded.save(tmp_path / "trace.xml")
    with pytest.raises(OSError, match="cannot write"):
        recorded.save(tmp_path / "none" / "trace.json")
    assert list(tmp_path.iterdir()) == []


def test_a_trace_that_is_written_meanwhile(tmp_path) -> None:
    from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace, TrackEvent

    file = tmp_path / "work.pftrace"
    with td.config(policy="always-async", workers=2), td.trace(file) as recorded:
        for _ in range(20):
            norm(np.ones(3))
    assert recorded.records > 0 and recorded.dropped == 0
    with pytest.raises(ValueError, match="are in its file"):
        recorded.profile()
    with pytest.raises(ValueError, match="the only file"), td.trace(file, tmp_path / "t.json"):
        pass
    found = Trace.FromString(file.read_bytes())  # as its authors describe it
    names: dict[int, dict[int, str]] = {}
    open_slices: dict[int, int] = {}
    seen = set()
    for packet in found.packet:
        of_thread = names.setdefault(packet.trusted_packet_sequence_id, {})
        of_thread |= {entry.iid: entry.name for entry in packet.interned_data.event_names}
        event = packet.track_event
        if event.type == TrackEvent.TYPE_SLICE_BEGIN:
            seen.add(of_thread[event.name_iid])
            open_slices[packet.trusted_packet_sequence_id] = (
                open_slices.get(packet.trusted_packet_sequence_id, 0) + 1
            )
        elif event.type == TrackEvent.TYPE_SLICE_END:
            open_slices[packet.trusted_packet_sequence_id] -= 1
    assert any("sum" in name for name in seen), seen
    assert all(left >= 0 for left in open_slices.values())
    threads = {packet.track_descriptor.thread.thread_name for packet in found.packet}
    assert any(name.startswith("worker ") for name in threads)


def test_profile_without_a_trace() -> None:
    x = np.ones(200_000)
    with td.config(policy="always-async", workers=2), td.task_profile() as tasks:
        for _ in range(100):  # after shorter tasks, elsewhere, some dozens may pass before one is looked at
            norm(x)
    rows = tasks.rows()
    assert rows and sum(row.tasks for row in rows) > 0
    assert all(0 <= row.self_ns <= row.total_ns and row.min_ns <= row.p50_ns <= row.max_ns for row in rows)
    pools, _, table = str(tasks).partition("\n\n")
    assert pools.splitlines()[0].split()[:3] == ["elapsed", "workers", "parallel"]
    assert pools.splitlines()[1].endswith("  default")
    assert table.splitlines()[0].split()[:3] == ["tasks", "self", "total"]
    (pool,) = tasks.pools()
    assert pool.name == "default" and 0 < pool.parallel_efficiency <= 1 and pool.elapsed_ns > 0
    product = pool.load_balance * pool.scheduling * pool.serialization
    assert abs(product - pool.parallel_efficiency) < 1e-9
    norm(x)
    assert tasks.rows() == rows  # of the block
    tasks.reset()
    assert sum(row.total_ns for row in tasks.rows()) < sum(row.total_ns for row in rows)
