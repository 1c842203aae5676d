"""Each checker must catch a planted violation and pass clean input: a check that cannot fail checks nothing."""

import json
import tomllib
from pathlib import Path

import check_files
import check_headers
import check_layers
import pip_extras
import pytest

ROOT = Path(__file__).resolve().parents[2]
TABLE = tomllib.loads((ROOT / "tools/layers.toml").read_text())


def plant(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


@pytest.mark.parametrize(
    ("file", "include", "complaint"),
    [
        ("src/base/low.hpp", '"task/high.hpp"', "base must not include task"),
        ("src/policy/pure.cpp", '"task/high.hpp"', "policy must not include task"),
        ("src/task/job.cpp", '"tree/node.hpp"', "task must not include tree"),
        ("src/task/job.cpp", "<treadle/value.hpp>", "task must not include public_tree"),
        ("include/treadle/future.hpp", '"task/high.hpp"', "public must not include task"),
        ("apps/als/main.cpp", '"task/high.hpp"', "apps must not include task"),
        ("src/task/job.cpp", "<boost/asio.hpp>", "'boost/asio.hpp' is not a header that task may use"),
        ("src/task/job.cpp", "<linux/futex.h>", "'linux/futex.h' is not a header that task may use"),
        ("src/task/job.cpp", "<gtest/gtest.h>", "'gtest/gtest.h' is not a header that task may use"),
        ("src/nowhere/x.cpp", "<vector>", "no area in tools/layers.toml holds this file"),
    ],
)
def test_layers_catch(tmp_path: Path, file: str, include: str, complaint: str) -> None:
    plant(tmp_path, {"src/task/high.hpp": "", "src/tree/node.hpp": "", "include/treadle/value.hpp": ""})
    plant(tmp_path, {file: f"// first line\n#include {include}\n"})
    found = check_layers.check(tmp_path, TABLE)
    assert len(found) == 1 and complaint in found[0]
    assert found[0].startswith(f"{file}:{1 if 'nowhere' in file else 2}:")


def test_layers_pass(tmp_path: Path) -> None:
    files = {
        "src/base/clock.hpp": "#include <ctime>\n#include <sys/mman.h>\n",
        "src/base/sync/park.cpp": '#include <linux/futex.h>\n#include "base/clock.hpp"\n',
        "src/task/job.cpp": '#include "base/clock.hpp"\n#include <treadle/future.hpp>\n',
        "src/task/job_test.cpp": '#include "gtest/gtest.h"\n#include "task/job.hpp"\n',
        "src/task/job.hpp": '#include "local.hpp"\n',
        "src/task/local.hpp": "",
        "include/treadle/future.hpp": '#include "treadle/detail/state.hpp"\n',
        "include/treadle/detail/state.hpp": "#include <atomic>\n",
    }
    assert check_layers.check(plant(tmp_path, files), TABLE) == []


def test_headers_catch_and_cache(tmp_path: Path) -> None:
    broken = "#pragma once\ninline std::size_t count() { return 0; }\n"
    root = plant(
        tmp_path,
        {"include/treadle/a.hpp": "#pragma once\n#include <cstddef>\n", "include/treadle/b.hpp": broken},
    )
    cache = tmp_path / "cache.json"
    found = check_headers.check(root, cache)
    assert found and all("include/treadle/b.hpp: does not compile alone" in f for f in found)
    plant(root, {"include/treadle/b.hpp": '#include "treadle/a.hpp"\n' + broken})
    assert check_headers.check(root, cache) == []
    assert any("b.hpp" in key for key in json.loads(cache.read_text()))
    plant(
        root, {"include/treadle/a.hpp": "#pragma once\n"}
    )  # b.hpp is unchanged but now lacks what a.hpp gave it
    assert check_headers.check(root, cache)


def test_files_catch() -> None:
    assert "limit is 600" in check_files.check_file("src/task/x.cpp", "\n" * 601)[0]
    assert check_files.check_file("src/task/x_test.cpp", "\n" * 700) == []
    assert "limit is 800" in check_files.check_file("src/task/x_test.cpp", "\n" * 801)[0]
    assert "one machine" in check_files.check_file("a.md", "see /ho" + "me/me/x")[0]
    assert check_files.check_file("a.md", "see docs/ho" + "me/x and http://x.org/ho" + "me/y") == []
    assert "note for later" in check_files.check_file("a.py", "# TO" + "DO: more")[0]


def test_files_check_runs_on_this_repository() -> None:
    assert check_files.check(ROOT) == []


def test_extras() -> None:
    project = {
        "build-system": {"requires": ["builder"]},
        "project": {"dependencies": ["a"], "optional-dependencies": {"dev": ["b", "a"]}},
    }
    assert pip_extras.requirements(project, ["build", "dev"]) == ["a", "builder", "b"]
