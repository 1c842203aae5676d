"""The same addresses in each process: no randomization."""

from _speeds import FIXED_ADDRESSES, run

run(FIXED_ADDRESSES)
