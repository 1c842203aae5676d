"""The function as NumPy runs it."""

from _als import main

main(None)
