"""Python modules of the package depend on each other in one direction: their imports form no circle.

Every import counts: those at the top, those inside of functions, and those for type checkers alone.
"""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

PACKAGE = "python/treadle"


def module_name(package: Path, file: Path) -> str:
    parts = file.relative_to(package.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports(file: Path, name: str, modules: set[str]) -> Iterator[tuple[str, int]]:
    """(module, line) for every module of the package that a file imports. A package itself counts for its names
    alone."""
    package = name if file.name == "__init__.py" else name.rpartition(".")[0]
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names if alias.name in modules)
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            for alias in node.names:
                target = f"{base}.{alias.name}"
                target = target if target in modules else base
                if target in modules and target != name:
                    yield target, node.lineno


def circle(edges: dict[str, dict[str, int]]) -> list[str]:
    """The modules of one circle, in the order of their imports; empty where there is none."""
    done: set[str] = set()

    def search(module: str, way: list[str]) -> list[str]:
        if module in way:
            return way[way.index(module) :]
        if module in done:
            return []
        for target in edges[module]:
            if found := search(target, [*way, module]):
                return found
        done.add(module)
        return []

    return next(filter(None, (search(module, []) for module in sorted(edges))), [])


def check(root: Path) -> list[str]:
    package = root / PACKAGE
    # Stubs stand for modules written in other languages.
    files = {
        module_name(package, file): file
        for file in sorted(package.rglob("*.py*"))
        if file.suffix in (".py", ".pyi")
    }
    edges = {name: dict(imports(file, name, set(files))) for name, file in files.items()}
    around = circle(edges)
    if not around:
        return []
    steps = [
        f"{files[a].relative_to(root)}:{edges[a][b]} imports {b}"
        for a, b in zip(around, [*around[1:], around[0]], strict=True)
    ]
    return [f"{steps[0].partition(' ')[0]}: a circle of imports: {'; '.join(steps)}"]


if __name__ == "__main__":
    found = check(Path(__file__).resolve().parent.parent)
    print("\n".join(found))
    sys.exit(bool(found))
