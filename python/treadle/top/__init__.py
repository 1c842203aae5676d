"""The command `treadle top`."""

from .command import top_command

__all__ = ["top_command"]
