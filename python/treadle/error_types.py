"""Which exception an error of a running program becomes: those of errors.py, and two that NumPy has types for."""

from __future__ import annotations

import numpy as np

from . import errors
from .errors import PhyslError


class PhyslAxisError(PhyslError, np.exceptions.AxisError):
    """An axis that an array does not have; a ValueError and an IndexError, as NumPy's."""


class PhyslLinAlgError(PhyslError, np.linalg.LinAlgError):
    """A matrix that is singular, not square, or not positive definite; a ValueError."""


PHYSL_ERRORS: dict[str, type[PhyslError]] = {
    "program": PhyslError,
    "value": errors.PhyslValueError,
    "type": errors.PhyslTypeError,
    "index": errors.PhyslIndexError,
    "key": errors.PhyslKeyError,
    "zero_division": errors.PhyslZeroDivisionError,
    "overflow": errors.PhyslOverflowError,
    "attribute": errors.PhyslAttributeError,
    "axis": PhyslAxisError,
    "linear_algebra": PhyslLinAlgError,
    "assertion": errors.PhyslAssertionError,
    "name": errors.PhyslNameError,
    "recursion": errors.PhyslRecursionError,
    "memory": errors.PhyslMemoryError,
    "sharing": errors.SharingError,
}
