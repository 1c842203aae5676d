"""The smallest partition with an idle-rate of at most 30 %, searched from small to large."""

from _grain import SMALLEST, main

main(["--grain", "paper-idle-rate", "--partition", SMALLEST])
