"""What can go wrong, as three exceptions. Every message names the thing and the place."""

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
