"""The smallest partition with an idle-rate of at most 30 %, searched from small to large."""

from _grain import SMALLEST, given, main

main(given("--grain", "paper-idle-rate", "--partition", SMALLEST))
