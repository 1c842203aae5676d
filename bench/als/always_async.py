"""The function as an execution tree, policy always-async."""

from _als import main

main("always-async")
