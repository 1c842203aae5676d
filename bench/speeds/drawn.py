"""As the benchmarks run: all is drawn anew."""

from _speeds import run

run()
