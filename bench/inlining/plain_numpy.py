"""The same maths in NumPy, with as many BLAS threads as workers."""

import os
import sys

if "--workers" in sys.argv[:-1]:  # before NumPy is loaded
    os.environ["OPENBLAS_NUM_THREADS"] = sys.argv[sys.argv.index("--workers") + 1]

from _inlining import main  # noqa: E402

main(None)
