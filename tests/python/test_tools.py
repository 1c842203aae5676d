"""Each checker must catch a planted violation and pass clean input: a check that cannot fail checks nothing."""

import functools
import json
import subprocess
import tomllib
from pathlib import Path

import check_files
import check_headers
import check_imports
import check_layers
import check_links
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
        ("src/decide/pure.cpp", '"task/high.hpp"', "decide must not include task"),
        ("src/task/job.cpp", '"tree/node.hpp"', "task must not include tree"),
        ("src/task/job.cpp", "<treadle/arrays/value.hpp>", "task must not include public_tree"),
        ("include/treadle/future.hpp", '"task/high.hpp"', "public must not include task"),
        ("apps/als/main.cpp", '"task/high.hpp"', "apps must not include task"),
        ("src/task/job.cpp", "<boost/asio.hpp>", "'boost/asio.hpp' is not a header that task may use"),
        ("src/task/job.cpp", "<linux/futex.h>", "'linux/futex.h' is not a header that task may use"),
        ("src/task/job.cpp", "<gtest/gtest.h>", "'gtest/gtest.h' is not a header that task may use"),
        ("src/nowhere/x.cpp", "<vector>", "no area in tools/layers.toml holds this file"),
    ],
)
def test_layers_catch(tmp_path: Path, file: str, include: str, complaint: str) -> None:
    plant(
        tmp_path, {"src/task/high.hpp": "", "src/tree/node.hpp": "", "include/treadle/arrays/value.hpp": ""}
    )
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


@pytest.mark.parametrize(
    "back",
    [
        "from .a import x\n",
        "def f():\n    from .a import x\n",
        "def f():\n    from . import a\n",
        "def f():\n    import treadle.part.a\n",
        "if TYPE_CHECKING:\n    from treadle.part.a import x\n",
        "from ..part import x\n",
    ],
)
def test_circles_of_imports_are_found(tmp_path: Path, back: str) -> None:
    package = "python/treadle/part"
    one_way = {
        "__init__.py": "from .a import x\n",
        "a.py": "import ast\nfrom .b import y\n",
        "b.py": "from ..c import z\n",
    }
    plant(tmp_path, {f"{package}/{name}": text for name, text in one_way.items()})
    plant(tmp_path, {"python/treadle/__init__.py": "", "python/treadle/c.py": "from . import _native\n"})
    plant(tmp_path, {"python/treadle/_native.pyi": ""})
    assert check_imports.check(tmp_path) == []
    plant(tmp_path, {f"{package}/b.py": back})
    (found,) = check_imports.check(tmp_path)
    assert (
        "a circle of imports" in found
        and f"{package}/b.py:{2 if back.startswith(('def', 'if')) else 1}" in found
    )


def test_modules_of_the_package_import_in_one_direction() -> None:
    assert check_imports.check(ROOT) == []


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


@pytest.mark.parametrize(
    ("file", "line"),
    [
        (".ci/run", "# {}"),
        ("dev", "  true # {}"),
        ("CMakeLists.txt", "# {}"),
        ("cmake/x.cmake", "  # {}"),
        ("tools/x.toml", 'a = "b" # {}'),
        ("apps/x.physl", "// {}"),
        ("tests/x.c", " * {}"),
        ("include/x.h", "#define X 1 /* {} */"),
        ("bench/rust/src/x.rs", "//! {}"),
        ("bench/x.go", "x() // {}"),
    ],
)
def test_files_catch_wide_comments(file: str, line: str) -> None:
    (found,) = check_files.check_file(file, line.format("x" * 120))
    assert found.startswith(f"{file}:1: comment of ") and "limit is 120" in found
    assert check_files.check_file(file, line.format("x" * (122 - len(line)))) == []


def test_files_may_have_wide_code() -> None:
    assert check_files.check_file("dev", "x=$#" + "x" * 120) == []
    assert check_files.check_file("x.h", "#define X " + "x" * 120) == []
    assert check_files.check_file("x.css", "#x { a: b; }" + "x" * 120) == []
    assert check_files.check_file("x.physl", "a * b" + "x" * 120) == []


def test_files_check_runs_on_this_repository() -> None:
    assert check_files.check(ROOT) == []


def test_extras() -> None:
    project = {
        "build-system": {"requires": ["builder"]},
        "project": {"dependencies": ["a"], "optional-dependencies": {"dev": ["b", "a"]}},
    }
    assert pip_extras.requirements(project, ["build", "dev"]) == ["a", "builder", "b"]


def test_edges_that_only_the_linker_sees(tmp_path: Path) -> None:
    def build(area: str, text: str) -> None:
        source = tmp_path / f"src/{area}/part.c"
        compiled = tmp_path / f"build/CMakeFiles/lib.dir/src/{area}/part.c.o"
        for file in (source, compiled):
            file.parent.mkdir(parents=True, exist_ok=True)
        source.write_text(text)
        subprocess.run(["gcc", "-c", source, "-o", compiled], check=True)

    build("low", "void above(void); void low(void) { above(); }")
    build("high", "void low(void); void above(void) { low(); }")
    table = {"areas": {"low": [], "high": ["low"]}, "links": {"public": [], "known": []}}
    check = functools.partial(check_links.check, tmp_path / "build", root=tmp_path)
    assert check(table) == ["build/CMakeFiles/lib.dir/src/low/part.c.o: low must not need high (above)"]
    table["links"]["known"] = ["low -> high"]
    assert check(table) == []
    table["links"]["known"] = ["low -> high", "low -> other"]
    assert check(table) == ["tools/layers.toml: low -> other is listed as known, and nothing needs it"]
