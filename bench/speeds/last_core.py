"""On one core only, the last."""

from _speeds import core, run

run(core(-1))
