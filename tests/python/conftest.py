"""Shared by the Python tests: the checkers under tools/ are importable."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
for folder in ("tools", "bench"):
    sys.path.insert(0, str(ROOT / folder))
