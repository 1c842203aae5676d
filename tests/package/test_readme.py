"""The examples of the README and the guides are compiled and run as they stand there."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs" / "guide").glob("*.md"))]
BLOCK = re.compile(r"^```(cpp|c|python|console)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(language):
    for page in PAGES:
        for number, (kind, code) in enumerate(BLOCK.findall(page.read_text(encoding="utf-8"))):
            if kind == language:
                yield pytest.param(code, id=f"{page.stem}-{number}")


def run(*command, **options):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, **options)
    assert done.returncode == 0, f"{command}\n{done.stdout[-2000:]}\n{done.stderr[-4000:]}"
    return done.stdout


def expected_output(code, comment):
    """What a block says it prints: the text after '{comment} prints ' on its lines."""
    return re.findall(rf"{re.escape(comment)} prints (.*)$", code, re.MULTILINE)


@pytest.fixture(scope="session")
def programs(tmp_path_factory):
    """Every C++ and C block as an executable of one project, named by its place in the list of blocks. Those in C are
    for OCR."""
    work = tmp_path_factory.mktemp("examples")
    run(ROOT / "dev", "install", work / "prefix")
    lines = [
        "cmake_minimum_required(VERSION 3.25)\nproject(examples LANGUAGES C CXX)",
        "find_package(treadle CONFIG REQUIRED)",
    ]
    for number, (code,) in enumerate(p.values for p in blocks("cpp")):
        (work / f"example{number}.cpp").write_text(code)
        lines.append(f"add_executable(example{number} example{number}.cpp)")
        lines.append(f"target_link_libraries(example{number} PRIVATE treadle::treadle_parcel)")
    for number, (code,) in enumerate(p.values for p in blocks("c")):
        (work / f"example_c{number}.c").write_text(code)
        lines.append(f"add_executable(example_c{number} example_c{number}.c)")
        lines.append(f"target_link_libraries(example_c{number} PRIVATE treadle::treadle_ocr)")
    (work / "CMakeLists.txt").write_text("\n".join(lines) + "\n")
    run("cmake", "-G", "Ninja", "-S", work, "-B", work / "b", f"-DCMAKE_PREFIX_PATH={work / 'prefix'}")
    run("cmake", "--build", work / "b")
    return work / "b"


@pytest.mark.parametrize(("number", "code"), [(n, p.values[0]) for n, p in enumerate(blocks("cpp"))])
def test_cpp(number, code, programs, tmp_path):
    output = run(programs / f"example{number}", cwd=tmp_path)
    for line in expected_output(code, "//"):
        assert line in output.splitlines()


@pytest.mark.parametrize(("number", "code"), [(n, p.values[0]) for n, p in enumerate(blocks("c"))])
def test_c(number, code, programs, tmp_path):
    output = run(programs / f"example_c{number}", cwd=tmp_path)
    for line in expected_output(code, "//"):
        assert line in output.splitlines()


@pytest.mark.parametrize("code", list(blocks("python")))
def test_python(code, tmp_path):
    (tmp_path / "example.py").write_text(code)
    output = run(sys.executable, "example.py", cwd=tmp_path)
    for line in expected_output(code, "#"):
        assert line in output.splitlines()


@pytest.mark.parametrize("code", list(blocks("console")))
def test_console(code, tmp_path):
    """Lines '$ command' are run in the project's root with the package's commands on the path; the rest is their
    output."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    for command, output in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", code, re.MULTILINE):
        done = run("bash", "-c", command, cwd=ROOT, env={**os.environ, "PATH": path})
        assert done.strip() == output.strip()
