"""Dependencies point down only: every #include is checked against tools/layers.toml."""

import re
import sys
import tomllib
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path, PurePosixPath

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)
FOLDERS = ("src", "include", "python/src", "apps", "bench", "tests")
SUFFIXES = {".hpp", ".cpp", ".h", ".c"}


class Layers:
    def __init__(self, root: Path, table: dict) -> None:
        self.root, self.public = root, table["public"]
        self.areas: dict[str, list[str]] = table["areas"]
        self.external: dict[str, list[str]] = table["external"]

    def area_of(self, path: PurePosixPath) -> str | None:
        """The area a file of the repository belongs to; None when no rule names it."""
        for pattern, owner in self.public.items():
            if fnmatch(str(path), pattern.replace("**", "*")):
                return owner
        name = path.parts[1] if path.parts[0] == "src" else path.parts[0]
        return name if name in self.areas else None

    def target_of(self, source: PurePosixPath, quote: str, name: str) -> PurePosixPath | None:
        """The repository file an include means; None for an external header."""
        places = [
            PurePosixPath("src"),
            PurePosixPath("include"),
            PurePosixPath("tests"),
            PurePosixPath("bench"),
            PurePosixPath("apps"),
        ]
        for place in ([source.parent] if quote == '"' else []) + places:
            if (self.root / place / name).is_file():
                return place / name
        return None

    def allowed_external(self, areas: list[str], name: str) -> bool:
        standard = re.fullmatch(r"[a-z_0-9]+", name) is not None
        patterns = [p for area in ("everywhere", *areas) for p in self.external.get(area, [])]
        return standard or any(fnmatch(name, pattern) for pattern in patterns)

    def violations(self, path: Path) -> Iterator[str]:
        source = PurePosixPath(path.relative_to(self.root).as_posix())
        area = self.area_of(source)
        if area is None:
            yield f"{source}:1: no area in tools/layers.toml holds this file"
            return
        # A unit test may use what its area may, the area itself, the fixtures of all areas, and the test libraries.
        is_test = path.stem.endswith(("_test", "_fixture", "_support", "_fuzzer"))
        areas = [area, "tests"] if is_test else [area]
        allowed = {area, *self.areas[area], *(["tests", "public"] if is_test else [])}
        text = path.read_text(encoding="utf-8")
        for match in INCLUDE.finditer(text):
            quote, name = match.groups()
            place = f"{source}:{text.count(chr(10), 0, match.start(2)) + 1}"
            target = self.target_of(source, quote, name)
            if target is None:
                if not self.allowed_external(areas, name):
                    yield f"{place}: '{name}' is not a header that {area} may use"
            elif is_test and target.stem.endswith("_fixture"):
                continue
            elif (owner := self.area_of(target)) not in allowed:
                yield f"{place}: {area} must not include {owner} ('{name}')"


def check(root: Path, table: dict | None = None) -> list[str]:
    layers = Layers(root, table or tomllib.loads((root / "tools/layers.toml").read_text()))
    files = (f for folder in FOLDERS for f in sorted((root / folder).rglob("*")) if f.suffix in SUFFIXES)
    return [v for f in files for v in layers.violations(f)]


if __name__ == "__main__":
    found = check(Path(__file__).resolve().parent.parent)
    print("\n".join(found))
    sys.exit(bool(found))
