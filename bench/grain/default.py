"""The program's default partition, never changed."""

from _grain import main

main([])
