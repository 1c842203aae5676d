"""`treadle info --bind`: where workers go on machines that are not here."""

import json

import pytest
from test_cli import refused, treadle

from treadle.machine_map import FREE, MAPPINGS, letters_of, map_machine, parse_pools

KNL = "numa:4 core:18 pu:4"


def test_the_machine_of_the_paper():
    found = map_machine(KNL, "", "numa-balanced-mtp", {"critical": 256, "default": 32})
    assert found.shape() == "4 domains, 72 cores, 288 hardware threads"
    assert found.lines() == [
        *(f"domain {d}  {' '.join(['cccc'] * 10 + ['cccd'] * 8)}" for d in range(4)),
        "c = critical: 256 workers, by domain 64 64 64 64",
        "d = default: 32 workers, by domain 8 8 8 8",
    ]
    packed = map_machine(KNL, "", "packed", {"critical": 256, "default": 32})
    assert {u.domain for u in packed.pools["default"]} == {3}


@pytest.mark.parametrize("mapping", MAPPINGS)
def test_this_machine(mapping):
    found = map_machine(mapping=mapping)
    assert len(found.pools["default"]) == len(found.units) >= 1
    assert sorted(found.pools["default"]) == sorted(found.units)
    assert FREE not in "".join(found.lines())


def test_pools_that_share_hardware_threads_are_shown():
    found = map_machine("core:2 pu:1", "", "packed", {"a": 2, "b": 1})
    assert found.lines()[0] == "domain 0  # a"
    assert found.lines()[-1] == "# = hardware threads that several pools share"


def test_letters_differ():
    assert letters_of(["default", "disk", "di"]) == ["d", "i", "a"]


def test_pools_are_parsed():
    assert parse_pools("io:1,blas:2:exclusive") == {"io": 1, "blas": 2}
    for bad, why in (
        ("io", "pool 'io' needs a number of workers"),
        ("io:4097", "pool 'io' has more than 4096 workers"),
        ("io:0", "expected a number of workers"),
        (":3", "'' is no name for a pool"),
        ("io:1,", "'' is no name for a pool"),
        ("io:1,io:2", "there are two pools 'io'"),
    ):
        with pytest.raises(ValueError, match=f"pools '{bad}': .*{why}"):
            parse_pools(bad)


def test_command():
    rc, out, err = treadle(
        "info", "--topology", "numa:2 core:1 pu:1", "--distances", "10,21;21,10", "--bind", "scatter"
    )
    assert (rc, err) == (0, "")
    assert out.splitlines() == [
        "numa:2 core:1 pu:1: 2 domains, 2 cores, 2 hardware threads; scatter",
        "domain 0  d", "domain 1  d", "d = default: 2 workers, by domain 1 1",
        "distances from domain 0: 10 21", "distances from domain 1: 21 10",
    ]  # fmt: skip
    found = json.loads(treadle("info", "--topology", "core:2 pu:2", "--pools", "io:1,work:2", "--json")[1])
    assert found["pools"] == {"io": [0], "work": [1, 2]} and found["domains"] == 1
    assert found["units"][3] == {
        "os_index": 3, "thread": 1, "core": 1, "cache": 1, "domain": 0, "package": 0
    }  # fmt: skip


def test_bad_input():
    assert "a mapping (packed, " in refused("info", "--bind", "numa")
    assert "topology 'cores'" in refused("info", "--topology", "cores")
    assert "topology file 'none.xml'" in refused("info", "--topology", "none.xml")
    assert "1 rows for 2 domains" in refused("info", "--topology", "numa:2 pu:1", "--distances", "10,20")
    assert "pool 'a': cpus= and domains= are for runtimes" in refused("info", "--pools", "a:2:domains=1")
    assert "pool 'io' needs a number of workers" in refused("info", "--pools", "io")
