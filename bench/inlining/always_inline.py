"""Policy always-inline."""

from _inlining import main

main("always-inline")
