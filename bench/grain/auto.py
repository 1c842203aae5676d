"""The search of treadle::grain_tuner, from what fits a core's cache on."""

from _grain import given, main

main(given("--grain", "auto"))
