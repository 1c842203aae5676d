"""The search of treadle::grain_tuner, from what fits a core's cache on."""

from _grain import main

main(["--grain", "auto"])
