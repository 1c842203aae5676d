"""Random programs do what Python does. TREADLE_RANDOM_SECONDS asks for more than the few seconds of every run."""

import os

import random_programs
from program_generator import generate


def test_random_programs():
    session = random_programs.Session()
    seconds = float(os.environ.get("TREADLE_RANDOM_SECONDS", "6"))
    random_programs.run(seconds, int(os.environ.get("TREADLE_RANDOM_SEED", "0")), session)
    print(session.report())
    assert session.programs > 0
    # A few programs more or less are no matter when there are only some dozens.
    assert not session.refuses_too_many(), session.report()


def test_the_same_seed_is_the_same_program():
    assert generate(5) == generate(5) != generate(6)
