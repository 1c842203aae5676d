"""The command line: results, forms of output, and one clear message with an exit code for everything that is wrong."""

import json
import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from treadle.config import POLICIES

TREADLE = str(Path(sys.executable).with_name("treadle"))
PATH = os.pathsep.join(
    (str(Path(sys.executable).parent), os.environ["PATH"])
)  # programs start the command by name
APPS = Path(__file__).resolve().parents[2] / "apps" / "physl"


def treadle(*arguments, stdin="", cwd=None):
    run = subprocess.run(
        [TREADLE, *map(str, arguments)],
        input=stdin,
        capture_output=True,
        text=True,
        timeout=300,
        cwd=cwd,
        env={**os.environ, "PATH": PATH},
    )
    return run.returncode, run.stdout, run.stderr


def refused(*arguments, code=1, stdin=""):
    """The message of a command that must fail: one message, on stderr alone, without a traceback."""
    rc, out, err = treadle(*arguments, stdin=stdin)
    assert rc == code, (rc, out, err)
    assert out == "" and "Traceback" not in err and err
    return err


def test_code_and_arguments():
    assert treadle("physl", "-c", "define(f, x, y, x * y + 1) f", "6", "7") == (0, "43\n", "")
    assert treadle("physl", "-c", "1 + 2 * 3") == (0, "7\n", "")
    assert treadle("physl", "-c", 'cout("a", 1.5)') == (0, "a 1.5\n", "")
    assert treadle("physl", "-c", "slice(sys_argv, 1)", "1", "[1, 2, 3]")[1] == "[1 2 3]\n"


def test_files_and_standard_input(tmp_path):
    (tmp_path / "twice.physl").write_text("#!/usr/bin/env treadle\ndefine(f, x, x * 2)\nf\n")
    assert treadle("physl", tmp_path / "twice.physl", "21") == (0, "42\n", "")
    assert treadle("physl", "-", "21", stdin="define(f, x, x * 2) f") == (0, "42\n", "")


def test_dumps_and_measurements(tmp_path):
    names = {"dot": "t.dot", "newick": "t.newick", "counters": "t.csv"}
    dumps = [x for k, n in names.items() for x in (f"--dump-{k}", tmp_path / n)]
    rc, out, err = treadle(
        "physl",
        "-c",
        "define(f, x, x + 1) f",
        "1",
        *dumps,
        "--performance",
        "--time",
        "--policy",
        "always-async",
    )
    assert rc == 0 and out == "2\n" and "inclusive ms" in err and "time: " in err
    assert (tmp_path / "t.dot").read_text().startswith("graph ")
    assert (tmp_path / "t.newick").read_text().rstrip().endswith(";")
    assert (
        (tmp_path / "t.csv").read_text().startswith("primitive_instance,display_name,count,time,eval_direct")
    )


def test_json_output():
    rc, out, _ = treadle(
        "physl", "-c", "[[1, 2], [3, 4]]", "--json", "--performance", "--policy", "always-inline"
    )
    found = json.loads(out)
    assert (
        rc == 0
        and found["result"] == [[1, 2], [3, 4]]
        and found["policy"] == "always-inline"
        and "nodes" in found
    )
    machine = json.loads(treadle("info", "--json")[1])
    assert (
        machine["runtime"]["workers"] >= 1
        and machine["build"]["version"]
        and machine["machine"]["usable cores"] >= 1
    )


def test_json_has_no_numbers_that_json_lacks():
    found = json.loads(
        treadle("physl", "-c", "list([1.5, nan], ninf, tuple(1))", "--json")[1], parse_constant=pytest.fail
    )
    assert found["result"] == [[1.5, "nan"], "-inf", [1]]


def test_interruption_is_told_and_130():
    endless = "define(i, 0) cout(i) while(true, store(i, i + 1))"
    run = subprocess.Popen(
        [TREADLE, "physl", "-c", endless], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert run.stdout.readline() == "0\n"  # it runs
    run.send_signal(signal.SIGINT)
    assert run.communicate(timeout=60) == ("", "interrupted\n") and run.returncode == 130


@pytest.mark.parametrize("code", ["1", "cout(1)", "cout(1) 2"])
def test_output_that_cannot_be_written(code):
    with open("/dev/full", "w") as full:
        run = subprocess.run([TREADLE, "physl", "-c", code], stdout=full, stderr=subprocess.PIPE, text=True)
    assert run.returncode != 0 and "No space left" in run.stderr and "Traceback" not in run.stderr


def test_programs_that_are_no_utf8(tmp_path):
    (tmp_path / "bad.physl").write_bytes(b'"\xff"')
    (tmp_path / "mark.physl").write_bytes(b"\xef\xbb\xbf1 + 1")
    assert treadle("physl", tmp_path / "mark.physl") == (0, "2\n", "")
    assert "bad.physl: not a text in UTF-8" in refused("physl", tmp_path / "bad.physl")
    assert "<code>: not a text in UTF-8" in refused("physl", "-c", os.fsdecode(b'"\xff"'))


def test_info_names_the_parts():
    rc, out, _ = treadle("info")
    assert rc == 0 and all(word in out for word in ("machine", "workers", "paper-baseline", "compiler"))


def test_help_teaches():
    for command in ([], ["physl"], ["demo"], ["info"]):
        rc, out, err = treadle(*command, "--help")
        assert rc == 0 and "Usage" in out and err == ""


@pytest.mark.parametrize(
    ("code", "parts"),
    [
        ("1 +", ["<code>(1, 4)"]),
        ("(1, 2", ["<code>(1,"]),
        ('"open', ["<code>(1, 1)"]),
        ("[1, [2]]", ["<code>(1,"]),
        ("f(1", ["<code>(1,"]),
        ("1 ? 2", ["<code>(1, 3)"]),
        ("99999999999999999999", ["<code>(1, 1)"]),
        ("nothing_like_this(1)", ["<code>(1, 1)", "nothing_like_this"]),
        ("x + 1", ["<code>(1, 1)", "x"]),
        ("sqrt(1, 2)", ["<code>(1, 1)", "sqrt"]),
        ("define(f, x, x) f(1, 2)", ["<code>(1,", "f"]),
        ("\n  [1, 2] + [1, 2, 3]", ["<code>(2,", "(2,)", "(3,)"]),
        ("inverse([[1.0, 2.0], [2.0, 4.0]])", ["<code>(1, 1)", "singular"]),
        ("dot([[1.0, 2.0]], [1.0, 2.0, 3.0])", ["<code>(1, 1)", "2", "3"]),
        ("slice([1, 2, 3], 7)", ["<code>(1, 1)", "7"]),
        ('assert(false, "told you")', ["told you"]),
    ],
)
def test_bad_programs(code, parts):
    err = refused("physl", "-c", code)
    assert all(part in err for part in parts), err


def test_nesting_ends_with_a_message_or_a_value():
    deep = 10_000
    for code in (
        "(" * deep + "1" + ")" * deep,
        "-" * deep + "1",
        "sqrt(" * deep + "1.0" + ")" * deep,
        "[" * deep + "1" + "]" * deep,
    ):
        rc, out, err = treadle("physl", "-", stdin=code)
        assert rc in (0, 1) and "Traceback" not in err and (out if rc == 0 else err)


def test_bad_usage(tmp_path):
    assert "-c" in refused("physl", code=2)
    assert "sometimes" in refused("physl", "-c", "1", "--policy", "sometimes", code=2)
    assert "--no-such" in refused("physl", "--no-such", code=2)
    assert "svm" in refused("demo", "svm", code=2)
    assert "No such command" in refused("dance", code=2)
    assert "--workers" in refused("physl", "-c", "1", "--workers", "-3", code=2)
    assert str(tmp_path / "absent.physl") in refused("physl", tmp_path / "absent.physl")
    assert "<argument 1>(1," in refused("physl", "-c", "define(f, x, x) f", "1 +")
    assert str(tmp_path) in refused("physl", tmp_path)
    (tmp_path / "binary.physl").write_bytes(b"\xff\xfe\x00")
    assert "UTF-8" in refused("physl", tmp_path / "binary.physl")


TABLES = {
    "ragged.csv": (b"1,2,3\n4,5\n", ["ragged.csv", "2"]),
    "text.csv": (b"1,2\n3,many\n", ["text.csv", "2", "many"]),
    "nan.csv": (b"1,2\n3,nan\n", ["nan.csv", "2", "nan"]),
    "empty.csv": (b"", ["empty.csv", "empty"]),
    "header.csv": (b"a,b\n", ["header.csv"]),
    "hole.csv": (b"1,,3\n", ["hole.csv", "1"]),
    "negative.csv": (b"1,2\n3,-4\n", ["negative.csv", "row 2, column 2", "-4"]),
    "binary.csv": (bytes(range(256)), ["binary.csv"]),
}


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("demo", ["als", "kmeans"])
def test_bad_tables(tmp_path, name, demo):
    content, parts = TABLES[name]
    (tmp_path / name).write_bytes(content)
    if demo == "kmeans" and name == "negative.csv":
        return
    err = refused("demo", demo, "--csv", tmp_path / name, "--output", tmp_path / "page.html")
    assert all(part in err for part in parts), err
    assert len(err.strip().split("\n")) <= 3 and not (tmp_path / "page.html").exists()


def test_missing_and_unreadable_tables(tmp_path):
    assert "absent.csv" in refused("demo", "als", "--csv", tmp_path / "absent.csv")
    assert str(tmp_path) in refused("demo", "als", "--csv", tmp_path)
    locked = tmp_path / "locked.csv"
    locked.write_text("1,2\n")
    locked.chmod(0)
    if os.geteuid() == 0:  # root reads everything
        assert treadle("demo", "als", "--csv", locked, "--output", tmp_path / "p.html")[0] == 0
    else:
        assert "locked.csv" in refused("demo", "als", "--csv", locked)
    (tmp_path / "table.csv").write_text("1,2,5\n")
    assert "class" in refused("demo", "lra", "--csv", tmp_path / "table.csv")
    assert (
        "nowhere" in treadle("demo", "als", "--csv", locked, "--output", tmp_path / "nowhere" / "p.html")[2]
    )


def test_demo_runs_on_a_table(tmp_path):
    table = tmp_path / "ratings.csv"
    table.write_text("film,book,song\n4,0,1\n0,5,0\n3,0,2\n0,0,0\n")
    rc, out, err = treadle("demo", "als", "--csv", table, "--json", cwd=tmp_path)
    assert rc == 0, err
    records = [json.loads(line) for line in out.splitlines()]
    assert [r["rival"] for r in records[2 + len(POLICIES) :]] == ["numpy", "numpy-by-hand", *POLICIES]
    assert {r["workload"] for r in records} == {"als-paper", "als-csv"}
    for r in records:
        if r["rival"] != "numpy":
            assert r["largest_difference"] < 1e-8
            if (
                r["rival"] in POLICIES and r["rival"] != "adaptive"
            ):  # whose tasks depend on how long things take
                assert (r["tasks"] == 0) == (r["rival"] == "always-inline")
    page = (tmp_path / "treadle-demo.html").read_text()
    assert "ratings.csv" in page and "X[u, :] = np.linalg.inv(A) @ b" in page
    assert "http://" not in page.replace("http://www.w3.org/2000/svg", "") and "https://" not in page


@pytest.mark.parametrize("program", sorted(APPS.glob("*.physl")), ids=lambda p: p.stem)
def test_shipped_programs_run_as_their_comments_say(program):
    comment = next(line for line in program.read_text().splitlines() if "treadle physl" in line)
    words = shlex.split(comment.removeprefix("//"))
    outputs = set()
    for policy in POLICIES:
        rc, out, err = treadle(*words[1:], "--policy", policy, cwd=APPS.parents[1])
        assert rc == 0 and out, err
        outputs.add(out.splitlines()[0])
    assert len(outputs) == 1


def test_counters():
    rc, out, err = treadle("counters", "/threads/idle-rate")
    assert (rc, err) == (0, "") and "Share of the workers' time" in out
    found = json.loads(treadle("counters", "--json")[1])
    assert {"name", "kind", "unit", "help"} == set(found[0]) and len(found) > 40
    assert "no counter matches '/nothing/*'" in refused("counters", "/nothing/*")
    assert "\n  threads\n  ^" in refused("counters", "threads")


def test_options_of_the_runtime():
    rc, out, err = treadle(
        "physl", "-c", "1 + 2", "--treadle:workers=1", "--treadle:print-counter", "/runtime/count/*"
    )
    assert rc == 0 and out.startswith("3\n"), (out, err)
    assert "unknown option '--treadle:wrokers'" in refused("physl", "-c", "1", "--treadle:wrokers=1")


def test_profile_of_a_script(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import sys\nimport numpy as np, treadle as td\n"
        "@td.jit\ndef total(x):\n    s = 0.0\n    for i in range(30):\n        s = s + np.sum(x * i)\n    return s\n"
        "print(total(np.ones(100_000)), sys.argv[1:])\nsys.exit(3)\n"
    )
    rc, out, err = treadle("profile", "--workers", 2, script, "--workers", "x")
    assert (rc, err) == (3, "")
    assert out.startswith("43500000.0 ['--workers', 'x']\n")
    assert "node " in out and "script.py:7" in out and "  name\n" in out
    rc, out, _ = treadle("profile", "--json", script)
    found = json.loads(out.partition("\n")[2])
    assert rc == 3 and {"nodes", "tasks", "pools"} == set(found)
    assert any(node["line"] == 7 and node["count"] >= 30 for node in found["nodes"])
    assert "physl --performance" in refused("profile", "x.physl", code=2)
    assert "absent.py: No such file" in refused("profile", "absent.py")
    assert "../absent.py: No such file" in refused("profile", "../absent.py")
    script.write_text("open(b'missing')\n")
    rc, out, err = treadle("profile", script)
    assert rc == 1 and "No such file or directory: b'missing'" in err and "node " in out
