"""The partition with the fewest looks at pending queues, chosen from runs with all of them."""

from _grain import main, offline

main(offline("paper-pending"))
