"""The search of treadle::grain_tuner, from the program's default on."""

from _grain import main

main(["--grain", "auto"])
