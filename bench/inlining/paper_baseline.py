"""Policy paper-baseline."""

from _inlining import main

main("paper-baseline")
