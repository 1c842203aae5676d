"""The program's default partition, never changed."""

from _grain import given, main

main(given())
