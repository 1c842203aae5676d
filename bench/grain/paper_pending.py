"""The partition with the fewest looks at pending queues, searched from the smallest."""

from _grain import SMALLEST, main

main(["--grain", "paper-pending", "--partition", SMALLEST])
