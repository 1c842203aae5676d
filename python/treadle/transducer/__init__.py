"""Python functions to PhySL, the language of execution trees."""

from .unit import Program, prange, transduce

__all__ = ["Program", "prange", "transduce"]
