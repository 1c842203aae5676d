"""The partition with the least management and wait time, chosen from runs with all of them."""

from _grain import main, offline

main(offline("paper-costs"))
