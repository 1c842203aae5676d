"""Policy always-async."""

from _inlining import main

main("always-async")
