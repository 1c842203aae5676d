"""The function as an execution tree, policy paper-baseline."""

from _als import main

main("paper-baseline")
