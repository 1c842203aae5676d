"""Policy adaptive."""

from _inlining import main

main("adaptive")
