"""Python functions to PhySL, the language of execution trees."""

from .driver import Program, transduce
from .ranges import prange

__all__ = ["Program", "prange", "transduce"]
