"""Programs that share a machine in simulated time, from Python and from the command line."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from treadle.simulated_sharing import Simulator, simulate

TREADLE = str(Path(sys.executable).with_name("treadle"))
GUIDE = Path(__file__).parents[2] / "docs/guide/agent.md"


def program(**more):
    return {"name": "one", "workers": 4, "tasks": 40, "task_s": 0.1, **more}


def treadle(*arguments):
    return subprocess.run([TREADLE, "agent", "simulate", *arguments], capture_output=True, text=True)


def example():
    """The scenario of the guide."""
    return json.loads(GUIDE.read_text().partition("```json\n")[2].partition("```")[0])


def test_a_scenario_is_simulated():
    found = simulate({"machine": {"hardware_threads": 4}, "programs": [program(), program(start_s=0.5)]})
    assert found["ends_s"] == pytest.approx(2)
    assert [one["used_s"] for one in found["programs"]] == pytest.approx([4, 4])


def test_several_scenarios_take_one_process():
    with Simulator() as simulator:
        for workers in (1, 2, 4):
            scenario = {"machine": {"hardware_threads": 4}, "programs": [program(workers=workers)]}
            assert simulator.run(scenario)["ends_s"] == pytest.approx(4 / workers)
        with pytest.raises(ValueError, match=r"programs\[0\].tasks: expected a whole number"):
            simulator.run({"programs": [program(tasks="many")]})
        assert simulator.run({"programs": [program()]})["ends_s"] == pytest.approx(4)  # goes on


def test_the_example_of_the_guide(tmp_path):
    (tmp_path / "pair.json").write_text(json.dumps(example()))
    done = treadle(str(tmp_path / "pair.json"))
    assert done.returncode == 0, done.stderr
    assert "ends without agent, s" in done.stdout
    assert "items between producer and consumer" in done.stdout
    found = json.loads(treadle(str(tmp_path / "pair.json"), "--json").stdout)
    assert found["longest_queue"] < 12
    assert found["mean_off"] < 0.5


def test_what_is_no_scenario_is_said(tmp_path):
    file = tmp_path / "wrong.json"
    assert "cannot" in treadle(str(file)).stderr or "No such file" in treadle(str(file)).stderr
    for text, said in (
        ("{", "Expecting"),
        ("{}", "a list of at least one program"),
        (json.dumps({"programs": [{"work": 1}]}), "programs[0]: no 'work'"),
    ):
        file.write_text(text)
        done = treadle(str(file))
        assert done.returncode != 0 and said in done.stderr and "Traceback" not in done.stderr, done.stderr
