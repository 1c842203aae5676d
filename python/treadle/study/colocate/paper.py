"""What the paper says: seconds of Tables I and II and of its text, on two Xeon X5680 with 24 hardware threads.

The paper names neither the length of a task nor the numbers of its boosts; what follows from its rows is in model.py.
"""

HARDWARE_THREADS, CORES = 24, 12
SEISMIC_TASKS, SLOW_TASK_S, FAST_TASK_S, FAST_COUNT, FAST_START_S = 64_000, 9.3e-3, 1.1e-3, 7, 10.0
PAIR_TASKS, PAIR_ITERATIONS = 240, 100
UP_DOWN_LEAST, UP_DOWN_MOST, UP_DOWN_ITEMS = 0.1, 4.1, 20
IDLE_SLEEP_S = 0.05  # of a worker without work, "50ms at the moment"

SEISMIC = "seismic"
CASES = {
    "up-down": "fast producer, up-down", "fast": "fast producer", "balanced": "balanced", "slow": "slow producer",
}  # fmt: skip
PRODUCER_TIMES_FASTER = {"fast": 1.9, "balanced": 1.0, "slow": 1 / 3.2}

SECONDS: dict[tuple[str, str], float] = {
    ("seismic", "sequential"): 89.194, ("seismic", "no agent"): 85.390, ("seismic", "even"): 86.092,
    ("up-down", "sequential"): 359.61, ("up-down", "no agent"): 317.41, ("up-down", "paper"): 316.20,
    ("fast", "sequential"): 304.13, ("fast", "no agent"): 274.90, ("fast", "paper"): 269.46,
    ("fast", "paper, no boost"): 295.69,
    ("balanced", "sequential"): 247.82, ("balanced", "no agent"): 199.38, ("balanced", "paper, N = 4"): 200.91,
    ("balanced", "paper"): 206.50,
    ("slow", "sequential"): 289.68, ("slow", "no agent"): 272.84, ("slow", "paper"): 268.91,
}  # fmt: skip
# Of the fast instances of Seismic, in the mean: without an agent, and with one those that get four threads.
FAST_SECONDS = {"no agent": 41.13, "even": 31.43}
CONSUMER_ALONE = 1.63  # times as fast after the producer has ended, up-down without agent
MOST_THREADS = 40  # on 24, up-down with agent
PRODUCER_ENDS_S, CONSUMER_ENDS_S = 295.0, 316.0  # up-down with agent
