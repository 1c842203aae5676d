"""Dependencies point down only, also those that no #include shows: a header may declare what a higher area defines.

Reads the symbols of the object files of a build, and checks each use of another area's symbol against
tools/layers.toml.
"""

import subprocess
import sys
import tomllib
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
Edge = tuple[str, str]


def area_of(item: Path) -> str | None:
    """Of an object file below .../TARGET.dir/src/AREA/."""
    parts = item.parts
    below = next((i for i, part in enumerate(parts) if part.endswith(".dir")), len(parts))
    return parts[below + 2] if parts[below + 1 : below + 2] == ("src",) else None


def symbols(objects: list[Path]) -> tuple[dict[str, str], dict[str, set[Path]]]:
    """Who defines a symbol, apart from what every user of a header defines itself; and who needs which."""
    defined: dict[str, str] = {}
    needed: dict[str, set[Path]] = defaultdict(set)
    for one in objects:
        listed = subprocess.run(["nm", "-P", one], capture_output=True, text=True, check=True).stdout
        for line in listed.splitlines():
            name, kind = line.split()[:2]
            if kind in "TDBR" and not one.stem.endswith("_test.cpp") and (area := area_of(one)):
                defined[name] = area
            elif kind == "U":
                needed[name].add(one)
    return defined, needed


def source_of(item: Path, build: Path, root: Path) -> Path:
    """Of CMakeFiles/TARGET.dir/src/AREA/x.cpp.o; a build may hold objects of files that are gone."""
    return root.joinpath(*item.relative_to(build).parts[2:]).with_suffix("")


def edges(build: Path, root: Path) -> dict[Edge, tuple[str, str]]:
    """From area to area, with one symbol and one object file as evidence."""
    objects = [
        o for o in sorted(build.glob("CMakeFiles/*.dir/src/**/*.o")) if source_of(o, build, root).exists()
    ]
    defined, needed = symbols(objects)
    found: dict[Edge, tuple[str, str]] = {}
    for name, users in needed.items():
        target = defined.get(name)
        for user in sorted(users):
            source = area_of(user)
            if target and source and source != target:
                found.setdefault((source, target), (name, str(user.relative_to(build.parent))))
    return found


def check(build: Path, table: dict, root: Path = ROOT) -> list[str]:
    known = {tuple(edge.split(" -> ")) for edge in table["links"]["known"]}
    implement = {"public": table["links"]["public"], "public_base": ["base", "observe", "topology", "tune"]}
    areas = {a: [*may, *(i for p in may for i in implement.get(p, []))] for a, may in table["areas"].items()}
    present = edges(build, root)
    wrong = [
        f"{user}: {source} must not need {target} ({demangled(name)})"
        for (source, target), (name, user) in sorted(present.items())
        if target not in areas[source] and (source, target) not in known
    ]
    gone = [
        f"tools/layers.toml: {a} -> {b} is listed as known, and nothing needs it"
        for a, b in known - present.keys()
    ]
    return wrong + gone


def demangled(name: str) -> str:
    return subprocess.run(["c++filt", name], capture_output=True, text=True, check=True).stdout.strip()


if __name__ == "__main__":
    rules = tomllib.loads((ROOT / "tools/layers.toml").read_text())
    problems = check(Path(sys.argv[1]), rules)
    print("\n".join(problems) or "all edges of the libraries point down")
    sys.exit(bool(problems))
