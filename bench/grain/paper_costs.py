"""The partition with the least management and wait time, after a calibration with one worker."""

from _grain import SMALLEST, given, main

main(given("--grain", "paper-costs", "--partition", SMALLEST))
