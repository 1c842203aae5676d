"""Good values for what depends on machine and input: knobs and sessions, and the file that keeps what was found."""

from .session import Knob, Session, Status, Trial
from .store import Point, Search, Store, StoreError, remember, standard_path

__all__ = [
    "Knob",
    "Point",
    "Search",
    "Session",
    "Status",
    "Store",
    "StoreError",
    "Trial",
    "remember",
    "standard_path",
]
