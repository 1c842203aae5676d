"""Functions that tests write as text."""

import linecache
from types import FunctionType

import numpy as np

import treadle as td


def function_of_text(text: str, name: str) -> FunctionType:
    """The function `f` of a text, in a module `<name>` that knows np and td; inspect finds its source."""
    file = f"<{name}>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    module = {"np": np, "td": td, "__name__": file}
    exec(compile(text, file, "exec"), module)
    return module["f"]
