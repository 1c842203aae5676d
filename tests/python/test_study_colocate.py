"""The study of programs that share a machine: its model, what it simulates and measures, and its page."""

import json
import math
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from treadle.simulated_sharing import Simulator
from treadle.study.colocate import measured, modes, paper, simulated
from treadle.study.colocate.model import calibrate, pair_scenario, seismic_scenario
from treadle.study.colocate.page import Found, page, rows
from treadle.study.programs import start

TREADLE = str(Path(sys.executable).with_name("treadle"))


@pytest.fixture(scope="module")
def simulator():
    with Simulator() as found:
        yield found


@pytest.fixture(scope="module")
def model(simulator):
    return calibrate(simulator, modes.PAIR)


def silent(*_):
    pass


def test_every_row_of_the_paper_has_a_mode():
    for case, mode in paper.SECONDS:
        assert mode in (modes.SEISMIC if case == "seismic" else modes.PAIR)


def test_the_model_is_fitted_to_the_rows_without_an_agent(model, simulator):
    assert all(abs(off) < 0.05 for off in model.off.values())
    for case, pair in model.pairs.items():
        found = simulator.run(pair_scenario(pair, model.serial, modes.PAIR["sequential"]))
        assert found["ends_s"] == pytest.approx(paper.SECONDS[case, "sequential"], rel=0.01)
    for mode in ("sequential", "no agent"):
        found = simulator.run(seismic_scenario(model.begin_s, model.stretch, modes.SEISMIC[mode]))
        assert found["ends_s"] == pytest.approx(paper.SECONDS["seismic", mode], rel=0.01)


def test_rows_with_an_agent_are_predicted(model, simulator):
    off = {}
    for case, mode in paper.SECONDS:
        run = simulated.run_once(simulator, model, simulated.Cell(case, mode, 1))
        off[case, mode] = run.seconds / paper.SECONDS[case, mode] - 1
    beyond = {row for row, value in off.items() if abs(value) > 0.06}
    assert beyond == {("balanced", "paper, N = 4")}  # where the law swings in the model


def test_how_many_times_as_fast_one_program_of_a_pair_is():
    def here(case, ends_s):
        return measured.Run(0, "OCR", case, "sequential", 2, 4.0, ends_s, math.nan, 0)

    found = Found([], [here("fast", 1.0), here("slow", 3.0)])
    assert (
        found.faster("fast", "producer", "OCR").value == found.faster("slow", "consumer", "OCR").value == 3.0
    )
    assert found.faster("fast", "producer") is None
    shown = {row.what: row for row in rows(found) if row.is_given}
    assert [row.claimed for row in shown.values()] == [1.9, 1.0, 3.2]
    assert shown["fast producer: the producer against the consumer, one by one"].here == "OCR: 3.00 times"


def test_static_settings_name_all_programs():
    found = modes.settings(modes.PAIR["static 8 : 16"], 24, ("producer", "consumer"))
    assert found == {"strategy": "static", "static": {"producer": 8, "consumer": 16}}
    assert modes.settings(modes.SEISMIC["even"], 24, ("a",))["granularity"] == 2
    assert modes.settings(modes.SEISMIC["even"], 2, ("a",))["granularity"] == 1
    assert modes.settings(modes.PAIR["no agent"], 24, ("a", "b")) is None


def test_the_longest_queue():
    assert measured.longest([1, 2, 3], [4, 5, 6]) == 3
    assert measured.longest([1, 3, 5], [2, 4, 6]) == 1


def test_a_small_study(model, simulator, tmp_path):
    plan = replace(
        measured.QUICK, written_for=("futures", "OCR"), iterations=6, iteration_s=0.01, slow_s=0.05, fast_count=2,
        modes=("sequential", "no agent", "ours", "even"),
    )  # fmt: skip
    assert measured.missing(plan) == []
    runs = measured.measure(plan, tmp_path / "colocate.csv", silent)
    assert {(r.case, r.mode) for r in runs} >= {("fast", "ours"), ("seismic", "even")}
    assert all(r.seconds > 0 for r in runs)
    assert all(math.isnan(r.fast_s) != (r.case == "seismic") for r in runs)
    again = measured.measure(plan, tmp_path / "colocate.csv", silent)
    assert [r.seconds for r in again] == [r.seconds for r in runs]  # nothing is measured twice
    predicted = simulated.simulate(
        simulated.Plan(seeds=1), model, simulator, tmp_path / "simulated.csv", silent
    )
    text = page(model, predicted, runs, simulator, ["A note."])
    assert "A note." in text and text.count("<svg") == 8
    assert "half of the machine moved" in text
    for word in ("OCR", "359.61", "half-to-priority"):
        assert word in text


def test_the_command_refuses_what_cannot_be(tmp_path):
    done = subprocess.run(
        [TREADLE, "study", "colocate", "--repeats", "0", "--out", str(tmp_path)],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1 and "at least 1" in done.stderr


def test_the_agent_of_a_measured_run_knows_how_far_programs_are(tmp_path):
    """Otherwise it decides as if nothing was produced, and the queue grows to all items."""
    machine = measured.Machine(replace(measured.QUICK, iterations=30))
    with machine._agent(modes.PAIR["paper"], tmp_path, ("producer_consumer",)) as env:
        started = start(
            "producer_consumer",
            ["produce", str(tmp_path / "items"), "--iterations", "5000", "--tasks", "4"],
            env,
        )
        try:
            agent_of = {**os.environ, "TREADLE_DIR": env["TREADLE_DIR"]}
            while True:
                said = subprocess.run(
                    [TREADLE, "agent", "status", "--json"],
                    env=agent_of,
                    capture_output=True,
                    text=True,
                    check=True,
                )
                programs = json.loads(said.stdout)["programs"]
                if any(one.get("state") and one["state"]["progress"] for one in programs):
                    return
                assert started.poll() is None
        finally:
            started.kill()
            started.communicate()


def test_what_tasks_cost_is_found_out_once_for_a_folder(tmp_path):
    file = tmp_path / "calibration.json"
    first = measured.Machine(measured.QUICK, file)
    first._calibrate()
    again = measured.Machine(measured.QUICK, file)
    assert again._recall()
    assert (again._pair_rate, again._seismic_work) == (first._pair_rate, first._seismic_work)
    assert not measured.Machine(replace(measured.QUICK, slow_s=9.0), file)._recall(), "of other sizes"
    file.write_text(file.read_text()[:-5])
    assert not measured.Machine(measured.QUICK, file)._recall(), "cut short"
