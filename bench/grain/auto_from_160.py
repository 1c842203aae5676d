"""The search of treadle::grain_tuner, from where the paper's rules begin."""

from _grain import SMALLEST, given, main

main(given("--grain", "auto", "--partition", SMALLEST))
