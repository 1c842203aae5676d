"""The functions as NumPy computes them."""

from _vocabulary import main

main(False)
