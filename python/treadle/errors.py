"""What can go wrong. Every message names the thing and the place.

Errors of a running program have Python's types beside treadle's: what raises IndexError in Python is both here.
"""

from __future__ import annotations


class Error(Exception):
    """Base of everything Treadle raises itself. Wrong argument types and values are TypeError and ValueError."""


class UnsupportedError(Error):
    """A Python construct that Treadle does not compile, found before anything runs.

    The message shows file, line, column, the source line with a caret, and what to write instead.
    """

    def __init__(
        self, message: str, *, file: str = "", line: int = 0, column: int = 0, source: str = ""
    ) -> None:
        self.message, self.file, self.line, self.column = message, file, line, column
        text = f"{file}:{line}:{column}: {message}" if file else message
        if source:
            text += f"\n    {source}\n    {' ' * (column - 1)}^"
        super().__init__(text)


class PhyslError(Error):
    """A PhySL program that does not parse, compile or run; `back_trace` holds (function, line, column) tuples."""

    def __init__(
        self,
        report: str,
        message: str = "",
        file: str = "",
        line: int = 0,
        column: int = 0,
        back_trace: list[tuple[str, int, int]] | None = None,
    ) -> None:
        self.message, self.file, self.line, self.column = message or report, file, line, column
        self.back_trace = back_trace or []
        super().__init__(report)

    def __str__(self) -> str:
        return str(self.args[0])


class PhyslValueError(PhyslError, ValueError):
    """A value that does not fit."""


class PhyslTypeError(PhyslError, TypeError):
    """A value of the wrong kind."""


class PhyslIndexError(PhyslError, IndexError):
    """An index that is out of range."""


class PhyslKeyError(PhyslError, KeyError):
    """A dictionary without that key."""


class PhyslZeroDivisionError(PhyslError, ZeroDivisionError):
    """A number of the language divided by zero; elements of arrays give inf, nan or 0 instead."""


class PhyslOverflowError(PhyslError, OverflowError):
    """A number beyond the range of its type: integers of Python grow, and have 64 bits here."""


class PhyslAttributeError(PhyslError, AttributeError):
    """A method or an attribute that a value does not have."""


class PhyslAssertionError(PhyslError, AssertionError):
    """An assertion that does not hold."""


class PhyslNameError(PhyslError, UnboundLocalError):
    """A variable that has no value yet."""


class PhyslRecursionError(PhyslError, RecursionError):
    """Calls or lists that are too deep in one another."""


class PhyslMemoryError(PhyslError, MemoryError):
    """An array for which there is no memory."""


class SharingError(PhyslError):
    """A change in place that Python would show under another name as well; compiled programs refuse it."""
