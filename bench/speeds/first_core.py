"""On one core only, the first."""

from _speeds import core, run

run(core(0))
