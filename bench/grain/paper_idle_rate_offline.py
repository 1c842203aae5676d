"""The smallest partition with an idle-rate of at most 30 %, chosen from runs with all of them."""

from _grain import main, offline

main(offline("paper-idle-rate"))
