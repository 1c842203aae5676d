"""`python -m treadle` is the command `treadle`."""

from .cli import main

main()
