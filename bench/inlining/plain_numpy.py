"""The same maths in NumPy, BLAS with one thread."""

from _inlining import main

main(None)
