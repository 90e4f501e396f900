"""`Sort`, the orders of a list of matches; commands import it without the database's code."""

from enum import Enum


class Sort(Enum):
    """The order of a list of matches, for readers."""

    NEWEST = "newest"
    CLOSEST = "closest"
    """Fewest points between the first and the second, among the newest that fit."""
    BOLDEST = "boldest"
    """Largest undoubted bluff first, among the newest that fit."""
