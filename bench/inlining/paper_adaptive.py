"""Policy paper-adaptive."""

from _inlining import main

main("paper-adaptive")
