import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from rust_rival import run_rust  # noqa: E402

run_rust("fib", "rayon")
