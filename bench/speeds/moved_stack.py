"""The same addresses, but for a stack that begins elsewhere in each process, by multiples of 16 bytes within a page."""

import random

from _speeds import FIXED_ADDRESSES, run

run(FIXED_ADDRESSES, {"PADDING": "x" * (16 * random.randrange(256))})
