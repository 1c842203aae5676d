"""The partition with the fewest looks at pending queues, searched from the smallest."""

from _grain import SMALLEST, given, main

main(given("--grain", "paper-pending", "--partition", SMALLEST))
