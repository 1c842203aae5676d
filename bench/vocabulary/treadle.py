"""The functions as a program calls them."""

from _vocabulary import main

main(True)
