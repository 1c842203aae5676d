"""The function as an execution tree, policy always-inline."""

from _als import main

main("always-inline")
